package world

import (
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/kupenstack/kupenstack-sync/test/cluster"
)

// The service account that the chart in deploy/ makes for the daemon.
const (
	System  = "kupenstack-system"
	account = "kupenstack"
)

// What the audit log calls it, and the account of charts where these have one: see [World.Deployer].
const (
	accountName  = "system:serviceaccount:" + System + ":" + account
	deployerName = accountName + "-deployer"
)

// login makes the daemon's service account with the rights that deploy/ gives it where there is one account for all, as
// clouds of tests are in many namespaces, and returns access with a token of it. All commands use that, so a right that is
// missing there fails a test. What the daemon has unless somebody writes otherwise is [World.Deployer].
func login(t testing.TB, c *cluster.Cluster) *rest.Config {
	t.Helper()
	if _, err := c.Client().CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: System}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, object := range rendered(t, map[string]any{"deployer": map[string]any{"enabled": false}}) {
		create(t, c, object)
	}
	seconds := int64((24 * time.Hour).Seconds())
	token, err := c.Client().CoreV1().ServiceAccounts(System).CreateToken(t.Context(), account,
		&authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &seconds}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	config := rest.AnonymousClientConfig(c.RESTConfig())
	config.BearerToken = token.Status.Token
	awaitRights(t, config)
	return config
}

// Allow gives the daemon's account what rbac.extraRules of its chart would: the objects of a group of kinds that only
// manifests of the configuration bring.
func (w *World) Allow(t testing.TB, group string) {
	t.Helper()
	client, name := w.Cluster.Client().RbacV1(), "kupenstack-extra-"+group
	if _, err := client.ClusterRoles().Create(t.Context(), &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{group}, Resources: []string{"*"}, Verbs: []string{"get", "list", "watch", "create", "patch", "delete"}}},
	}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.ClusterRoleBindings().Create(t.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: System, Name: account}},
	}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// create makes what the daemon's account consists of. The daemon itself is a process of the test.
func create(t testing.TB, c *cluster.Cluster, object *unstructured.Unstructured) {
	t.Helper()
	const roles = "rbac.authorization.k8s.io"
	resource, ok := map[string]schema.GroupVersionResource{
		"ServiceAccount":     {Version: "v1", Resource: "serviceaccounts"},
		"ClusterRole":        {Group: roles, Version: "v1", Resource: "clusterroles"},
		"ClusterRoleBinding": {Group: roles, Version: "v1", Resource: "clusterrolebindings"},
		"Role":               {Group: roles, Version: "v1", Resource: "roles"},
		"RoleBinding":        {Group: roles, Version: "v1", Resource: "rolebindings"},
	}[object.GetKind()]
	if !ok {
		return
	}
	client, err := dynamic.NewForConfig(c.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	var objects dynamic.ResourceInterface = client.Resource(resource)
	if namespace := object.GetNamespace(); namespace != "" {
		objects = client.Resource(resource).Namespace(namespace)
	}
	if _, err := objects.Create(t.Context(), object, metav1.CreateOptions{}); err != nil {
		t.Fatalf("%s %s: %v", object.GetKind(), object.GetName(), err)
	}
}

// awaitRights waits until the server's authorizer has seen the bindings, each by itself.
func awaitRights(t testing.TB, config *rest.Config) {
	t.Helper()
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	for _, what := range []authorizationv1.ResourceAttributes{
		{Resource: "secrets", Verb: "create"},
		{Group: "coordination.k8s.io", Resource: "leases", Verb: "create", Namespace: System},
	} {
		Await(t, 5*time.Minute, func() (bool, string) {
			answer, err := client.AuthorizationV1().SelfSubjectAccessReviews().Create(t.Context(), &authorizationv1.SelfSubjectAccessReview{
				Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &what},
			}, metav1.CreateOptions{})
			if err != nil {
				return false, err.Error()
			}
			return answer.Status.Allowed, "the account may not " + what.Verb + " " + what.Resource + " yet"
		})
	}
}

// writeKubeconfig writes a kubeconfig for access with a token, or without any credential.
func writeKubeconfig(t testing.TB, path string, config *rest.Config) {
	t.Helper()
	file := clientcmdapi.NewConfig()
	file.Clusters["world"] = &clientcmdapi.Cluster{
		Server: config.Host, CertificateAuthority: config.CAFile, CertificateAuthorityData: config.CAData,
	}
	file.AuthInfos["world"] = &clientcmdapi.AuthInfo{Token: config.BearerToken}
	file.Contexts["world"] = &clientcmdapi.Context{Cluster: "world", AuthInfo: "world"}
	file.CurrentContext = "world"
	if err := clientcmd.WriteToFile(*file, path); err != nil {
		t.Fatal(err)
	}
}
