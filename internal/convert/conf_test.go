package convert_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/convert"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/resolve"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// TestConfMeansTheSame converts values and compares what the language makes of them with what
// they are in YAML.
func TestConfMeansTheSame(t *testing.T) {
	for yaml, want := range map[string]any{
		`text`:                       "text",
		`"true"`:                     "true",
		`yes`:                        true, // as Kubernetes reads it
		`'yes'`:                      "yes",
		`Off`:                        false,
		`y`:                          "y",
		`1`:                          int64(1),
		`-1`:                         int64(-1),
		`"1"`:                        "1",
		`0x1F`:                       int64(31),
		`0644`:                       int64(420),
		`1_000`:                      int64(1000),
		`9223372036854775807`:        int64(9223372036854775807),
		`4.0`:                        int64(4),
		`4.5`:                        4.5,
		`-.5`:                        -0.5,
		`1e3`:                        int64(1000),
		`1.5e-7`:                     1.5e-7,
		`~`:                          nil,
		`2001-12-14`:                 "2001-12-14",
		`"a\nb"`:                     "a\nb",
		`"a\nb\n"`:                   "a\nb\n",
		`"EOT\n"`:                    "EOT\n",
		`"  a\n b\n"`:                "  a\n b\n",
		`"\n"`:                       "\n",
		`"\n\n"`:                     "\n\n",
		`"a\r\n"`:                    "a\r\n",
		`"a ${b} %{c}\n"`:            "a ${b} %{c}\n",
		`"$${a} $$${b} %%{c} $ % {"`: "$${a} $$${b} %%{c} $ % {",
		`"$${a}\n"`:                  "$${a}\n",
		`'"'`:                        `"`,
		`'"quoted"'`:                 `"quoted"`,
		`'\'`:                        `\`,
		`"\x01\u2028\U0001F600"`:     "\x01\u2028\U0001F600",
		`""`:                         "",
		`{}`:                         map[string]any{},
		`[]`:                         []any{},
		`[[], {a: []}]`:              []any{[]any{}, map[string]any{"a": []any{}}},
		`{for: 1, null: 2, true: 3, "a b": 4, "": 5, 1: 6, "${a}": 7}`: map[string]any{
			"for": int64(1), "null": int64(2), "true": int64(3), "a b": int64(4), "": int64(5), "1": int64(6), "${a}": int64(7),
		},
		`{<<: {a: 1, b: 2}, b: 3}`:           map[string]any{"a": int64(1), "b": int64(3)},
		`{b: 3, <<: [{a: 1}, {a: 2, b: 2}]}`: map[string]any{"a": int64(1), "b": int64(3)},
		`[&x {a: 1}, *x]`:                    []any{map[string]any{"a": int64(1)}, map[string]any{"a": int64(1)}},
		`!!str 1`:                            "1",
		`["a very long text that fills a line", "and another one, so that the list is written in lines"]`: []any{
			"a very long text that fills a line", "and another one, so that the list is written in lines",
		},
		`{var: 1, each: 2, local: 3, data: 4}`: map[string]any{
			"var": int64(1), "each": int64(2), "local": int64(3), "data": int64(4),
		},
		`["a\n", {b: "c\n"}]`: []any{"a\n", map[string]any{"b": "c\n"}},
	} {
		got := confOf(t, yaml)
		if !reflect.DeepEqual(got, want) {
			a, _ := json.Marshal(got)
			b, _ := json.Marshal(want)
			t.Errorf("%s became %s (%T), want %s (%T)", yaml, a, got, b, want)
		}
	}
}

// confOf converts a value within conf, loads what came out, and returns the value there.
func confOf(t *testing.T, yaml string) any {
	t.Helper()
	text := "apiVersion: openstack.k8s.io/v1alpha1\nkind: OpenStackControlPlane\nmetadata: {name: a}\nspec: {keystone: {conf: {a: " + yaml + "}}}\n"
	result := convert.Convert(schema.New(), []convert.File{{Name: "in.yaml", Content: []byte(text)}}, convert.DefaultLimits())
	if result.Diagnostics.HasErrors() {
		t.Errorf("%s: %v", yaml, result.Diagnostics)
		return nil
	}
	cfg, diags := config.Load(schema.New(), fstest.MapFS{"cloud.hcl": {Data: result.Text()}}, ".", config.DefaultLimits())
	m, _, more := resolve.Resolve(cfg, nil)
	if len(diags)+len(more) > 0 {
		t.Errorf("%s: %v %v\n%s", yaml, diags, more, result.Text())
		return nil
	}
	plain, err := model.Plain(m.Service("keystone").Conf)
	if err != nil {
		t.Error(err)
	}
	values, _ := plain.(map[string]any)
	if _, there := values["a"]; !there {
		t.Errorf("%s: it is not there", yaml)
	}
	return values["a"]
}

// TestCommentsStay looks for every comment of a text in what comes of it.
func TestCommentsStay(t *testing.T) {
	text := `
apiVersion: openstack.k8s.io/v1alpha1
kind: OpenStackControlPlane
metadata: {name: a}
spec:
  # one
  region: RegionOne # two
  # three
  keystone:
    # four
    replicas: 2 # five
    conf:
      # six
      keystone:
        DEFAULT: # seven
          a: 1 # eight
          # nine
          b: [1, 2] # ten
          c:
            # eleven
            - 1 # twelve
            - b
`
	result := convert.Convert(schema.New(), []convert.File{{Name: "in.yaml", Content: []byte(text)}}, convert.DefaultLimits())
	checkResult(t, result)
	for _, word := range strings.Fields("one two three four five six seven eight nine ten eleven twelve") {
		if strings.Count(string(result.Text()), "# "+word+"\n") != 1 {
			t.Errorf("comment %s is not there once:\n%s", word, result.Text())
		}
	}
}
