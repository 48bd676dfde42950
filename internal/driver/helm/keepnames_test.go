package helm

import (
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// withGroups is what the chart makes of nova-compute where nodes of these slots have DaemonSets of their own: that of the
// others, and its configuration, whose hash covers the name.
func withGroups(slots, ratio string) string {
	name, affinity := "nova-compute-default", ""
	if slots != "" {
		name += "-" + hashOf(slots)[:8]
		affinity = `
      affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: slot, operator: NotIn, values: [` + slots + `]}]}]}}}`
	}
	return `---
# Source: nova/templates/daemonset-compute.yaml
apiVersion: v1
kind: Secret
metadata: {name: ` + name + `}
data: {nova.conf: ` + ratio + `}
---
# Source: nova/templates/daemonset-compute.yaml
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: ` + name + `}
spec:
  updateStrategy: {type: OnDelete}
  template:
    metadata: {annotations: {configmap-etc-hash: ` + hashOf(name, ratio) + `}}
    spec:
      volumes: [{name: etc, secret: {secretName: ` + name + `}}, {name: bin, secret: {secretName: nova-bin}}, {name: run, hostPath: {path: /run}}]` + affinity + `
`
}

// TestKeepNames: a further group leaves the DaemonSet of the other nodes as it is, with its pods; that of a cloud that the
// chart itself named keeps the name.
func TestKeepNames(t *testing.T) {
	spec := &unit.Release{OnDelete: true, Remainders: []unit.Remainder{{Name: "nova-compute-default", Label: "slot"}}}
	amended := func(slots, ratio, before string) string {
		t.Helper()
		after, err := Amended(spec, withGroups(slots, ratio), before)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := Amended(spec, withGroups(slots, ratio), after); err != nil || again != after {
			t.Errorf("after\n%s\ncomes\n%s (%v)", after, again, err)
		}
		return after
	}
	fresh := amended("1,0", "a", "")
	for _, want := range []string{"name: nova-compute-default\n", "secretName: nova-compute-default\n", "secretName: nova-bin\n", "operator: DoesNotExist\n"} {
		if !strings.Contains(fresh, want) {
			t.Errorf("there is no %q in\n%s", want, fresh)
		}
	}
	if got := amended("2,1,0", "a", fresh); got != fresh {
		t.Errorf("with a further group it is\n%s\nwant\n%s", got, fresh)
	}
	changed := amended("2,1,0", "b", fresh)
	if hash := hashIn(t, changed); hash == hashIn(t, fresh) {
		t.Error("another configuration replaces no pods")
	}
	if got := withGroups("", "a"); amended("", "a", "") != got {
		t.Errorf("without groups it is\n%s", amended("", "a", ""))
	}

	old := withGroups("1,0", "a")
	if got := amended("1,0", "a", old); got != old {
		t.Errorf("of\n%s\ncomes\n%s", old, got)
	}
	if got := amended("1,0", "b", old); got != withGroups("1,0", "b") {
		t.Errorf("with another configuration it is\n%s", got)
	}
	second := amended("2,1,0", "a", old)
	if want := strings.ReplaceAll(fresh, "nova-compute-default", "nova-compute-default-"+hashOf("1,0")[:8]); second != want {
		t.Errorf("with a further group it is\n%s\nwant\n%s", second, want)
	}
	if got := amended("3,2,1,0", "a", second); got != second {
		t.Errorf("with one more it is\n%s\nwant\n%s", got, second)
	}
	if got := amended("1,0", "a", second); got != second {
		t.Errorf("with the groups of the beginning it is\n%s\nwant\n%s", got, second)
	}
	as := &unit.Release{OnDelete: true, Remainders: []unit.Remainder{{Name: "nova-compute-default"}}}
	named, err := Amended(as, withGroups("2,1,0", "a"), old)
	if want := "nova-compute-default-" + hashOf("1,0")[:8]; err != nil || !strings.Contains(named, "name: "+want+"\n") || !strings.Contains(named, "operator: NotIn\n") || strings.Contains(named, "DoesNotExist") {
		t.Errorf("where the nodes are as the chart chooses them it is\n%s (%v)", named, err)
	}
	if none, err := Amended(&unit.Release{}, old, ""); err != nil || none != old {
		t.Errorf("nobody asked for\n%s (%v)", none, err)
	}
}

// hashIn is that of the configuration of the DaemonSet among documents.
func hashIn(t *testing.T, documents string) string {
	t.Helper()
	var set struct {
		Spec struct {
			Template struct {
				Metadata struct{ Annotations map[string]string }
			}
		}
	}
	if err := yaml.Unmarshal([]byte(documents[strings.LastIndex(documents, "---\n"):]), &set); err != nil {
		t.Fatal(err)
	}
	return set.Spec.Template.Metadata.Annotations[configurationHash]
}

// TestAmendmentOfObjects: what is compared with the cluster is what Helm sends.
func TestAmendmentOfObjects(t *testing.T) {
	d, a := &Driver{}, amendment{leave: true, remainders: []unit.Remainder{{Name: "nova-compute-default", Label: "slot"}}}
	text, err := Amended(&unit.Release{OnDelete: true, Remainders: a.remainders}, withGroups("1,0", "a"), "")
	if err != nil {
		t.Fatal(err)
	}
	scopes := map[schema.GroupKind]bool{{Kind: kindSecret}: true, {Group: "apps", Kind: kindDaemonSet}: true}
	objects, err := d.parse(split(withGroups("1,0", "a")), "o", scopes)
	if err != nil {
		t.Fatal(err)
	}
	a.apply(objects)
	sent, err := d.parse(split(text), "o", scopes)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(objects, sent) {
		t.Errorf("%v\nis not\n%v", objects, sent)
	}
}

// TestStanding: the names are those in force, and not those of an upgrade that failed.
func TestStanding(t *testing.T) {
	inForceNow, tried := daemonSet("a", onDelete, "1", ""), daemonSet("b", onDelete, "1", "")
	r := &revision{inForce: []held{{object: inForceNow}}}
	r.objects = append(r.objects, tried)
	if got := r.standing(); len(got) != 2 || got[0] != inForceNow || got[1] != tried {
		t.Errorf("%v", got)
	}
	if got := (*revision)(nil).standing(); got != nil {
		t.Errorf("%v", got)
	}
}
