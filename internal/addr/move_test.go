package addr_test

import (
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
)

func TestMove(t *testing.T) {
	for _, test := range []struct{ object, from, to, want string }{
		{"network.a", "network.a", "network.b", "network.b"},
		{`network.a["x"]`, "network.a", "network.b", `network.b["x"]`},
		{"network.a", "network.a", `network.b["x"]`, `network.b["x"]`},
		{"network.a", "network.a", `network.a["x"]`, `network.a["x"]`},
		{`network.a["y"]`, "network.a", `network.b["x"]`, ""},
		{`network.a["x"]`, `network.a["x"]`, "network.b", "network.b"},
		{`network.a["x"]`, `network.a["x"]`, `network.a["y"]`, `network.a["y"]`},
		{"network.a", `network.a["x"]`, "network.b", ""},
		{"network.c", "network.a", "network.b", ""},
		{"subnet.a", "network.a", "network.b", ""},
		{"data.network.a", "network.a", "network.b", ""},
		{"module.m.network.a", "network.a", "network.b", ""},
		{"module.m.network.a", "module.m.network.a", "network.b", "network.b"},
		{`module.m["k"].network.a`, "module.m.network.a", "network.b", ""},
		{`module.m["k"].network.a["x"]`, `module.m["k"].network.a`, "module.n.network.b", `module.n.network.b["x"]`},
		{"module.m.network.a", "module.m", "module.n", "module.n.network.a"},
		{`module.m["k"].network.a["x"]`, "module.m", "module.n", `module.n["k"].network.a["x"]`},
		{`module.m["k"].module.o.network.a`, "module.m", "module.n.module.p", `module.n.module.p["k"].module.o.network.a`},
		{"module.m.network.a", "module.m", `module.m["k"]`, `module.m["k"].network.a`},
		{`module.m["k"].network.a`, `module.m["k"]`, "module.m", "module.m.network.a"},
		{`module.m["l"].network.a`, `module.m["k"]`, "module.m", ""},
		{`module.m["k"].network.a`, "module.m.module.o", "module.p", ""},
		{`module.m["k"].module.o["l"].network.a`, `module.m["k"].module.o`, `module.p["k"]`, ""},
		{`module.m["k"].module.o["l"].network.a`, `module.m["k"].module.o`, "module.p", `module.p["l"].network.a`},
		{"module.m.network.a", "module.m", "network.b", ""},
		{"network.a", "network.a", "module.m", ""},
		{"network.a", "var.a", "var.b", ""},
	} {
		from, err := addr.Parse(test.from)
		if err != nil {
			t.Fatal(err)
		}
		to, err := addr.Parse(test.to)
		if err != nil {
			t.Fatal(err)
		}
		o := addr.MustParseObject(test.object)
		got, moved := o.Move(from, to)
		if !moved {
			if got = (addr.Object{}); test.want != "" {
				t.Errorf("%s is not moved by %s to %s", o, from, to)
				continue
			}
		}
		if got.String() != test.want {
			t.Errorf("%s moved by %s to %s is %s, want %s", o, from, to, got, test.want)
		}
	}
}
