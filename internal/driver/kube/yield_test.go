package kube

import (
	"reflect"
	"slices"
	"testing"

	"sigs.k8s.io/yaml"
)

func TestYield(t *testing.T) {
	object := func(kind, rest string) string {
		return "apiVersion: v1\nkind: " + kind + "\nmetadata: {name: x, namespace: o}\n" + rest
	}
	pod := func(rest string) string { return object("Deployment", "spec: {template: {spec: {"+rest+"}}}") }
	tests := []struct{ name, path, desired, live, want string }{
		{"what live has", "spec.replicas", object("D", "spec: {replicas: 1, a: 1}"), object("D", "spec: {replicas: 5, a: 2}"), object("D", "spec: {replicas: 5, a: 1}")},
		{"what live has not", "spec.replicas", object("D", "spec: {replicas: 1, a: 1}"), object("D", "spec: {a: 2}"), object("D", "spec: {a: 1}")},
		{"what only live has", "spec.replicas", object("D", "spec: {a: 1}"), object("D", "spec: {replicas: 5}"), object("D", "spec: {a: 1}")},
		{"what nobody has", "spec.other.thing", object("D", "spec: {a: 1}"), object("D", "spec: {a: 1}"), object("D", "spec: {a: 1}")},
		{"all below a field", "spec.a", object("D", "spec: {a: {b: 1, c: 1}}"), object("D", "spec: {a: {b: 2, d: 3}}"), object("D", "spec: {a: {b: 2, d: 3}}")},
		{"another type than live has", "spec.a.b", object("D", "spec: {a: {b: 1}}"), object("D", "spec: {a: text}"), object("D", "spec: {a: {b: 1}}")},
		{"a key with dots", "data[a.conf]", object("C", "data: {a.conf: x, b: y}"), object("C", "data: {a.conf: z, b: z}"), object("C", "data: {a.conf: z, b: y}")},
		{
			"an annotation", "metadata.annotations[example.org/a]", "kind: C\nmetadata: {annotations: {example.org/a: x, b: y}}",
			"kind: C\nmetadata: {}", "kind: C\nmetadata: {annotations: {b: y}}",
		},
		{
			"an element by its name", "spec.template.spec.containers[api].image", pod("containers: [{name: api, image: a}, {name: b, image: a}]"),
			pod("containers: [{name: mesh, image: z}, {name: b, image: z}, {name: api, image: z}]"), pod("containers: [{name: api, image: z}, {name: b, image: a}]"),
		},
		{
			"every element", "spec.template.spec.containers[*].image", pod("containers: [{name: api, image: a}, {name: b, image: a}]"),
			pod("containers: [{name: api, image: y}, {name: b}]"), pod("containers: [{name: api, image: y}, {name: b}]"),
		},
		{
			"an element that is missing keeps its own", "spec.template.spec.containers[api].image", pod("containers: [{name: api, image: a}]"),
			pod("containers: [{name: b, image: z}]"), pod("containers: [{name: api, image: a}]"),
		},
		{
			"a whole element", "spec.template.spec.volumes[v]", pod("volumes: [{name: v, emptyDir: {}}, {name: w}]"),
			pod("volumes: [{name: w}, {name: v, secret: {}}, {name: mesh}]"), pod("volumes: [{name: v, secret: {}}, {name: w}]"),
		},
		{
			"a whole element that somebody took away", "spec.template.spec.volumes[v]", pod("volumes: [{name: v}, {name: w}]"),
			pod("volumes: [{name: w}]"), pod("volumes: [{name: w}]"),
		},
		{
			"the second of a name", "spec.template.spec.containers[a].env[X].value", pod("containers: [{name: a, env: [{name: X, value: '1'}, {name: X, value: '2'}]}]"),
			pod("containers: [{name: a, env: [{name: X, value: '3'}, {name: X, value: '4'}]}]"), pod("containers: [{name: a, env: [{name: X, value: '3'}, {name: X, value: '4'}]}]"),
		},
		{
			"a path as what identifies a mount", "spec.template.spec.containers[a].volumeMounts[/etc/a.conf].subPath",
			pod("containers: [{name: a, volumeMounts: [{name: v, mountPath: /etc/a.conf, subPath: x}]}]"), pod("containers: [{name: a, volumeMounts: [{name: w, mountPath: /etc/a.conf, subPath: y}]}]"),
			pod("containers: [{name: a, volumeMounts: [{name: v, mountPath: /etc/a.conf, subPath: y}]}]"),
		},
		{
			"an element by its place", "spec.template.spec.tolerations[1].key", pod("tolerations: [{key: a}, {key: b}]"),
			pod("tolerations: [{key: y}, {key: z}, {key: x}]"), pod("tolerations: [{key: a}, {key: z}]"),
		},
		{
			"elements beyond those wanted", "spec.template.spec.tolerations[*]", pod("tolerations: [{key: a}]"),
			pod("tolerations: [{key: y}, {key: z}]"), pod("tolerations: [{key: y}, {key: z}]"),
		},
		{
			"elements that are fewer than those wanted", "spec.template.spec.tolerations[1]", pod("tolerations: [{key: a}, {key: b}]"),
			pod("tolerations: [{key: y}]"), pod("tolerations: [{key: a}]"),
		},
		{
			"an element that others added and nobody may share", "webhooks[theirs]", object("W", "webhooks: [{name: ours, url: a}]"),
			object("W", "webhooks: [{name: ours, url: z}, {name: theirs}]"), object("W", "webhooks: [{name: ours, url: a}, {name: theirs}]"),
		},
		{
			"authorities", "webhooks[*].clientConfig.caBundle", object("W", "webhooks: [{name: a, clientConfig: {caBundle: Cg==, service: {}}}, {name: b, clientConfig: {}}]"),
			object("W", "webhooks: [{name: a, clientConfig: {caBundle: QQ==}}, {name: b, clientConfig: {caBundle: QQ==}}]"),
			object("W", "webhooks: [{name: a, clientConfig: {caBundle: QQ==, service: {}}}, {name: b, clientConfig: {}}]"),
		},
		{
			"a key of a Secret that was written as text", "data.a", object("Secret", "stringData: {a: x, b: q}"),
			object("Secret", "data: {a: eg==, b: eg==}"), object("Secret", "data: {a: eg==, b: cQ==}"),
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			desired, live := parse(t, test.desired), parse(t, test.live)
			before, there := desired.DeepCopy(), live.DeepCopy()
			c := &Cluster{}
			got := c.Yield(desired, live, []string{test.path})
			if want := parse(t, test.want); !reflect.DeepEqual(got.Object, want.Object) {
				text, _ := yaml.Marshal(got.Object)
				t.Errorf("got\n%s", text)
			}
			if !reflect.DeepEqual(desired, before) || !reflect.DeepEqual(live, there) {
				t.Error("one of the objects has changed")
			}
			for _, field := range c.Compare(got, live) {
				if field.Path == test.path {
					t.Errorf("it still differs: %v", field)
				}
			}
			if again := c.Yield(got, live, []string{test.path}); !reflect.DeepEqual(again.Object, got.Object) {
				t.Error("it is another one the second time")
			}
		})
	}
}

// Whatever path a comparison shows can be left to others.
func TestEveryPathThatIsShownCanBeLeft(t *testing.T) {
	desired := parse(t, `{apiVersion: apps/v1, kind: Deployment, metadata: {name: x, labels: {a.b/c: d}, annotations: {e: f}, finalizers: [g]}, spec: {replicas: 1, template: {spec: {
		containers: [{name: a, image: i, args: [b, c], ports: [{containerPort: 80}], env: [{name: X, value: y}], volumeMounts: [{name: v, mountPath: /a.b}]}], tolerations: [{key: k}], nodeSelector: {l: m}}}}}`)
	live := parse(t, `{apiVersion: apps/v1, kind: Deployment, metadata: {name: x, labels: {a.b/c: z}, annotations: {e: z}}, spec: {replicas: 9, template: {spec: {
		containers: [{name: a, image: z, args: [z, c], ports: [{containerPort: 80, name: z, hostPort: 1}], env: [{name: X, value: z}], volumeMounts: [{name: z, mountPath: /a.b}]}], tolerations: [{key: k}, {key: z}], nodeSelector: {l: z}}}}}`)
	c := &Cluster{}
	fields := c.Compare(desired, live)
	if len(fields) < 10 {
		t.Fatalf("only %d differences", len(fields))
	}
	var paths []string
	for _, field := range fields {
		paths = append(paths, field.Path)
		left := c.Compare(c.Yield(desired, live, []string{field.Path}), live)
		if len(left) != len(fields)-1 || lines(left) == lines(fields) {
			t.Errorf("without %s there are %q", field.Path, lines(left))
		}
		if !c.HasField(desired, field.Path) && !c.HasField(live, field.Path) {
			t.Errorf("%s leads to nothing", field.Path)
		}
	}
	if left := c.Compare(c.Yield(desired, live, paths), live); len(left) > 0 {
		t.Errorf("left are %q", lines(left))
	}
	for _, path := range []string{"spec.replica", "spec.template.spec.containers[b]", "spec.template.spec.containers[a].image.x", "data"} {
		if c.HasField(desired, path) || c.HasField(live, path) {
			t.Errorf("%s leads to something", path)
		}
	}
}

func TestStepsOfPaths(t *testing.T) {
	for path, want := range map[string][]string{
		"spec.replicas": {"spec", "replicas"}, "data[a.conf]": {"data", "a.conf"}, "a[b][c/d.e].f[*].*": {"a", "b", "c/d.e", "f", "*", "*"},
		"": nil, "a[b": {"a", "[b"}, "a..b": {"a", ".b"},
	} {
		if got := stepsOf(path); !slices.Equal(got, want) {
			t.Errorf("%q: got %q", path, got)
		}
	}
}
