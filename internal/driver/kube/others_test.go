package kube

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// deploymentOfMany is as an API server gave it after we, kubectl, Argo CD, an autoscaler and an injector wrote to it.
const deploymentOfMany = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"api","namespace":"o",
"labels":{"app":"api","team":"theirs"},"annotations":{"example.org/team":"theirs","deployment.kubernetes.io/revision":"4"},"finalizers":["example.org/a"],
"managedFields":[
{"manager":"kupenstack","operation":"Apply","apiVersion":"apps/v1","time":"2026-01-01T00:00:09Z","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:labels":{"f:app":{}}},"f:spec":{"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"api\"}":{".":{},"f:name":{}}}}}}}},
{"manager":"kubectl-label","operation":"Update","apiVersion":"apps/v1","time":"2026-01-01T00:00:02Z","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:labels":{"f:team":{}},"f:finalizers":{".":{},"v:\"example.org/a\"":{}}}}},
{"manager":"argocd-controller","operation":"Apply","apiVersion":"apps/v1","time":"2026-01-01T00:00:03Z","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:labels":{"f:team":{}},"f:annotations":{"f:example.org/team":{}}},"f:spec":{"f:strategy":{"f:type":{}},"f:template":{"f:spec":{"f:nodeSelector":{},"f:tolerations":{},"f:containers":{"k:{\"name\":\"api\"}":{".":{},"f:image":{},"f:args":{},"f:resources":{},"f:ports":{"k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{},"f:name":{}}},"f:env":{"k:{\"name\":\"LEVEL\"}":{".":{},"f:name":{},"f:value":{}}}}}}}}}},
{"manager":"vpa","operation":"Update","apiVersion":"apps/v1","time":"2026-01-01T00:00:04Z","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"api\"}":{"f:resources":{"f:limits":{".":{},"f:cpu":{}}}}}}}}}},
{"manager":"injector","operation":"Update","apiVersion":"apps/v1","time":"2026-01-01T00:00:08Z","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"sidecar\"}":{".":{},"f:name":{},"f:image":{},"f:args":{},"f:env":{".":{},"k:{\"name\":\"LEVEL\"}":{".":{},"f:name":{},"f:value":{}}}}}}}}}},
{"manager":"kube-controller-manager","operation":"Update","apiVersion":"apps/v1","time":"2026-01-01T00:00:07Z","fieldsType":"FieldsV1","subresource":"scale","fieldsV1":{"f:spec":{"f:replicas":{}}}},
{"manager":"kube-controller-manager","operation":"Update","apiVersion":"apps/v1","time":"2026-01-01T00:00:09Z","fieldsType":"FieldsV1","subresource":"status","fieldsV1":{"f:metadata":{"f:annotations":{".":{},"f:deployment.kubernetes.io/revision":{}}},"f:status":{"f:replicas":{},"f:conditions":{".":{},"k:{\"type\":\"Available\"}":{".":{},"f:type":{}}}}}},
{"manager":"kupenstack-helm","operation":"Update","apiVersion":"apps/v1","time":"2026-01-01T00:00:09Z","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:paused":{}}}}
]},
"spec":{"replicas":7,"paused":true,"strategy":{"type":"Recreate"},"template":{"metadata":{"labels":{"app":"api"}},"spec":{"nodeSelector":{"zone":"theirs"},"tolerations":[{"key":"theirs","operator":"Exists"}],
"containers":[
{"name":"sidecar","image":"theirs","args":["theirs"],"env":[{"name":"LEVEL","value":"theirs"}]},
{"name":"api","image":"theirs","args":["theirs"],"resources":{"limits":{"cpu":"9"}},"ports":[{"name":"theirs","containerPort":80,"protocol":"TCP"}],"env":[{"name":"LEVEL","value":"theirs"}]}
]}}},"status":{"replicas":7}}`

// TestWhoWroteAField: a difference names the one who wrote that field last and is none of ours, by its path; nobody who
// wrote others of the object, however lately, and nobody where it was taken away.
func TestWhoWroteAField(t *testing.T) {
	const at = "spec: {template: {spec: {containers: [{name: api, "
	for want, differs := range map[string]string{
		`metadata.labels.team "argocd-controller"`:                                          "metadata: {labels: {team: ours}}",
		`metadata.labels.app ""`:                                                            "metadata: {labels: {app: ours}}",
		`metadata.labels.gone ""`:                                                           "metadata: {labels: {gone: ours}}",
		`metadata.annotations[example.org/team] "argocd-controller"`:                        "metadata: {annotations: {example.org/team: ours}}",
		`metadata.annotations[deployment.kubernetes.io/revision] "kube-controller-manager"`: `metadata: {annotations: {deployment.kubernetes.io/revision: "1"}}`,
		`metadata.finalizers ""`:                                                            "metadata: {finalizers: [ours]}",
		`spec.replicas "kube-controller-manager"`:                                           "spec: {replicas: 1}",
		`spec.paused ""`:                                                                    "spec: {paused: false}",
		`spec.minReadySeconds ""`:                                                           "spec: {minReadySeconds: 5}",
		`spec.template.spec.containers[api].image "argocd-controller"`:                      at + "image: ours}]}}}",
		`spec.template.spec.containers[sidecar].image "injector"`:                           "spec: {template: {spec: {containers: [{name: sidecar, image: ours}]}}}",
		`spec.template.spec.containers[api].env[LEVEL].value "argocd-controller"`:           at + "env: [{name: LEVEL, value: ours}]}]}}}",
		`spec.template.spec.containers[api].env[GONE] ""`:                                   at + "env: [{name: GONE, value: ours}]}]}}}",
		`spec.template.spec.containers[sidecar].env[LEVEL].value "injector"`:                "spec: {template: {spec: {containers: [{name: sidecar, env: [{name: LEVEL, value: ours}]}]}}}",
		`spec.template.spec.containers[api].ports[80/TCP].name "argocd-controller"`:         at + "ports: [{name: ours, containerPort: 80, protocol: TCP}, {containerPort: 80, protocol: UDP}]}]}}}",
		`spec.template.spec.containers[api].args[0] "argocd-controller"`:                    at + "args: [ours]}]}}}",
		`spec.template.spec.containers[api].args "argocd-controller"`:                       at + "args: [ours, more]}]}}}",
		`spec.template.spec.tolerations[0].key "argocd-controller"`:                         "spec: {template: {spec: {tolerations: [{key: ours, operator: Exists}]}}}",
		`spec.template.spec.tolerations[1] "argocd-controller"`:                             "spec: {template: {spec: {tolerations: [{key: theirs, operator: Exists}, {key: ours}]}}}",
		`spec.template.spec.nodeSelector.zone "argocd-controller"`:                          "spec: {template: {spec: {nodeSelector: {zone: ours}}}}",
		`spec.template.spec.containers[api].resources.limits.cpu "vpa"`:                     at + `resources: {limits: {cpu: "1"}}}]}}}`,
		`spec.template.spec.containers[api].resources.limits.memory ""`:                     at + "resources: {limits: {memory: 1Gi}}}]}}}",
		`spec.template.spec.containers[gone] ""`:                                            "spec: {template: {spec: {containers: [{name: gone, image: ours}]}}}",
	} {
		t.Run(want, func(t *testing.T) {
			live := &unstructured.Unstructured{}
			if err := live.UnmarshalJSON([]byte(deploymentOfMany)); err != nil {
				t.Fatal(err)
			}
			path, by, _ := strings.Cut(want, " ")
			for _, field := range (&Cluster{}).Compare(parse(t, "apiVersion: apps/v1\nkind: Deployment\n"+differs), strip(strip(live))) {
				if field.Path == path {
					if got := `"` + field.By + `"`; got != by {
						t.Errorf("%s wrote it", got)
					}
					return
				}
			}
			t.Error("it is no difference")
		})
	}
}

// TestWhoElseWroteToTheObject: of what was taken away, as labels and annotations can be, nobody is on record; those who wrote to the
// object are told, and not who only wrote its status.
func TestWhoElseWroteToTheObject(t *testing.T) {
	live := &unstructured.Unstructured{}
	if err := live.UnmarshalJSON([]byte(deploymentOfMany)); err != nil {
		t.Fatal(err)
	}
	fields := (&Cluster{}).Compare(parse(t, "apiVersion: apps/v1\nkind: Deployment\nmetadata: {labels: {gone: ours, team: ours}}"), strip(strip(live)))
	want := map[string]string{
		"metadata.labels.gone": `"injector" at 2026-01-01T00:00:08Z, "kube-controller-manager" at 2026-01-01T00:00:07Z, "vpa" at 2026-01-01T00:00:04Z`,
		"metadata.labels.team": "",
	}
	for _, f := range fields {
		if beside, ok := want[f.Path]; !ok || f.Beside != beside {
			t.Errorf("of %s it is told: %s", f.Path, f.Beside)
		}
	}
	if len(fields) != len(want) {
		t.Errorf("there are %d differences", len(fields))
	}
}

// TestWhoWroteToOthersObjects: so it is with what we write of objects that are not ours, of which nearly all else that
// kubelets and others write is dropped.
func TestWhoWroteToOthersObjects(t *testing.T) {
	entry := func(manager, second, fields string) string {
		return `{"manager":"` + manager + `","operation":"Apply","apiVersion":"v1","time":"2026-01-01T00:00:0` + second + `Z","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{` + fields + `}}}`
	}
	parsed := func(kind, metadata string, entries ...string) *unstructured.Unstructured {
		live := &unstructured.Unstructured{}
		text := `{"apiVersion":"v1","kind":"` + kind + `","metadata":{"name":"it",` + metadata + `,"managedFields":[` + strings.Join(entries, ",") + `]}}`
		if err := live.UnmarshalJSON([]byte(text)); err != nil {
			t.Fatal(err)
		}
		return strip(strip(live))
	}
	check := func(diff unit.Diff, path, by string) {
		t.Helper()
		if len(diff.Fields) != 1 || diff.Fields[0].Path != path || diff.Fields[0].By != by {
			t.Errorf("got %+v, want %s of %q", diff.Fields, path, by)
		}
	}

	node := &nodeLabels{name: "it", spec: &unit.Node{Name: "it", Labels: map[string]string{"role": "enabled"}}}
	for by, others := range map[string][]string{
		"ccm": {
			entry("ccm", "2", `"f:labels":{"f:role":{}}`),
			entry("kubelet", "3", `"f:labels":{".":{},"f:arch":{}},"f:annotations":{"f:role":{}}`),
		},
		"": {entry("kubelet", "3", `"f:labels":{".":{},"f:arch":{}}`)},
	} {
		live := parsed("Node", `"labels":{"role":"theirs","arch":"amd64"}`, append(others, entry(managerNodes, "1", `"f:labels":{"f:role":{}}`))...)
		if owned := live.GetAnnotations()[annotationOwned]; owned != "role" {
			t.Errorf("ours are %q", owned)
		}
		state, err := node.state(t.Context(), objects{node.ref(): live})
		if err != nil {
			t.Fatal(err)
		}
		check(node.compare(state), "metadata.labels.role", by)
	}

	space := &projectNamespace{name: "it", values: map[string]string{unit.AnnotationProject: "shop", unit.AnnotationProjectID: "42"}}
	live := parsed("Namespace", `"annotations":{"`+unit.AnnotationProject+`":"shop","`+unit.AnnotationProjectID+`":"41"}`,
		entry(managerProjects, "1", `"f:annotations":{"f:`+unit.AnnotationProject+`":{}}`),
		entry("rancher", "2", `"f:annotations":{"f:`+unit.AnnotationProjectID+`":{}}`),
		entry("bystander", "3", `"f:annotations":{"f:more":{}},"f:labels":{"f:`+unit.AnnotationProjectID+`":{}}`))
	state, err := space.state(t.Context(), objects{space.ref(): live})
	if err != nil {
		t.Fatal(err)
	}
	check(space.compare(state), "metadata.annotations["+unit.AnnotationProjectID+"]", "rancher")
}

// TestLittleIsKeptOfWhoWrote: thousands of objects stay in memory, and who wrote what of them would be as much again.
func TestLittleIsKeptOfWhoWrote(t *testing.T) {
	live := &unstructured.Unstructured{}
	if err := live.UnmarshalJSON([]byte(deploymentOfMany)); err != nil {
		t.Fatal(err)
	}
	size, fields := 0, 0
	for _, entry := range managersIn(metadataOf(strip(live))) {
		e := entry.(map[string]any)
		at, wrote := e[keyTime].(string)
		if len(e) > 3 || wrote != (len(e) == 3) {
			t.Errorf("kept is %v", e)
		}
		size += len(e["manager"].(string)) + len(e[keyHolds].(string)) + len(at)
		fields += len(e[keyHolds].(string)) / 4
	}
	if whole := len(deploymentOfMany); size == 0 || size > whole/10 || fields > 100 {
		t.Errorf("of %d bytes %d are kept, of %d fields", whole, size, fields)
	}
	ours := parse(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: a, managedFields: [{manager: kupenstack, operation: Apply, fieldsV1: {"f:data": {"f:k": {}}}}, {manager: controller, operation: Update, fieldsV1: {"f:status": {"f:k": {}}}}]}, data: {k: v}}`)
	if kept, ok := metadataOf(strip(ours))[fieldManagers]; ok {
		t.Errorf("where only we wrote, and a status was, it is %v", kept)
	}
}
