package kube

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

func parse(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	object := &unstructured.Unstructured{}
	content, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := object.UnmarshalJSON(content); err != nil {
		t.Fatal(err)
	}
	return object
}

func lines(fields []unit.Field) string {
	var b strings.Builder
	for _, field := range fields {
		b.WriteString(field.Path + ": " + field.Before + " -> " + field.After + "\n")
	}
	return b.String()
}

func TestCompare(t *testing.T) {
	deployment := func(spec string) string {
		return "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: api, namespace: o}\nspec: " + spec
	}
	pod := func(container string) string {
		return deployment("{template: {spec: {containers: [" + container + "]}}}")
	}
	configMap := func(rest string) string {
		return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: o}\n" + rest
	}
	secret := func(rest string) string {
		return "apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: o}\n" + rest
	}
	custom := func(rest string) string {
		return "apiVersion: example.org/v1\nkind: Thing\nmetadata: {name: x}\n" + rest
	}
	tests := []struct{ name, desired, live, want string }{
		{"the same", configMap("data: {a: b}"), configMap("data: {a: b}"), ""},
		{"a large number", custom("spec: {size: 9007199254740993}"), custom("spec: {size: 9007199254740993}"), ""},
		{
			"a large number that is another one", custom("spec: {size: 9007199254740993}"), custom("spec: {size: 9007199254740992}"),
			"spec.size: 9007199254740992 -> 9007199254740993\n",
		},
		{"a whole number as a float", custom("spec: {size: 2}"), custom("spec: {size: 2.0}"), ""},
		{"a changed value", configMap("data: {a: b}"), configMap("data: {a: c}"), "data.a: c -> b\n"},
		{"a key with a dot", configMap("data: {a.conf: b}"), configMap("data: {a.conf: c}"), "data[a.conf]: c -> b\n"},
		{"a missing value", configMap("data: {a: b, c: d}"), configMap("data: {a: b}"), "data.c:  -> d\n"},
		{"what others added", configMap("data: {a: b}"), configMap("data: {a: b, other: x}"), ""},
		{"everything missing", configMap("data: {a: b}"), configMap(""), "data.a:  -> b\n"},
		{
			"the image", pod("{name: api, image: 'x:1'}"), pod("{name: api, image: 'x:2'}"),
			"spec.template.spec.containers[api].image: x:2 -> x:1\n",
		},
		{"a container that was injected", pod("{name: api, image: x}"), pod("{name: mesh, image: m}, {name: api, image: x}"), ""},
		{
			"what a service mesh injects", pod("{name: api, image: x, env: [{name: A, value: a}], volumeMounts: [{name: v, mountPath: /v}]}"),
			"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: api, namespace: o, annotations: {mesh/status: injected}, labels: {mesh: 'on'}}\n" +
				"spec: {template: {metadata: {annotations: {mesh/status: injected}, labels: {mesh: 'on'}}, spec: {initContainers: [{name: mesh-init, image: m}], " +
				"containers: [{name: api, image: x, env: [{name: MESH, value: m}, {name: A, value: a}], volumeMounts: [{name: certs, mountPath: /mesh}, {name: v, mountPath: /v}]}, {name: mesh, image: m}], " +
				"volumes: [{name: certs, secret: {secretName: mesh}}], imagePullSecrets: [{name: mesh}], securityContext: {fsGroup: 1337}, dnsConfig: {searches: [mesh]}}}}", "",
		},
		{
			"a container that is missing", pod("{name: api, image: x}"), pod("{name: mesh}"),
			"spec.template.spec.containers[api]:  -> {\"image\":\"x\",\"name\":\"api\"}\n",
		},
		{
			"quantities", pod("{name: api, resources: {requests: {cpu: 1000m, memory: 1024Mi}}}"),
			pod("{name: api, resources: {requests: {cpu: '1', memory: 1Gi}}}"), "",
		},
		{
			"another quantity", pod("{name: api, resources: {requests: {cpu: 1000m}}}"), pod("{name: api, resources: {requests: {cpu: '2'}}}"),
			"spec.template.spec.containers[api].resources.requests.cpu: 2 -> 1000m\n",
		},
		{
			"a port without a protocol", pod("{name: api, ports: [{containerPort: 80}]}"),
			pod("{name: api, ports: [{containerPort: 80, protocol: UDP}, {containerPort: 80, protocol: TCP}]}"), "",
		},
		{
			"a port of another protocol", pod("{name: api, ports: [{containerPort: 80}]}"), pod("{name: api, ports: [{containerPort: 80, protocol: UDP}]}"),
			`spec.template.spec.containers[api].ports[80/TCP]:  -> {"containerPort":80}` + "\n",
		},
		{"empty and null values", pod("{name: api, command: [], env: null, resources: {}, image: ''}"), pod("{name: api}"), ""},
		{"null asks for the default", pod("{name: api, imagePullPolicy: null}"), pod("{name: api, imagePullPolicy: Always}"), ""},
		{"false is a value", deployment("{paused: false}"), deployment("{paused: true}"), "spec.paused: true -> false\n"},
		{"zero is a value", deployment("{replicas: 0}"), deployment("{replicas: 3}"), "spec.replicas: 3 -> 0\n"},
		{"integers and floats", custom("spec: {a: 3.0}"), custom("spec: {a: 3}"), ""},
		{
			"arguments are in order", pod("{name: api, args: [a, b]}"), pod("{name: api, args: [b, a]}"),
			"spec.template.spec.containers[api].args[0]: b -> a\nspec.template.spec.containers[api].args[1]: a -> b\n",
		},
		{
			"an argument too many", pod("{name: api, args: [a]}"), pod("{name: api, args: [a, b]}"),
			"spec.template.spec.containers[api].args: [\"a\",\"b\"] -> [\"a\"]\n",
		},
		{
			"variables repeat", pod("{name: api, env: [{name: A, value: x}, {name: A, value: w}]}"),
			pod("{name: api, env: [{name: A, value: x}, {name: A, value: z}]}"),
			"spec.template.spec.containers[api].env[A].value: z -> w\n",
		},
		{
			"a variable that was added", pod("{name: api, env: [{name: A, value: x}]}"),
			pod("{name: api, env: [{name: B, value: x}, {name: A, value: x}]}"), "",
		},
		{
			"mounts go by path", pod("{name: api, volumeMounts: [{name: v, mountPath: /a}, {name: v, mountPath: /b, readOnly: true}]}"),
			pod("{name: api, volumeMounts: [{name: v, mountPath: /b}, {name: v, mountPath: /a}]}"),
			"spec.template.spec.containers[api].volumeMounts[/b].readOnly:  -> true\n",
		},
		{
			"an element of a list that is ours alone", custom("spec: {pools: [{name: a}]}"), custom("spec: {pools: [{name: a}, {name: b}]}"),
			"spec.pools[b]: {\"name\":\"b\"} -> \n",
		},
		{
			"labels", "apiVersion: v1\nkind: Namespace\nmetadata: {name: n, labels: {a: x}, annotations: {k/b: w}}",
			"apiVersion: v1\nkind: Namespace\nmetadata: {name: n, uid: u, labels: {a: z, other: o}}",
			"metadata.annotations[k/b]:  -> w\nmetadata.labels.a: z -> x\n",
		},
		{
			"finalizers", "apiVersion: v1\nkind: Namespace\nmetadata: {name: n, finalizers: [a]}",
			"apiVersion: v1\nkind: Namespace\nmetadata: {name: n, finalizers: [b]}", "metadata.finalizers:  -> a\n",
		},
		{"the status is not ours", custom("status: {a: b}"), custom("status: {a: c}"), ""},
		{"stringData", secret("stringData: {a: text}"), secret("data: {a: dGV4dA==}"), ""},
		{"secrets are not shown", secret("data: {a: dGV4dA==}"), secret("data: {a: b3RoZXI=}"), "data.a: (sensitive) -> (sensitive)\n"},
		{"secrets beside garbage are not shown", secret("data: garbage\nstringData: {a: text}"), secret(""), "data:  -> (sensitive)\nstringData.a:  -> (sensitive)\n"},
		{"missing secrets are not shown", secret("stringData: {a: text}"), secret(""), "data.a:  -> (sensitive)\n"},
		{"a secret that is known", custom("spec: {password: hunter2hunter2}"), custom("spec: {password: x}"), "spec.password: x -> (sensitive)\n"},
		{
			"rules go by place", "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: r, namespace: o}\nrules: [{verbs: [get], resources: [pods], apiGroups: ['']}]",
			"apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: r, namespace: o}\nrules: [{verbs: [get], resources: [pods], apiGroups: ['']}, {verbs: ['*']}]",
			"rules[1]: {\"verbs\":[\"*\"]} -> \n",
		},
	}
	masker := redact.NewMasker()
	masker.Add(redact.NewSecret("hunter2hunter2"))
	c := &Cluster{masker: masker}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			desired, live := parse(t, test.desired), parse(t, test.live)
			before, liveBefore := desired.DeepCopy(), live.DeepCopy()
			if got := lines(c.Compare(desired, live)); got != test.want {
				t.Errorf("got:\n%swant:\n%s", got, test.want)
			}
			if !sameMap(desired.Object, before.Object) || !sameMap(live.Object, liveBefore.Object) {
				t.Error("the objects were changed")
			}
		})
	}
}

func TestCompareCutsLongValues(t *testing.T) {
	c := &Cluster{}
	live := parse(t, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}")
	desired := live.DeepCopy()
	desired.Object["data"] = map[string]any{"a": strings.Repeat("ä", 500)}
	live.Object["data"] = map[string]any{"a": "x"}
	fields := c.Compare(desired, live)
	if len(fields) != 1 || len(fields[0].After) > maxText+len("…") || !strings.HasSuffix(fields[0].After, "ä…") {
		t.Errorf("got %v", fields)
	}
}

// route is one of which its parents say this.
func route(parents string) string {
	return "apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {name: x, generation: 2}\nspec: {parentRefs: [{name: g}]}\nstatus: {parents: " + parents + "}"
}

func TestHealth(t *testing.T) {
	tests := []struct {
		name, object string
		want         unit.Health
		message      string
	}{
		{"a custom resource without conditions", "apiVersion: example.org/v1\nkind: Thing\nmetadata: {name: x}", unit.HealthReady, ""},
		{
			"one that is not ready", "apiVersion: example.org/v1\nkind: Thing\nmetadata: {name: x}\nstatus: {conditions: [{type: Ready, status: 'False', message: no quorum}]}",
			unit.HealthProgressing, "no quorum",
		},
		{"a certificate that nobody has seen", "apiVersion: cert-manager.io/v1\nkind: Certificate\nmetadata: {name: x}", unit.HealthProgressing, "cert-manager has not seen it yet"},
		{
			"a certificate that is signed", "apiVersion: cert-manager.io/v1\nkind: Certificate\nmetadata: {name: x}\nstatus: {conditions: [{type: Ready, status: 'True'}]}",
			unit.HealthReady, "",
		},
		{
			"one that shows what is not ready", "apiVersion: kupenstack.io/v1alpha1\nkind: OpenStackService\nmetadata: {name: x}\nstatus: {conditions: [{type: Ready, status: 'False', message: no quorum}]}",
			unit.HealthReady, "",
		},
		{
			"one that is being deleted", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, deletionTimestamp: '2026-01-01T00:00:00Z'}",
			unit.HealthProgressing, "it is being deleted",
		},
		{
			"one that somebody holds", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [example.org/hold, foregroundDeletion]}",
			unit.HealthProgressing, "it is being deleted, and stays until its finalizer example.org/hold is taken off",
		},
		{
			"a deployment that rolls out", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x, generation: 1}\nspec: {replicas: 2}\nstatus: {observedGeneration: 1, replicas: 2, updatedReplicas: 2, readyReplicas: 1, availableReplicas: 1}",
			unit.HealthProgressing, "Available: 1/2",
		},
		{
			"one that gave up", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x, generation: 1}\nspec: {replicas: 2}\nstatus: {observedGeneration: 1, conditions: [{type: Progressing, status: 'False', reason: ProgressDeadlineExceeded}]}",
			unit.HealthFailed, "Progress deadline exceeded",
		},
		{
			"a job that has just begun", "apiVersion: batch/v1\nkind: Job\nmetadata: {name: x}\nstatus: {startTime: '2026-01-01T00:00:00Z', active: 1}",
			unit.HealthProgressing, "the job runs",
		},
		{
			"a job with a failed pod", "apiVersion: batch/v1\nkind: Job\nmetadata: {name: x}\nstatus: {active: 1, failed: 2}",
			unit.HealthProgressing, "the job runs; pods that failed: 2",
		},
		{"a complete job", "apiVersion: batch/v1\nkind: Job\nmetadata: {name: x}\nstatus: {conditions: [{type: Complete, status: 'True'}]}", unit.HealthReady, ""},
		{
			"a failed job", "apiVersion: batch/v1\nkind: Job\nmetadata: {name: x}\nstatus: {conditions: [{type: Failed, status: 'True', message: too often}]}",
			unit.HealthFailed, "the job failed: too often",
		},
		{
			"a definition not yet established", "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: x}",
			unit.HealthProgressing, "Install in progress",
		},
		{"a pool that Rook has not seen", "apiVersion: ceph.rook.io/v1\nkind: CephBlockPool\nmetadata: {name: x}", unit.HealthProgressing, "Rook has not seen it yet"},
		{"a user that Rook makes", "apiVersion: ceph.rook.io/v1\nkind: CephClient\nmetadata: {name: x}\nstatus: {phase: Progressing}", unit.HealthProgressing, "Rook says that it is Progressing"},
		{
			"a Ceph that does not come up", "apiVersion: ceph.rook.io/v1\nkind: CephCluster\nmetadata: {name: x}\nstatus: {phase: Failure, message: no disks}",
			unit.HealthProgressing, "Rook says that it is Failure: no disks",
		},
		{"a pool that is there", "apiVersion: ceph.rook.io/v1\nkind: CephBlockPool\nmetadata: {name: x}\nstatus: {phase: Ready}", unit.HealthReady, ""},
		{
			"a pool that was there before it changed", "apiVersion: ceph.rook.io/v1\nkind: CephBlockPool\nmetadata: {name: x, generation: 2}\nstatus: {phase: Ready, observedGeneration: 1}",
			unit.HealthProgressing, "CephBlockPool generation is 2, but latest observed generation is 1",
		},
		{"what Rook says nothing of", "apiVersion: ceph.rook.io/v1\nkind: CephRBDMirror\nmetadata: {name: x}", unit.HealthReady, ""},
		{"a route that nobody has looked at", route("[]"), unit.HealthProgressing, "no Gateway has accepted it yet"},
		{
			"a route that is accepted", route("[{parentRef: {name: g}, conditions: [{type: Accepted, status: 'True', observedGeneration: 2}, {type: ResolvedRefs, status: 'True', observedGeneration: 2}]}]"),
			unit.HealthReady, "",
		},
		{
			"a route that was accepted before it changed", route("[{parentRef: {name: g}, conditions: [{type: Accepted, status: 'True', observedGeneration: 1}]}]"),
			unit.HealthProgressing, "no Gateway has accepted it yet",
		},
		{
			"a route that another Gateway refuses", route("[{parentRef: {name: g}, conditions: [{type: Accepted, status: 'True'}]}, " +
				"{parentRef: {name: h}, conditions: [{type: Accepted, status: 'False', reason: NotAllowedByListeners, message: no listener allows its namespace}]}]"),
			unit.HealthFailed, "Gateway h does not accept it: no listener allows its namespace",
		},
		{
			"a route whose Service may come", route("[{parentRef: {name: g}, conditions: [{type: Accepted, status: 'True'}, {type: ResolvedRefs, status: 'False', reason: BackendNotFound}]}]"),
			unit.HealthProgressing, "Gateway g cannot find what it names: BackendNotFound",
		},
		{
			"a route that may not name its Service", route("[{parentRef: {name: g}, conditions: [{type: Accepted, status: 'True'}, {type: ResolvedRefs, status: 'False', reason: RefNotPermitted, message: no grant}]}]"),
			unit.HealthFailed, "Gateway g cannot find what it names: no grant",
		},
		{"a route without a Gateway", "apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {name: x}\nspec: {}", unit.HealthReady, ""},
		{"an Ingress, of which nobody has to say anything", "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: x}\nspec: {}", unit.HealthReady, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			health, message := (&Cluster{}).Health(parse(t, test.object))
			if health != test.want || message != test.message {
				t.Errorf("got %q %q, want %q %q", health, message, test.want, test.message)
			}
		})
	}
}

// TestStays: what holds data of many goes when a person deletes it, and not with a line of the configuration.
func TestStays(t *testing.T) {
	for _, test := range []struct {
		version, kind string
		want          bool
	}{
		{"v1", "Namespace", true},
		{"v1", "PersistentVolumeClaim", true},
		{"apiextensions.k8s.io/v1", "CustomResourceDefinition", true},
		{"ceph.rook.io/v1", "CephCluster", true},
		{"ceph.rook.io/v1", "CephBlockPool", true},
		{"ceph.rook.io/v1", "CephFilesystem", true},
		{"ceph.rook.io/v1", "CephObjectStore", true},
		{"ceph.rook.io/v1", "CephObjectZone", true},
		{"objectbucket.io/v1alpha1", "ObjectBucketClaim", true},
		{"ceph.rook.io/v1", "CephClient", false},
		{"example.org/v1", "CephCluster", false},
		{"v1", "ConfigMap", false},
	} {
		if got := stays(unit.ObjectRef{APIVersion: test.version, Kind: test.kind, Name: "x"}); got != test.want {
			t.Errorf("%s %s stays: %v", test.version, test.kind, got)
		}
	}
}
