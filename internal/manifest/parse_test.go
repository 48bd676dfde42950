package manifest

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

const twoObjects = `# what the cloud needs
apiVersion: v1
kind: ConfigMap
metadata: {name: one, creationTimestamp: null, uid: abc, resourceVersion: "5"}
data:
  text: |
    a
    --- b
--- # the second
---

apiVersion: apps/v1
kind: Deployment
metadata:
  name: two
  namespace: web
spec: {replicas: 3, big: 9007199254740993, part: 0.5, when: 2026-01-02}
status: {replicas: 3}
---
`

func TestParse(t *testing.T) {
	got, err := Parse([]byte(twoObjects))
	if err != nil {
		t.Fatal(err)
	}
	want := []Object{
		{Line: 2, Content: map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "one"}, "data": map[string]any{"text": "a\n--- b\n"},
		}},
		{Line: 12, Content: map[string]any{
			"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"name": "two", "namespace": "web"},
			"spec": map[string]any{"replicas": int64(3), "big": int64(9007199254740993), "part": 0.5, "when": "2026-01-02"},
		}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %#v\nwant %#v", got, want)
	}
}

func TestParseOtherForms(t *testing.T) {
	for name, text := range map[string]string{
		"JSON":          `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}`,
		"a list":        "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n",
		"a typed list":  "apiVersion: v1\nkind: ConfigMapList\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n",
		"a byte order":  "\ufeffapiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
		"a directive":   "%YAML 1.1\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
		"lines of DOS":  "---\r\napiVersion: v1\r\nkind: ConfigMap\r\nmetadata: {name: a}\r\n---\r\n",
		"an end":        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n...\n",
		"on the dashes": "--- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n",
	} {
		got, err := Parse([]byte(text))
		if err != nil || len(got) != 1 || got[0].Content["kind"] != "ConfigMap" {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	several := "{\"apiVersion\": \"v1\", \"kind\": \"ConfigMap\", \"metadata\": {\"name\": \"a\"}}\n\n{\"apiVersion\": \"v1\",\n\"kind\": \"ConfigMap\", \"metadata\": {\"name\": \"b\"}}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n...\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: d}\n"
	got, err := Parse([]byte(several))
	var lines []int
	for _, o := range got {
		lines = append(lines, o.Line)
	}
	if err != nil || !reflect.DeepEqual(lines, []int{1, 3, 6, 10}) {
		t.Errorf("several: %v, %v", lines, err)
	}
	for _, text := range []string{"", "# nothing\n---\n# nothing\n", "---\n---\n", "null\n"} {
		if got, err := Parse([]byte(text)); err != nil || len(got) != 0 {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}

func TestParseSaysWhatIsWrong(t *testing.T) {
	const head = "apiVersion: v1\nkind: ConfigMap\n"
	for name, c := range map[string]struct {
		text string
		line int
		says string
	}{
		"no YAML":          {head + "metadata: {name: a}\n---\n" + head + "metadata: {name: b\n", 7, "no YAML"},
		"a tab":            {head + "metadata:\n\tname: a\n", 4, "no YAML"},
		"a template":       {head + "metadata:\n  name: {{ .Values.name }}\n", 1, "no YAML"},
		"a key twice":      {head + "metadata: {name: a}\nkind: Secret\n", 4, "twice"},
		"more behind":      {"{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n{apiVersion: v1}\n", 1, "more behind"},
		"JSON, twice":      {"{\"apiVersion\": \"v1\", \"kind\": \"ConfigMap\", \"metadata\": {\"name\": \"a\"}}\n{\"kind\": \"ConfigMap\"}\n", 2, "no apiVersion"},
		"a JSON key twice": {"{\"apiVersion\": \"v1\", \"kind\": \"ConfigMap\",\n\"kind\": \"ConfigMap\", \"metadata\": {\"name\": \"a\"}}\n", 2, "twice"},
		"JSON, too often":  {strings.Repeat("{}\n", 1<<17), 1, "more behind"},
		"no text":          {head + "metadata: {name: \"\xff\"}\n", 1, "UTF-8"},
		"a text":           {"\n\nhello\n", 3, "is a map"},
		"a list of lists":  {"- - {}\n", 1, "is a list"},
		"no version":       {"kind: ConfigMap\nmetadata: {name: a}\n", 1, "no apiVersion"},
		"a number":         {"apiVersion: 1\nkind: ConfigMap\nmetadata: {name: a}\n", 1, "apiVersion is no text"},
		"no kind":          {"apiVersion: v1\nmetadata: {name: a}\n", 1, "no kind"},
		"no name":          {head + "metadata: {}\n", 1, "no metadata.name"},
		"no metadata":      {head, 1, "no metadata.name"},
		"a made-up name":   {head + "metadata: {generateName: a-}\n", 1, "generateName"},
		"no namespace":     {head + "metadata: {name: a, namespace: 5}\n", 1, "is no text"},
		"a label":          {head + "metadata: {name: a, labels: {tier: 1}}\n", 1, `the value of "tier" is no text`},
		"annotations":      {head + "metadata: {name: a, annotations: [b]}\n", 1, "annotations of the ConfigMap a is no map"},
		"a kustomization":  {"apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [a.yaml]\n", 1, "kustomization"},
		"encrypted":        {head + "metadata: {name: a}\nsops: {mac: x}\n", 1, "encrypted"},
		"a large number":   {head + "metadata: {name: a}\ndata: {n: 99999999999999999999}\n", 1, "digits"},
		"deep":             {head + "metadata: {name: a}\nspec: " + strings.Repeat("[", 300) + strings.Repeat("]", 300) + "\n", 1, "deep"},
		"deep by lines":    {head + "metadata: {name: a}\nspec:\n" + deepLines(250), 1, "deep"},
		"many aliases":     {head + "metadata: {name: a}\n" + bomb(), 1, ""},
		"the second of it": {head + "metadata: {name: a}\n---\n" + head + "metadata: {}\n", 5, "no metadata.name"},
	} {
		objects, err := Parse([]byte(c.text))
		var wrong *Error
		if !errors.As(err, &wrong) {
			t.Errorf("%s: %v, %v", name, objects, err)
			continue
		}
		if wrong.Line != c.line || !strings.Contains(wrong.Text, c.says) || wrong.Hint == "" {
			t.Errorf("%s: line %d: %s (%s)", name, wrong.Line, wrong.Text, wrong.Hint)
		}
	}
}

func deepLines(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i+1) + "a:\n")
	}
	return b.String()
}

// bomb is a document that aliases make many times larger than it is.
func bomb() string {
	var b strings.Builder
	b.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := range 8 {
		name := string(rune('1' + i))
		b.WriteString("a" + name + ": &a" + name + " [" + strings.TrimSuffix(strings.Repeat("*a"+string(rune('0'+i))+", ", 10), ", ") + "]\n")
	}
	return b.String()
}

// The cluster fills in the rules of a role that is put together of others, and those that stand there are a place for them.
func TestRulesThatAreFilledIn(t *testing.T) {
	for text, want := range map[string]bool{"aggregationRule: {clusterRoleSelectors: [{matchLabels: {a: b}}]}\n": false, "": true} {
		got, err := Parse([]byte("apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: all}\nrules: []\n" + text))
		if err != nil || len(got) != 1 {
			t.Fatalf("%v, %v", got, err)
		}
		if _, has := got[0].Content["rules"]; has != want {
			t.Errorf("%q: %v", text, got[0].Content)
		}
	}
}

func TestObjectsTakesOneOrSeveral(t *testing.T) {
	one := map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "a", "uid": "u"}, "status": map[string]any{}}
	for _, v := range []any{one, []any{one}} {
		got, err := Objects(v)
		if err != nil || len(got) != 1 || got[0].Content["status"] != nil {
			t.Errorf("%v, %v", got, err)
		}
	}
	if one["status"] == nil || one["metadata"].(map[string]any)["uid"] != "u" {
		t.Error("what was given is changed")
	}
	if _, err := Objects(make([]any, 0)); err != nil {
		t.Error(err)
	}
	many := make([]any, maxObjects+1)
	for i := range many {
		many[i] = one
	}
	if _, err := Objects(many); err == nil {
		t.Error("there can be any number")
	}
}

// FuzzParse has anybody's bytes: what comes out are objects that can be applied, or an error with a line of
// the file and a hint.
func FuzzParse(f *testing.F) {
	for _, text := range []string{twoObjects, bomb(), "--- {}\n", "\ufeff---\n", "a: &a [*a]\n", "apiVersion: v1\nkind: List\nitems: [{kind: List}]\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		objects, err := Parse(text)
		var wrong *Error
		if err != nil && (!errors.As(err, &wrong) || wrong.Line < 1 || wrong.Line > strings.Count(string(text), "\n")+1 || wrong.Text == "" || wrong.Hint == "") {
			t.Fatalf("%#v", err)
		}
		for _, o := range objects {
			metadata, _ := o.Content["metadata"].(map[string]any)
			if name, _ := metadata["name"].(string); name == "" || o.Content["kind"] == "" || o.Line < 1 {
				t.Fatalf("%#v", o)
			}
		}
	})
}
