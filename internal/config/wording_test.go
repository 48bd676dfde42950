package config_test

import (
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/schema"
)

func TestNearest(t *testing.T) {
	for _, tc := range []struct {
		name, want string
		candidates []string
	}{
		{"subent", "subnet", []string{"node", "subnet"}},
		{"wbe", "web", []string{"db", "web"}},
		{"gren", "green", []string{"blue", "green"}},
		{"is_public", "public", []string{"public", "project"}},
		{"Description", "description", []string{"description"}},
		{"volume", "", []string{"module", "image"}},
		{"db", "", []string{"web"}},
		{"par", "", []string{"ber", "fra"}},
		{"repair", "", []string{"report"}},
		{"web", "", []string{"web", ""}},
	} {
		if got := config.Nearest(tc.name, tc.candidates); got != tc.want {
			t.Errorf("%q of %q: got %q, want %q", tc.name, tc.candidates, got, tc.want)
		}
	}
}

func TestWording(t *testing.T) {
	for _, tc := range []struct{ got, want string }{
		{config.Indefinite("network"), "a network"},
		{config.Indefinite("image"), "an image"},
		{config.Indefinite("openstack"), "an openstack block"},
		{config.Indefinite("charts"), "a charts block"},
		{config.PlainTypes("string required, but have tuple"), "a string is required, and this is a list"},
		{config.PlainTypes("element 0: object required, but have string"), "element 0: an object is required, and this is a string"},
		{config.PlainTypes("list of dynamic required, but have string"), "a list is required, and this is a string"},
		{config.PlainTypes("a number is required"), "a number is required"},
		{config.PlainTypes(`function "f" expects only 1 argument(s)`), `function "f" expects only one argument`},
		{config.PlainTypes(`function "f" expects 12 argument(s).`), `function "f" expects 12 arguments.`},
		{config.OneOf("nam", []string{"id", "name"}), `did you mean "name"?`},
		{config.OneOf("other", []string{"id", "name"}), "there are: id, name"},
		{config.OneOf("other", nil), ""},
		{config.Example(&schema.Attribute{Name: "mtu", Example: cty.NumberIntVal(1450)}), "write, for example: mtu = 1450"},
		{config.Example(&schema.Attribute{Name: "tags", Example: cty.SetVal([]cty.Value{cty.StringVal("a")})}), `write, for example: tags = ["a"]`},
		{config.Example(&schema.Attribute{Name: "network", Type: cty.String, Reference: &schema.Reference{Kind: "network"}}), "write, for example: network = network.<label>"},
		{config.Example(&schema.Attribute{Name: "x"}), "write, for example: x = …"},
	} {
		if tc.got != tc.want {
			t.Errorf("got %q, want %q", tc.got, tc.want)
		}
	}
}

func TestCircle(t *testing.T) {
	letters := func(n int) (letters []string) {
		for i := range n {
			letters = append(letters, string(rune('a'+i)))
		}
		return letters
	}
	for _, tc := range []struct{ got, want string }{
		{config.Circle([]string{"a"}, nil), "a → a"},
		{config.Circle([]string{"a", "b"}, []string{"x:1", "y:2"}), "a (x:1) → b (y:2) → a"},
		{config.Circle(letters(13), nil), "a → b → c → d → e → f → g → h → i → j → k → l → m → a"},
		{config.Circle(letters(15), letters(15)), "a (a) → b (b) → c (c) → d (d) → e (e) → f (f) → g (g) → h (h) → … 3 more … → l (l) → m (m) → n (n) → o (o) → a"},
		{config.Circle(nil, nil), ""},
	} {
		if tc.got != tc.want {
			t.Errorf("got %q, want %q", tc.got, tc.want)
		}
	}
}
