package model_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/schema"
)

func at(line int) diag.Range {
	return diag.Range{File: "main.hcl", Start: diag.Pos{Line: line, Column: 1}, End: diag.Pos{Line: line, Column: 2}}
}

func good() *model.Model {
	return &model.Model{
		Language: schema.New(),
		Cloud: model.Cloud{
			Name: "test", Release: "2026.1", Region: "RegionOne", Namespace: "openstack", NetworkBackend: "ovs",
			Charts: &model.Charts{Repository: "charts"}, Range: at(1),
			Services: []model.Service{{Name: "nova", Enabled: true, Settings: []model.Setting{
				{Name: "replicas", Value: cty.NumberIntVal(2), Range: at(2)},
			}}},
		},
		Nodes: []model.Node{{Name: "node-1", Address: addr.MustParseObject("node.a"), Roles: []string{"compute"}, Range: at(3)}},
	}
}

func TestCheck(t *testing.T) {
	if diags := good().Check(); len(diags) > 0 {
		t.Fatalf("a good model: %v", diags)
	}
	setting := func(name string, v cty.Value) func(*model.Model) {
		return func(m *model.Model) {
			m.Cloud.Services[0].Settings = []model.Setting{{Name: name, Value: v, Range: at(2)}}
		}
	}
	for name, c := range map[string]struct {
		change func(*model.Model)
		want   string
	}{
		"release":         {func(m *model.Model) { m.Cloud.Release = "zed" }, "release must be"},
		"namespace":       {func(m *model.Model) { m.Cloud.Namespace = "Open_Stack" }, "namespace must be"},
		"backend":         {func(m *model.Model) { m.Cloud.NetworkBackend = "none" }, "network_backend must be"},
		"no release":      {func(m *model.Model) { m.Cloud.Release = "" }, "which release"},
		"no charts":       {func(m *model.Model) { m.Cloud.Charts = nil }, "charts come from"},
		"nothing at all":  {func(m *model.Model) { m.Cloud.Services = nil }, "neither a service"},
		"unknown service": {func(m *model.Model) { m.Cloud.Services[0].Name = "swift" }, `no service "swift"`},
		"negative":        {setting("replicas", cty.NumberIntVal(-1)), "-1 times"},
		"fraction":        {setting("replicas", cty.NumberFloatVal(1.5)), "whole number"},
		"unknown part":    {setting("replicas", cty.ObjectVal(map[string]cty.Value{"x": cty.NumberIntVal(1)})), `no part "x"`},
		"no storage":      {setting("storage_size", cty.StringVal("1Gi")), "keeps no data"},
		"no version":      {setting("version", cty.StringVal("1")), "apart from its images"},
		"role":            {func(m *model.Model) { m.Nodes[0].Roles = []string{"king"} }, `no role "king"`},
		"one node twice":  {func(m *model.Model) { m.Nodes = append(m.Nodes, m.Nodes[0]) }, "both stand for"},
	} {
		t.Run(name, func(t *testing.T) {
			m := good()
			c.change(m)
			diags := m.Check()
			if len(diags) != 1 || !strings.Contains(diags[0].Detail, c.want) || diags[0].Subject == nil {
				t.Errorf("%v, want %q", diags, c.want)
			}
		})
	}
	off := good()
	off.Cloud.Services[0].Enabled, off.Cloud.Release, off.Cloud.Charts = false, "", nil
	if diags := off.Check(); len(diags) > 0 {
		t.Errorf("a cloud that deploys nothing any more needs no charts: %v", diags)
	}
}

func TestPlain(t *testing.T) {
	v := cty.ObjectVal(map[string]cty.Value{
		"int":   cty.NumberIntVal(1_000_000),
		"big":   cty.MustParseNumberVal("9007199254740993"),
		"most":  cty.MustParseNumberVal("9223372036854775807"),
		"least": cty.MustParseNumberVal("-9223372036854775808"),
		"float": cty.NumberFloatVal(1.5),
		"text":  cty.StringVal("x"),
		"flag":  cty.True,
		"null":  cty.NullVal(cty.String),
		"list":  cty.TupleVal([]cty.Value{cty.NumberIntVal(1), cty.StringVal("a")}),
		"map":   cty.MapVal(map[string]cty.Value{"k": cty.StringVal("v")}),
	})
	plain, err := model.Plain(v)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(plain)
	want := `{"big":9007199254740993,"flag":true,"float":1.5,"int":1000000,"least":-9223372036854775808,"list":[1,"a"],"map":{"k":"v"},"most":9223372036854775807,"null":null,"text":"x"}`
	if err != nil || string(text) != want {
		t.Errorf("%s, want %s, %v", text, want, err)
	}
	for name, v := range map[string]cty.Value{
		"unknown":   cty.ObjectVal(map[string]cty.Value{"a": cty.UnknownVal(cty.String)}),
		"sensitive": cty.ObjectVal(map[string]cty.Value{"a": cty.StringVal("s3").Mark(model.Sensitive)}),
		"too large": cty.ObjectVal(map[string]cty.Value{"a": cty.MustParseNumberVal("9223372036854775808")}),
		"too small": cty.ObjectVal(map[string]cty.Value{"a": cty.MustParseNumberVal("-9223372036854775809")}),
		"huge":      cty.ObjectVal(map[string]cty.Value{"a": cty.MustParseNumberVal("1e400")}),
	} {
		if _, err := model.Plain(v); err == nil || !strings.Contains(err.Error(), "a: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestValuesOfOneType(t *testing.T) {
	secret := cty.StringVal("s3").Mark(model.Sensitive)
	v := cty.ObjectVal(map[string]cty.Value{"a": secret, "b": cty.NullVal(cty.Number), "c": cty.UnknownVal(cty.String)})
	of := cty.Object(map[string]cty.Type{"a": cty.String, "b": cty.Number, "c": cty.String})
	if got := model.OfType(v, of); !got.RawEquals(v) || !got.GetAttr("a").HasMark(model.Sensitive) {
		t.Errorf("got %#v, want %#v", got, v)
	}
	for name, other := range map[string]cty.Type{"another type": cty.Object(map[string]cty.Type{"a": cty.String}), "no object": cty.String} {
		if got := model.OfType(v, other); !got.RawEquals(v) {
			t.Errorf("%s: got %#v, want %#v", name, got, v)
		}
	}
	if marked := v.Mark(model.Sensitive); !model.OfType(marked, of).RawEquals(marked) {
		t.Error("a mark is lost")
	}
}

func TestLookups(t *testing.T) {
	m := good()
	m.Resources = []model.Resource{{Address: addr.MustParseObject("network.a")}, {Address: addr.MustParseObject("network.b")}}
	if m.Resource(addr.MustParseObject("network.b")) != &m.Resources[1] || m.Resource(addr.MustParseObject("network.c")) != nil {
		t.Error("resources are not found by their address")
	}
	if m.Service("nova") != &m.Cloud.Services[0] || m.Service("heat") != nil {
		t.Error("services are not found by their name")
	}
}
