package resolve_test

import (
	"io/fs"
	"slices"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/examples"
	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/resolve"
	"github.com/kupenstack/kupenstack-sync/schema"
)

func loadExample(tb testing.TB, name string) (*model.Model, *resolve.Evaluator) {
	tb.Helper()
	cfg, diags := config.Load(schema.New(), examples.FS, name, config.DefaultLimits())
	for _, d := range diags {
		tb.Errorf("%s: %+v", name, d)
	}
	m, e, diags := resolve.Resolve(cfg, nil)
	for _, d := range diags {
		tb.Errorf("%s: %+v", name, d)
	}
	if m == nil {
		tb.Fatalf("%s has no model", name)
	}
	return m, e
}

func TestExamplesResolve(t *testing.T) {
	entries, err := fs.ReadDir(examples.FS, ".")
	if err != nil || len(entries) < 2 {
		t.Fatalf("examples: %v, %v", entries, err)
	}
	for _, entry := range entries {
		loadExample(t, entry.Name())
	}
}

func TestDemo(t *testing.T) {
	m, e := loadExample(t, "demo")
	if got := len(m.Cloud.Services); got != 11 {
		t.Errorf("%d services, want 11", got)
	}
	nova := m.Service("nova")
	if want := map[string]int{"osapi": 1, "conductor": 2, "scheduler": 1}; !mapsEqual(nova.Replicas, want) {
		t.Errorf("replicas of nova: %v, want %v", nova.Replicas, want)
	}
	ratio := func(v cty.Value) cty.Value {
		return v.GetAttr("nova").GetAttr("DEFAULT").GetAttr("cpu_allocation_ratio")
	}
	if got := ratio(nova.Conf); !got.RawEquals(cty.NumberIntVal(4)) {
		t.Errorf("the default profile's ratio is %#v", got)
	}
	dense := m.Nodes[slices.IndexFunc(m.Nodes, func(n model.Node) bool { return n.Name == "worker-2" })]
	if len(dense.Services) != 1 || !ratio(dense.Services[0].Conf).RawEquals(cty.NumberIntVal(1)) {
		t.Errorf("services of worker-2: %+v", dense.Services)
	}
	if _, ok := dense.Services[0].Conf.GetAttr("nova").GetAttr("DEFAULT").AsValueMap()["ram_allocation_ratio"]; !ok {
		t.Error("maps are not merged all the way down")
	}

	address := addr.MustParseObject(`instance.web["a"]`)
	web := m.Resource(address)
	if web == nil {
		t.Fatal("there is no instance.web[\"a\"]")
	}
	var to []string
	for _, edge := range web.Edges {
		to = append(to, edge.To.String())
	}
	want := []string{"flavor.small", "image.cirros", "keypair.ops", "network.web", "project.dev", "security_group.web", "subnet.web"}
	if !slices.Equal(to, want) {
		t.Errorf("edges %v, want %v", to, want)
	}
	if web.Desired.GetAttr("image").IsKnown() || web.Desired.GetAttr("name").AsString() != "web-a" {
		t.Errorf("desired at load: %#v", web.Desired)
	}
	if !web.Desired.GetAttr("keypair").RawEquals(cty.StringVal("ops")) {
		t.Errorf("keypair is %#v, and a name is known at load", web.Desired.GetAttr("keypair"))
	}

	outputs := map[addr.Object]cty.Value{}
	for _, edge := range web.Edges {
		outputs[edge.To] = cty.ObjectVal(map[string]cty.Value{"id": cty.StringVal("id-of-" + edge.To.Name())})
	}
	late, diags := e.Desired(address, outputs)
	if len(diags) > 0 || !late.IsWhollyKnown() {
		t.Fatalf("desired with outputs: %#v, %v", late, diags)
	}
	if got := late.GetAttr("networks"); !got.RawEquals(cty.ListVal([]cty.Value{cty.StringVal("id-of-web")})) {
		t.Errorf("networks: %#v", got)
	}
	if got := late.GetAttr("metadata").Index(cty.StringVal("port")); !got.RawEquals(cty.StringVal("8080")) {
		t.Errorf("port: %#v", got)
	}
}

func mapsEqual(a, b map[string]int) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		if b[k] != v {
			return false
		}
	}
	return true
}
