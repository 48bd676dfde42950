package addr_test

import (
	"errors"
	"strings"
	"testing"
	"unicode"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"golang.org/x/text/unicode/norm"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
)

func parse(t testing.TB, s string) addr.Address {
	t.Helper()
	a, err := addr.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestParseReadsWhatStringWrites(t *testing.T) {
	for _, s := range []string{
		`service.keystone`,
		`node.worker-7`,
		`profile.gpu`,
		`cloud.prod`,
		`_kind._name-`,
		`instance.web["a"]`,
		`instance.web[""]`,
		`instance.web["a.b[\"c\"].d"]`,
		`instance.web["back\\slash \"quoted\" \n\r\t"]`,
		`instance.web["$${x} %%{y} $ % $x $$${"]`,
		`instance.web["grün 東京 😀"]`,
		`instance.web["\u0000\u007f\u00a0\u202e\ufeff\U000e0001"]`,
		`network.büro`,
		`data.network.public`,
		`data.image.cirros["x"]`,
		`module.edge`,
		`module.edge["fra"]`,
		`module.edge["fra"].network.web`,
		`module.a.module.b["x"].data.image.cirros`,
		`module.a["] . module.b["].module.c["\"]"].instance.web["]"]`,
		`module.module.module.data`,
		`module.data.data.module_kind.data`,
		`network.module`,
		`var.x`,
		`local.x`,
		`output.x`,
		`module.edge["fra"].var.site`,
	} {
		a, err := addr.Parse(s)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		if got := a.String(); got != s {
			t.Errorf("parsing %s and writing it gives %s", s, got)
		}
	}
}

func TestParseTakesAddressesApart(t *testing.T) {
	o, err := addr.ParseObject(`module.a.module.b["x\u0041"].data.image.cirros["k"]`)
	if err != nil {
		t.Fatal(err)
	}
	steps := o.Module().Steps()
	if len(steps) != 2 || steps[0] != (addr.Step{Name: "a"}) || steps[1] != (addr.Step{Name: "b", Key: addr.StringKey("xA")}) {
		t.Errorf("steps are %v", steps)
	}
	if got := o.Module().Parent().String(); got != "module.a" {
		t.Errorf("the parent is %q", got)
	}
	if !o.Module().Parent().Parent().IsRoot() {
		t.Error("the parent's parent is not the root")
	}
	if o.Mode() != addr.Data || o.Kind() != "image" || o.Name() != "cirros" || o.Key() != addr.StringKey("k") {
		t.Errorf("the object is %v %s %s %s", o.Mode(), o.Kind(), o.Name(), o.Key())
	}
	if got, want := o.String(), `module.a.module.b["xA"].data.image.cirros["k"]`; got != want {
		t.Errorf("canonical form is %s, want %s", got, want)
	}
	v, err := addr.ParseValue("module.a.local.x")
	if err != nil {
		t.Fatal(err)
	}
	if v.Kind() != addr.Local || v.Name() != "x" || v.Module().String() != "module.a" {
		t.Errorf("the value is %v %s in %s", v.Kind(), v.Name(), v.Module())
	}
}

func TestParseErrorsNameThePlace(t *testing.T) {
	tests := []struct {
		in       string
		offset   int
		expected string
	}{
		{"", 0, "a kind"},
		{"network", 7, `"." and a name`},
		{"network.", 8, "the name of the block"},
		{"network.web.id", 11, "an attribute is not part of it"},
		{"network.web ", 11, "the end of the address"},
		{" network.web", 0, "a kind"},
		{"network.7", 8, "the name of the block"},
		{"network.-x", 8, "the name of the block"},
		{"1network.x", 0, "a kind"},
		{"each.key", 0, `"each" cannot be`},
		{"data", 4, `"." and a name`},
		{"data.network", 12, `"." and a name`},
		{"data.data.x", 5, `"data" cannot be`},
		{"data.module.x", 5, `"module" cannot be`},
		{"module", 6, `"." and a name`},
		{"module.", 7, "the name of the module"},
		{"module.a.", 9, "a kind"},
		{"module.a.network", 16, `"." and a name`},
		{`module.a["x"]network.web`, 13, `"." or the end`},
		{"var", 3, `"." and a name`},
		{"var.", 4, "the name of the value"},
		{"var.x.y", 5, "the end of the address"},
		{`var.x["a"]`, 5, "the end of the address"},
		{"instance.web[0]", 13, "a key in double quotes"},
		{"instance.web[a]", 13, "a key in double quotes"},
		{"instance.web['a']", 13, "a key in double quotes"},
		{`instance.web["a"`, 16, "] after the key"},
		{`instance.web["a`, 15, `the closing "`},
		{"instance.web[\"a\nb\"]", 15, `the closing "`},
		{`instance.web["a\x"]`, 15, "one of the escapes"},
		{`instance.web["\u12"]`, 14, "one of the escapes"},
		{`instance.web["\ud800"]`, 14, "one of the escapes"},
		{`instance.web["\U00110000"]`, 14, "one of the escapes"},
		{`instance.web["\u001G"]`, 14, "one of the escapes"},
		{`instance.web["\`, 14, "one of the escapes"},
		{`instance.web["a${x}"]`, 15, "a key is no template"},
		{`instance.web["%{x}"]`, 14, "a key is no template"},
		{"instance.web[\"\xff\"]", 14, "text in UTF-8"},
		{"net\xffwork.web", 3, `"." and a name`},
		{`instance.web["a"]["b"]`, 17, "the end of the address"},
	}
	for _, tt := range tests {
		_, err := addr.Parse(tt.in)
		var parseErr *addr.ParseError
		if !errors.As(err, &parseErr) {
			t.Errorf("parsing %q gives %v, want a ParseError", tt.in, err)
			continue
		}
		if parseErr.Offset != tt.offset || !strings.Contains(parseErr.Expected, tt.expected) {
			t.Errorf("parsing %q: at byte %d expected %s; want byte %d and %q", tt.in, parseErr.Offset, parseErr.Expected, tt.offset, tt.expected)
		}
	}
}

func TestParseErrorText(t *testing.T) {
	_, err := addr.Parse("instance.web[0]")
	want := `invalid address "instance.web[0]": at byte 13: expected a key in double quotes, such as ["a"], found "0"`
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	_, err = addr.Parse("network." + strings.Repeat("x", 100_000) + ".")
	if err == nil || len(err.Error()) > 500 {
		t.Errorf("the message for a long input has %d bytes", len(err.Error()))
	}
}

func TestParseOfOneKindRefusesTheOthers(t *testing.T) {
	tests := []struct {
		what  string
		parse func(string) error
		takes string
		not   []string
	}{
		{"module", func(s string) error { _, err := addr.ParseModule(s); return err }, "module.a", []string{"module.a.network.web", "var.x", "x"}},
		{"object", func(s string) error { _, err := addr.ParseObject(s); return err }, "module.a.network.web", []string{"", "module.a", "local.x", "x"}},
		{"value", func(s string) error { _, err := addr.ParseValue(s); return err }, "module.a.var.x", []string{"", "module.a", "network.web", "x"}},
	}
	for _, tt := range tests {
		if err := tt.parse(tt.takes); err != nil {
			t.Errorf("%s: %v", tt.what, err)
		}
		for _, s := range tt.not {
			var parseErr *addr.ParseError
			if err := tt.parse(s); !errors.As(err, &parseErr) || parseErr.Offset > len(s) {
				t.Errorf("%s: parsing %q gives %v", tt.what, s, err)
			}
		}
	}
	if m, err := addr.ParseModule(""); err != nil || !m.IsRoot() {
		t.Errorf("the empty path is %v, %v; want the root", m, err)
	}
}

func TestMustParseObjectPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	addr.MustParseObject("network")
}

// A key's text is a quoted template of HCL: both sides must read and write the same.
func TestKeysAreQuotedAsHCLDoes(t *testing.T) {
	for _, key := range []string{"", "a", `a"b\c`, "a\nb\tc\r", "${", "%{", "$${", "%%{", "$$$${x}", "$", "%", "${}%{}", "é", "\x00\x1b", "\u202e", "😀"} {
		o := addr.MustParseObject("instance.web").WithKey(addr.StringKey(key))
		traversal, diags := hclsyntax.ParseTraversalAbs([]byte(o.String()), "", hcl.InitialPos)
		if diags.HasErrors() {
			t.Errorf("HCL cannot read %s: %v", o, diags)
			continue
		}
		index, ok := traversal[2].(hcl.TraverseIndex)
		if !ok || index.Key.AsString() != norm.NFC.String(key) {
			t.Errorf("HCL reads the key of %s as %#v, want %q", o, traversal[2], key)
		}
		back, err := addr.ParseObject(o.String())
		if err != nil || back != o {
			t.Errorf("reading %s gives %v, %v", o, back, err)
		}
	}
}

func TestNamesAreIdentifiersOfHCL(t *testing.T) {
	names := []string{"", "a", "_", "_a", "-a", "a-", "a_b-c", "1a", "a1", "a.b", "a b", "a\x00", "\xff", "a\xff", "ß", "日本", "a·b", "a\u0301", "\u0301", "a٣", "٣a", "ⅷ", "a‿b", "a\u200d", "℮x", "😀"}
	for r := rune(1); r < 0x3000; r++ {
		names = append(names, string(r), "a"+string(r))
	}
	for _, name := range names {
		got, want := addr.ValidName(name), hclsyntax.ValidIdentifier(name)
		if r := []rune(name); want && len(r) > 0 && !visible(r[len(r)-1]) {
			want = false
		}
		if got != want {
			t.Errorf("ValidName(%+q) = %v, HCL says %v", name, got, want)
		}
	}
}

// visible tells the characters of names which we refuse although HCL takes them: the joiners that
// nobody sees, and what is younger than the tables of Go's standard library.
func visible(r rune) bool {
	return unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S)
}

// FuzzParse checks that parsing never panics, and that what it accepts has one canonical form.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "service.keystone", `module.a.module.b["x"].data.image.cirros`, `instance.web["\u0041$${\n\U0001F600"]`, "local.x", "module.edge", `a.b["%%{"]`, `a.b["$$${"]`, "a.b[\"\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, err := addr.Parse(s)
		if err != nil {
			var parseErr *addr.ParseError
			if !errors.As(err, &parseErr) || parseErr.Offset < 0 || parseErr.Offset > len(s) || err.Error() == "" {
				t.Fatalf("parsing %q gives the error %#v", s, err)
			}
			return
		}
		canonical := a.String()
		b, err := addr.Parse(canonical)
		if err != nil {
			t.Fatalf("%q has the canonical form %q, which fails: %v", s, canonical, err)
		}
		if a != b || addr.Compare(a, b) != 0 || b.String() != canonical || !a.Contains(b) {
			t.Fatalf("%q becomes %#v and then %#v", s, a, b)
		}
		if o, ok := a.(addr.Object); ok {
			built, err := addr.NewObject(o.Module(), o.Mode(), o.Kind(), o.Name(), o.Key())
			if err != nil || built != o {
				t.Fatalf("building %s from its parts gives %v, %v", o, built, err)
			}
		}
	})
}

// FuzzKey checks that every key has a text that is read back as the same key.
func FuzzKey(f *testing.F) {
	f.Add("a", "b")
	f.Add("${", "\xff\x00")
	f.Fuzz(func(t *testing.T, a, b string) {
		m, err := addr.Module{}.Child("m", addr.StringKey(a))
		if err != nil {
			t.Fatal(err)
		}
		o := addr.MustParseObject("instance.web").In(m).WithKey(addr.StringKey(b))
		back, err := addr.ParseObject(o.String())
		if err != nil || back != o {
			t.Fatalf("reading %s gives %v, %v", o, back, err)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := addr.Parse(`module.edge["fra"].instance.web["a"]`); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkString(b *testing.B) {
	o := addr.MustParseObject(`module.edge["fra"].instance.web["a"]`)
	b.ReportAllocs()
	for b.Loop() {
		_ = o.String()
	}
}
