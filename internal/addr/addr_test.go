package addr_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
)

func TestCompareListsAsAPersonWould(t *testing.T) {
	want := []string{
		`var.a`,
		`var.b`,
		`local.a`,
		`output.a`,
		`instance.web`,
		`instance.web[""]`,
		`instance.web["2"]`,
		`instance.web["10"]`,
		`instance.web["a"]`,
		`network.a`,
		`node.worker`,
		`node.worker-02`,
		`node.worker-2`,
		`node.worker-2b`,
		`node.worker-10`,
		`data.image.cirros`,
		`data.network.public`,
		`module.a`,
		`module.a.var.x`,
		`module.a.network.web`,
		`module.a.module.b`,
		`module.a.module.b.network.web`,
		`module.a["2"]`,
		`module.a["2"].network.web`,
		`module.a["10"].network.web`,
		`module.a-b.network.web`,
		`module.b`,
	}
	addresses := []addr.Address{nil}
	for _, s := range want {
		addresses = append(addresses, parse(t, s))
	}
	for i, a := range addresses {
		for j, b := range addresses {
			got, want := addr.Compare(a, b), 0
			if i < j {
				want = -1
			} else if i > j {
				want = 1
			}
			if got != want {
				t.Errorf("Compare(%v, %v) = %d, want %d", a, b, got, want)
			}
		}
	}
}

func TestContains(t *testing.T) {
	tests := []struct {
		a, b string
		want bool
	}{
		{`module.edge`, `module.edge`, true},
		{`module.edge`, `module.edge["fra"]`, true},
		{`module.edge`, `module.edge["fra"].network.web`, true},
		{`module.edge`, `module.edge.module.x["k"].var.y`, true},
		{`module.edge["fra"]`, `module.edge["fra"].network.web["a"]`, true},
		{`module.edge["fra"]`, `module.edge["ber"].network.web`, false},
		{`module.edge["fra"]`, `module.edge`, false},
		{`module.edge["fra"]`, `module.edge.network.web`, false},
		{`module.edge`, `module.edge-2.network.web`, false},
		{`module.a.module.b`, `module.a["x"].module.b["y"].network.web`, true},
		{`module.a.module.b`, `module.a["x"].network.web`, false},
		{`instance.web`, `instance.web`, true},
		{`instance.web`, `instance.web["a"]`, true},
		{`instance.web["a"]`, `instance.web`, false},
		{`instance.web["a"]`, `instance.web["b"]`, false},
		{`instance.web`, `instance.web2`, false},
		{`instance.web`, `data.instance.web`, false},
		{`instance.web`, `module.a.instance.web`, false},
		{`instance.web`, `module.a`, false},
		{`module.a.instance.web`, `module.a["x"].instance.web["a"]`, true},
		{`module.a.instance.web`, `module.a.module.b.instance.web`, false},
		{`module.a.instance.web`, `instance.web`, false},
		{`var.x`, `var.x`, true},
		{`var.x`, `local.x`, false},
		{`module.a.var.x`, `module.a["k"].var.x`, true},
		{`var.x`, `module.a.var.x`, false},
		{`var.x`, `instance.x`, false},
	}
	for _, tt := range tests {
		if got := parse(t, tt.a).Contains(parse(t, tt.b)); got != tt.want {
			t.Errorf("%s contains %s: %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
	for _, s := range []string{"network.web", "var.x", "module.a"} {
		if !(addr.Module{}).Contains(parse(t, s)) {
			t.Errorf("the root does not contain %s", s)
		}
		if parse(t, s).Contains(nil) {
			t.Errorf("%s contains nil", s)
		}
	}
}

func TestConstructorsRefuseWhatHasNoText(t *testing.T) {
	root := addr.Module{}
	tests := []struct {
		what string
		err  error
	}{
		{"an empty kind", second(addr.NewObject(root, addr.Managed, "", "web", addr.Key{}))},
		{"a reserved kind", second(addr.NewObject(root, addr.Managed, "module", "web", addr.Key{}))},
		{"a reserved kind of data", second(addr.NewObject(root, addr.Data, "data", "web", addr.Key{}))},
		{"a name with a dot", second(addr.NewObject(root, addr.Managed, "node", "worker.example.org", addr.Key{}))},
		{"an empty name", second(addr.NewObject(root, addr.Managed, "node", "", addr.Key{}))},
		{"an unknown mode", second(addr.NewObject(root, addr.Mode(9), "node", "a", addr.Key{}))},
		{"a module with a space", second(root.Child("a b", addr.Key{}))},
		{"a value without a kind", second(addr.NewValue(root, 0, "x"))},
		{"a value that is a number", second(addr.NewValue(root, addr.Variable, "1"))},
	}
	for _, tt := range tests {
		if tt.err == nil {
			t.Errorf("%s is accepted", tt.what)
		}
	}
	for kind, want := range map[string]bool{"network": true, "data": false, "module": false, "var": false, "local": false, "output": false, "each": false, "": false, "a.b": false} {
		if got := addr.ValidKind(kind); got != want {
			t.Errorf("ValidKind(%q) = %v", kind, got)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestDerivedAddressesLeaveTheOriginalAlone(t *testing.T) {
	web := addr.MustParseObject(`instance.web["a"]`)
	edge, err := addr.Module{}.Child("edge", addr.StringKey("fra"))
	if err != nil {
		t.Fatal(err)
	}
	if inner := edge.In(edge); inner.String() != `module.edge["fra"].module.edge["fra"]` || edge.In(addr.Module{}) != edge || (addr.Module{}).In(edge) != edge {
		t.Errorf("a module in a module is %s", inner)
	}
	if got := web.In(edge).String(); got != `module.edge["fra"].instance.web["a"]` {
		t.Errorf("moved: %s", got)
	}
	if got := web.Block().String(); got != "instance.web" {
		t.Errorf("block: %s", got)
	}
	if got := web.Block().WithKey(addr.StringKey("b")).String(); got != `instance.web["b"]` {
		t.Errorf("with key: %s", got)
	}
	if got := web.String(); got != `instance.web["a"]` {
		t.Errorf("the original became %s", got)
	}
	seen := map[addr.Address]int{web: 1, edge: 2, web.Block(): 3}
	if seen[parse(t, `instance.web["\u0061"]`)] != 1 || seen[parse(t, `module.edge["fra"]`)] != 2 || seen[parse(t, "instance.web")] != 3 {
		t.Error("equal addresses are not the same key of a map")
	}
}

func TestKeysThatAreNoUTF8StayReadable(t *testing.T) {
	if got, _ := addr.StringKey("a\xffb").Value(); got != "a\uFFFDb" {
		t.Errorf("got %q", got)
	}
	if _, ok := (addr.Key{}).Value(); ok || (addr.Key{}).String() != "" {
		t.Error("the zero key is a key")
	}
}

func TestJSON(t *testing.T) {
	type document struct {
		Module   addr.Module            `json:"module"`
		Object   addr.Object            `json:"object"`
		Value    addr.Value             `json:"value"`
		Optional addr.Object            `json:"optional,omitzero"`
		Keys     map[addr.Object]string `json:"keys"`
	}
	in := document{
		Object: addr.MustParseObject(`instance.web["a"]`),
		Keys:   map[addr.Object]string{addr.MustParseObject("network.b"): "2", addr.MustParseObject("network.a"): "1"},
	}
	var err error
	if in.Value, err = addr.ParseValue("var.x"); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"module":"","object":"instance.web[\"a\"]","value":"var.x","keys":{"network.a":"1","network.b":"2"}}`
	if string(text) != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
	var out document
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	if out.Object != in.Object || out.Value != in.Value || out.Module != in.Module || len(out.Keys) != 2 {
		t.Errorf("read back as %+v", out)
	}
	if _, err := json.Marshal(addr.Object{}); err == nil {
		t.Error("an address that was never set is written")
	}
	if _, err := json.Marshal(addr.Value{}); err == nil {
		t.Error("a value that was never set is written")
	}
	for _, bad := range []string{`{"object":""}`, `{"object":"x"}`, `{"value":"network.a"}`, `{"module":"network.a"}`} {
		if err := json.Unmarshal([]byte(bad), &out); err == nil {
			t.Errorf("%s is read without an error", bad)
		}
	}
}

func TestStringsOfEnums(t *testing.T) {
	got := fmt.Sprint(addr.Managed, addr.Data, addr.Mode(7), addr.Variable, addr.Local, addr.Output, addr.ValueKind(0))
	if want := "managed data Mode(7) var local output ValueKind(0)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// FuzzCompare checks the laws of an order on keys, where natural sorting could break them.
func FuzzCompare(f *testing.F) {
	f.Add("a1", "a01", "a2")
	f.Add("1", "-", "01")
	f.Fuzz(func(t *testing.T, x, y, z string) {
		a, b, c := addr.StringKey(x), addr.StringKey(y), addr.StringKey(z)
		if a.Compare(b) != -b.Compare(a) || (a.Compare(b) == 0) != (a == b) {
			t.Fatalf("%s and %s: %d and %d", a, b, a.Compare(b), b.Compare(a))
		}
		if a.Compare(b) <= 0 && b.Compare(c) <= 0 && a.Compare(c) > 0 {
			t.Fatalf("%s <= %s <= %s, but not %s <= %s", a, b, c, a, c)
		}
	})
}

func BenchmarkSort10000(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	var objects []addr.Object
	for i := range 10_000 {
		objects = append(objects, addr.MustParseObject(fmt.Sprintf(`module.site["%d"].instance.web-%d["%d"]`, random.IntN(10), random.IntN(50), i)))
	}
	b.ReportAllocs()
	for b.Loop() {
		slices.SortFunc(slices.Clone(objects), addr.Object.Compare)
	}
}

func BenchmarkMapKey(b *testing.B) {
	o := addr.MustParseObject(`module.edge["fra"].instance.web["a"]`)
	m := map[addr.Object]int{o: 1}
	other := addr.MustParseObject(strings.Clone(o.String()))
	b.ReportAllocs()
	for b.Loop() {
		if m[other] != 1 {
			b.Fatal("not found")
		}
	}
}
