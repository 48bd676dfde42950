//go:build beds

package deploy_test

import (
	"context"
	"crypto/rand"
	"strings"
	"testing"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/kupenstack/kupenstack-sync/test/testbed"
)

// place is a namespace of one test on the shared control plane.
type place struct {
	t      *testing.T
	ctx    context.Context
	config *rest.Config
	client kubernetes.Interface
	admin  dynamic.Interface
	name   string // of the namespace, and of what is not in one
}

func newPlace(t *testing.T) *place {
	t.Helper()
	bed := testbed.Cluster(t)
	admin, err := dynamic.NewForConfig(bed.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	t.Cleanup(cancel)
	p := &place{t: t, ctx: ctx, config: bed.RESTConfig(), client: bed.Client(), admin: admin, name: "deploy-" + strings.ToLower(rand.Text()[:12])}
	if _, err := p.client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: p.name}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
		defer cancel()
		_ = p.client.CoreV1().Namespaces().Delete(ctx, p.name, metav1.DeleteOptions{}) // the bed goes anyway
	})
	return p
}

func resources() map[string]schema.GroupVersionResource {
	const roles = "rbac.authorization.k8s.io"
	return map[string]schema.GroupVersionResource{
		"Namespace":          {Version: "v1", Resource: "namespaces"},
		"ServiceAccount":     {Version: "v1", Resource: "serviceaccounts"},
		"Service":            {Version: "v1", Resource: "services"},
		"Deployment":         {Group: "apps", Version: "v1", Resource: "deployments"},
		"ClusterRole":        {Group: roles, Version: "v1", Resource: "clusterroles"},
		"ClusterRoleBinding": {Group: roles, Version: "v1", Resource: "clusterrolebindings"},
		"Role":               {Group: roles, Version: "v1", Resource: "roles"},
		"RoleBinding":        {Group: roles, Version: "v1", Resource: "rolebindings"},
		"NetworkPolicy":      {Group: "networking.k8s.io", Version: "v1", Resource: "networkpolicies"},
	}
}

// apply sends an object, dry or not, and says what the server has against it.
func (p *place) apply(object *unstructured.Unstructured, dryRun ...string) {
	p.t.Helper()
	resource, ok := resources()[object.GetKind()]
	if !ok {
		p.t.Fatalf("the chart has a %s, which this test does not know", object.GetKind())
	}
	var client dynamic.ResourceInterface = p.admin.Resource(resource)
	if namespace := object.GetNamespace(); namespace != "" {
		client = p.admin.Resource(resource).Namespace(namespace)
	}
	text, err := object.MarshalJSON()
	if err != nil {
		p.t.Fatal(err)
	}
	force := true
	_, err = client.Patch(p.ctx, object.GetName(), types.ApplyPatchType, text, metav1.PatchOptions{
		FieldManager: "deploy-test", Force: &force, DryRun: dryRun, FieldValidation: metav1.FieldValidationStrict,
	})
	if err != nil {
		p.t.Errorf("%s %s: %v", object.GetKind(), object.GetName(), err)
	}
}

func TestServerTakesTheChart(t *testing.T) {
	p := newPlace(t)
	cloud := newPlace(t).name
	for _, v := range variants() {
		t.Run(v.name, func(t *testing.T) {
			inner := *p
			inner.t = t
			if v.values["deployer"] == nil {
				v.values["deployer"] = values{"namespaces": []any{cloud}}
			}
			for _, object := range objects(t, p.name, v.values) {
				inner.apply(object, metav1.DryRunAll)
			}
		})
	}
	t.Run("manifests", func(t *testing.T) {
		inner := *p
		inner.t = t
		for text := range strings.SplitSeq(elsewhere(manifests(t), p.name, cloud), "\n---\n") {
			object := &unstructured.Unstructured{}
			if err := yaml.Unmarshal([]byte(text), &object.Object); err != nil {
				t.Fatal(err)
			}
			if object.Object != nil {
				inner.apply(object, metav1.DryRunAll)
			}
		}
	})
}

// elsewhere is the plain manifest for other namespaces than those that it is written for.
func elsewhere(text, system, cloud string) string {
	text = strings.ReplaceAll(text, namespace, system)
	return strings.ReplaceAll(text, "\n  namespace: openstack\n", "\n  namespace: "+cloud+"\n")
}

// grant makes the chart's service accounts with their rights, under names of this test's own.
func (p *place) grant(given values) {
	p.t.Helper()
	given["repo"], given["serviceAccount"] = values{"url": exampleURL}, values{"name": p.name}
	for _, object := range objects(p.t, p.name, given) {
		if object.GetKind() == "Deployment" || object.GetKind() == "Service" {
			continue
		}
		p.apply(object)
		if in := object.GetNamespace(); in == "" || in == metav1.NamespaceDefault {
			resource, name := resources()[object.GetKind()], object.GetName()
			p.t.Cleanup(func() {
				ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
				defer cancel()
				if err := p.admin.Resource(resource).Namespace(in).Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
					p.t.Error(err)
				}
			})
		}
	}
}

// account makes the chart's service account with its rights where there is one for all, and returns a client that is this
// account. It may delete data in the namespaces that are given.
func (p *place) account(data ...any) kubernetes.Interface {
	p.t.Helper()
	p.grant(values{"rbac": values{"deleteData": data}, "deployer": values{"enabled": false}})
	config := rest.CopyConfig(p.config)
	config.Impersonate = rest.ImpersonationConfig{
		UserName: "system:serviceaccount:" + p.name + ":" + p.name,
		Groups:   []string{"system:serviceaccounts", "system:serviceaccounts:" + p.name, "system:authenticated"},
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		p.t.Fatal(err)
	}
	return client
}

// right is what somebody may do in any namespace.
type right struct {
	group, resource string
	verbs           []string
}

func needed() []right {
	owned := []string{"get", "list", "watch", "create", "patch", "delete"}
	seen := []string{"get", "list", "watch"}
	return []right{
		// Labels of nodes, by server-side apply.
		{"", "nodes", append([]string{"patch"}, seen...)},
		{"", "namespaces", append([]string{"create", "patch"}, seen...)},
		{"apiextensions.k8s.io", "customresourcedefinitions", append([]string{"create", "patch"}, seen...)},
		{"kupenstack.io", "openstacknodes", owned},
		{"kupenstack.io", "openstackservices", owned},
		{"kupenstack.io", "openstackcontrolplanes", owned},
		{"kupenstack.io", "openstackcloudconfigurationprofiles", owned},
		{"kupenstack.io", "openstacknodes/status", []string{"patch"}},
		{"kupenstack.io", "openstackservices/status", []string{"patch"}},
		{"kupenstack.io", "openstackcontrolplanes/status", []string{"patch"}},
		{"kupenstack.io", "openstackcloudconfigurationprofiles/status", []string{"patch"}},
		// The inventory, the installation's key, credentials, and what Helm stores; they are written
		// over the version that they were read as.
		{"", "secrets", append([]string{"update"}, owned...)},
		{"", "configmaps", append([]string{"update"}, owned...)},
		// Objects of releases, hooks included.
		{"", "services", owned},
		{"", "serviceaccounts", owned},
		{"", "persistentvolumeclaims", append([]string{"create", "patch"}, seen...)},
		{"", "pods", owned},
		{"", "pods/log", []string{"get"}},
		{"", "events", []string{"list"}},
		{"discovery.k8s.io", "endpointslices", []string{"list"}},
		{"apps", "deployments", owned},
		{"apps", "statefulsets", owned},
		{"apps", "daemonsets", owned},
		{"batch", "jobs", owned},
		{"batch", "cronjobs", owned},
		{"policy", "poddisruptionbudgets", owned},
		{"networking.k8s.io", "ingresses", owned},
		{"networking.k8s.io", "networkpolicies", owned},
		{"rbac.authorization.k8s.io", "roles", append([]string{"escalate", "bind"}, owned...)},
		{"rbac.authorization.k8s.io", "rolebindings", owned},
		{"rbac.authorization.k8s.io", "clusterroles", append([]string{"escalate", "bind"}, owned...)},
		{"rbac.authorization.k8s.io", "clusterrolebindings", owned},
	}
}

func forbidden() []right {
	return []right{
		{"", "nodes", []string{"delete", "create", "deletecollection"}},
		{"", "nodes/status", []string{"patch", "update"}},
		{"", "nodes/proxy", []string{"get", "create"}},
		{"kupenstack.io", "openstackclouds", []string{"get", "create"}},
		{"kupenstack.io", "openstacknodes", []string{"update", "deletecollection"}},
		{"", "namespaces", []string{"delete", "deletecollection"}},
		{"apiextensions.k8s.io", "customresourcedefinitions", []string{"delete", "deletecollection"}},
		{"", "persistentvolumes", []string{"delete"}},
		{"", "persistentvolumeclaims", []string{"delete", "deletecollection"}},
		{"", "secrets", []string{"deletecollection"}},
		{"", "pods/exec", []string{"create", "get"}},
		{"", "events", []string{"create", "patch", "delete"}}, // but for those beside it
		{"", "pods/eviction", []string{"create"}},
		{"", "users", []string{"impersonate"}},
		{"", "serviceaccounts/token", []string{"create"}},
		{"admissionregistration.k8s.io", "validatingwebhookconfigurations", []string{"create", "patch", "delete"}},
		{"certificates.k8s.io", "certificatesigningrequests/approval", []string{"update"}},
		{"coordination.k8s.io", "leases", []string{"get", "list", "create", "update", "delete"}}, // but for those beside it
		{"*", "*", []string{"*"}},
	}
}

func TestRights(t *testing.T) {
	p := newPlace(t)
	client := p.account()
	p.awaitRights(client)
	check := func(rights []right, want bool) {
		for _, r := range rights {
			for _, verb := range r.verbs {
				if got := p.may(client, "", r.group, r.resource, verb); got != want {
					t.Errorf("%s %s of the group %q: allowed is %v, want %v", verb, r.resource, r.group, got, want)
				}
			}
		}
	}
	check(needed(), true)
	check(forbidden(), false)
	for _, verb := range []string{"get", "create", "update"} {
		p.awaitRight(client, p.name, "coordination.k8s.io", "leases", verb)
		if p.may(client, "kube-system", "coordination.k8s.io", "leases", verb) {
			t.Errorf("it may %s the leases of other programs", verb)
		}
	}
	for _, verb := range []string{"create", "patch"} {
		p.awaitRight(client, "default", "", "events", verb)
		if p.may(client, p.name, "", "events", verb) {
			t.Errorf("it may %s events of other namespaces", verb)
		}
	}
}

// The server lets the account delete claims in the namespaces that were named, and nowhere else.
func TestRightToDeleteData(t *testing.T) {
	p := newPlace(t)
	client := p.account(p.name)
	p.awaitRights(client)
	p.awaitRight(client, p.name, "", "persistentvolumeclaims", "delete")
	for _, c := range []struct{ namespace, resource, verb string }{
		{"default", "persistentvolumeclaims", "delete"},
		{"", "persistentvolumeclaims", "delete"},
		{p.name, "persistentvolumeclaims", "deletecollection"},
		{p.name, "persistentvolumes", "delete"},
		{p.name, "pods/exec", "create"},
	} {
		if p.may(client, c.namespace, "", c.resource, c.verb) {
			t.Errorf("in %q it may %s %s", c.namespace, c.verb, c.resource)
		}
	}
}

// awaitRights waits until the server's authorizer has seen the new binding.
func (p *place) awaitRights(client kubernetes.Interface) {
	p.t.Helper()
	p.awaitRight(client, "", "", "secrets", "get")
}

// awaitRight is awaitRights for one right: the authorizer sees each binding by itself.
func (p *place) awaitRight(client kubernetes.Interface, namespace, group, resource, verb string) {
	p.t.Helper()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for !p.may(client, namespace, group, resource, verb) {
		select {
		case <-tick.C:
		case <-p.ctx.Done():
			p.t.Fatalf("the account never got the right to %s %s in %q", verb, resource, namespace)
		}
	}
}

// may tells whether an account may do something in a namespace, "" for all of them.
func (p *place) may(client kubernetes.Interface, namespace, group, resource, verb string) bool {
	p.t.Helper()
	resource, sub, _ := strings.Cut(resource, "/")
	answer, err := client.AuthorizationV1().SelfSubjectAccessReviews().Create(p.ctx, &authorizationv1.SelfSubjectAccessReview{
		Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &authorizationv1.ResourceAttributes{
			Namespace: namespace, Group: group, Resource: resource, Subresource: sub, Verb: verb,
		}},
	}, metav1.CreateOptions{})
	if err != nil {
		p.t.Fatal(err)
	}
	return answer.Status.Allowed
}
