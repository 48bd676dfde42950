//go:build beds

package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/kupenstack/kupenstack-sync/test/world"
)

const foughtCloud = `cloud "edge" {}

node "node-1" { roles = ["compute"] }

manifest "space" {
  objects = { apiVersion = "v1", kind = "Namespace", metadata = { name = "fights" } }
}

manifest "data" {
  objects    = { apiVersion = "v1", kind = "ConfigMap", metadata = { name = "data", namespace = "fights" }, data = { text = "ours" } }
  depends_on = [manifest.space]
}

manifest "label" {
  objects    = { apiVersion = "v1", kind = "ConfigMap", metadata = { name = "label", namespace = "fights", labels = { team = "ours" } }, data = { text = "ours" } }
  depends_on = [manifest.space]
}

manifest "gone" {
  objects    = { apiVersion = "v1", kind = "ConfigMap", metadata = { name = "gone", namespace = "fights", labels = { team = "ours" } }, data = { text = "ours" } }
  depends_on = [manifest.space]
}

manifest "both" {
  objects    = { apiVersion = "v1", kind = "ConfigMap", metadata = { name = "both", namespace = "fights", annotations = { "example.org/team" = "ours" } }, data = { text = "ours" } }
  depends_on = [manifest.space]
}

manifest "item" {
  objects = {
    apiVersion = "apps/v1", kind = "Deployment", metadata = { name = "item", namespace = "fights" }
    spec = {
      replicas = 0
      selector = { matchLabels = { app = "item" } }
      template = {
        metadata = { labels = { app = "item" } }
        spec     = { containers = [{ name = "one", image = "registry.example/one:1" }, { name = "two", image = "registry.example/two:1" }] }
      }
    }
  }
  depends_on = [manifest.space]
}

chart "released" {
  repository = "more"
  namespace  = "released"
}
`

// fight is about an object of a unit: what somebody writes each time it is not so, and what is told of it.
type fight struct {
	unit, resource, namespace, name string
	theirs                          string // as a patch, which has the text theirs
	beside                          string // as another patch, of what nobody else writes, with a number
	told                            string // the paths of what is changed back
}

func fights() []fight {
	const data, counter = `{"data":{"text":"theirs"}}`, `{"data":{"counter":"%d"}}`
	containers := func(text string) string { return `{"spec":{"template":{"spec":{"containers":[` + text + `]}}}}` }
	return []fight{
		{"manifest.data", "configmaps", "fights", "data", data, counter, "data.text"},
		{"manifest.label", "configmaps", "fights", "label", `{"metadata":{"labels":{"team":"theirs"}}}`, `{"metadata":{"labels":{"counter":"%d"}}}`, "metadata.labels.team"},
		{"manifest.gone", "configmaps", "fights", "gone", `{"metadata":{"labels":{"team":null}}}`, counter, "metadata.labels.team"}, // which leaves no name
		{
			"manifest.both", "configmaps", "fights", "both", `{"metadata":{"annotations":{"example.org/team":"theirs"}},"data":{"text":"theirs"}}`, counter,
			"metadata.annotations[example.org/team], data.text",
		},
		{
			"manifest.item", "deployments", "fights", "item", containers(`{"name":"two","image":"theirs"}`),
			containers(`{"name":"one","env":[{"name":"COUNTER","value":"%d"}]}`), "spec.template.spec.containers[two].image",
		},
		{"chart.released", "configmaps", "released", "released", `{"metadata":{"labels":{"team":"theirs"}}}`, counter, "ConfigMap released/released: metadata.labels.team"},
		{"node.node-1", "nodes", "", "node-1", `{"metadata":{"labels":{"openstack-compute-node":"theirs"}}}`, `{"metadata":{"labels":{"counter":"%d"}}}`, "metadata.labels.openstack-compute-node"},
	}
}

// has tells whether an object has all that a patch of it would write.
func has(there, wanted any) bool {
	switch wanted := wanted.(type) {
	case map[string]any:
		fields, _ := there.(map[string]any)
		for key, value := range wanted {
			if !has(fields[key], value) {
				return false
			}
		}
		return true
	case []any:
		items, _ := there.([]any)
		for _, value := range wanted {
			if !slices.ContainsFunc(items, func(item any) bool { return has(item, value) }) {
				return false
			}
		}
		return true
	default:
		return there == wanted
	}
}

// goesOn changes back what is put right until the context ends. Somebody else writes right after that.
func (f *fight) goesOn(ctx context.Context, client dynamic.Interface) error {
	resource := schema.GroupVersionResource{Version: "v1", Resource: f.resource}
	if f.resource == "deployments" {
		resource.Group = "apps"
	}
	objects := dynamic.ResourceInterface(client.Resource(resource))
	if f.namespace != "" {
		objects = client.Resource(resource).Namespace(f.namespace)
	}
	var theirs any
	if err := json.Unmarshal([]byte(f.theirs), &theirs); err != nil {
		return err
	}
	written := 0
	for ctx.Err() == nil { // a server ends watches
		seen, err := objects.Watch(ctx, metav1.ListOptions{FieldSelector: "metadata.name=" + f.name})
		if err != nil {
			return err
		}
		for event := range seen.ResultChan() {
			object, ok := event.Object.(*unstructured.Unstructured)
			if !ok || has(object.Object, theirs) {
				continue
			}
			written++
			for _, write := range [][2]string{{otherManager, f.theirs}, {"bystander", fmt.Sprintf(f.beside, written)}} {
				_, err := objects.Patch(ctx, f.name, types.StrategicMergePatchType, []byte(write[1]), metav1.PatchOptions{FieldManager: write[0]})
				if err != nil {
					return fmt.Errorf("%s as %s: %w", f.unit, write[0], err)
				}
			}
		}
	}
	return nil
}

// otherManager is who changes back what we put right.
const otherManager = "argocd-controller"

// TestFights has somebody change back whatever we put right, in all that an object has, and somebody else write other
// fields of the same object right after that. What is told names the first one, or, of what was taken away, the
// second one, as there the first has nothing of the object.
func TestFights(t *testing.T) {
	t.Parallel()
	w := world.WithoutOpenStack(t)
	w.Describe(t, "edge.hcl", foughtCloud)
	w.Files.Write("more/released/Chart.yaml", "apiVersion: v2\nname: released\nversion: 1.0.0\n")
	w.Files.Write("more/released/templates/all.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: released, labels: {team: ours}}\ndata: {text: ours}\n")
	commit := w.Push(t, "Describe what others fight over")
	w.StartDaemon(t, "fights")
	w.AwaitVerdict(t, converges, "converged", commit)

	client, err := dynamic.NewForConfig(w.Cluster.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	t.Cleanup(func() {
		cancel()
		all.Wait()
	})
	for _, f := range fights() {
		all.Go(func() {
			if err := f.goesOn(ctx, client); err != nil && ctx.Err() == nil {
				t.Error(err)
			}
		})
	}
	told := map[string]bool{} // a while later it is tried once more, and says so
	world.Await(t, reacts, func() (bool, string) {
		var left strings.Builder
		status, _ := w.ReadStatus(t)
		for _, f := range fights() {
			want := fmt.Sprintf("the field manager %q changes %s back each time", otherManager, f.told)
			// Where it is changed back so fast that the daemon never finds it right, it cannot know that it ever was.
			never := fmt.Sprintf("it was tried several times and had no effect that lasts: %s; the field manager %q wrote last", f.told, otherManager)
			if strings.Contains(f.theirs, "null") {
				want = fmt.Sprintf("somebody else changes %s back each time; who takes something away leaves no name, and the last to write to the object beside us were \"bystander\" at ", f.told)
				never = "it was tried several times and had no effect that lasts: " + f.told
			}
			switch u := status.Unit(f.unit); {
			case u == nil:
				fmt.Fprintf(&left, "%s is not in the report\n", f.unit)
			case u.Phase == "failed" && (strings.HasPrefix(u.Reason, want) && len(u.Reason) <= len(want)+len(time.RFC3339) || u.Reason == never):
				told[f.unit] = true
			case u.Phase == "failed":
				t.Fatalf("%s: %q, want %q", f.unit, u.Reason, want)
			case !told[f.unit]:
				fmt.Fprintf(&left, "%s: %s %q, want %q\n", f.unit, u.Phase, u.Reason, want)
			}
		}
		return left.Len() == 0, left.String()
	})
}
