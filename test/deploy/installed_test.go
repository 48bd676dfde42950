//go:build beds

package deploy_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/cli"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"github.com/kupenstack/kupenstack-sync/test/testbed"
)

// TestInstallation has the daemon installed as README says, in namespaces of the test's own: without the cloud's namespace it
// says what to do, with it charts have their account there, and that namespace outlives the release, and what is in it.
func TestInstallation(t *testing.T) {
	p := newPlace(t)
	cloud := "cloud-" + p.name
	given := copied(t, "README.md", "helm install")
	given["serviceAccount"] = values{"name": p.name} // its roles are the cluster's
	given["deployer"].(values)["namespaces"] = []any{cloud}
	settings := cli.New()
	settings.KubeConfig = testbed.Cluster(t).Kubeconfig
	settings.SetNamespace(p.name)
	configuration := &action.Configuration{}
	if err := configuration.Init(settings.RESTClientGetter(), p.name, "secret", t.Logf); err != nil {
		t.Fatal(err)
	}
	chart, err := loader.Load(filepath.Join(root, "deploy", "chart"))
	if err != nil {
		t.Fatal(err)
	}
	install := action.NewInstall(configuration)
	install.ReleaseName, install.Namespace = "kupenstack", p.name
	if _, err := install.RunWithContext(p.ctx, chart, given); err == nil || !strings.Contains(err.Error(), "kubectl create namespace "+cloud) {
		t.Fatalf("without the cloud's namespace: %v", err)
	}
	data := p.cloud(cloud)
	if _, err := install.RunWithContext(p.ctx, chart, given); err != nil { // under the same name: what was refused left nothing
		t.Fatal(err)
	}
	upgrade := action.NewUpgrade(configuration)
	upgrade.Namespace = p.name
	if _, err := upgrade.RunWithContext(p.ctx, "kupenstack", chart, given); err != nil {
		t.Fatal(err)
	}
	if _, err := p.client.RbacV1().RoleBindings(cloud).Get(p.ctx, p.name+"-deployer", metav1.GetOptions{}); err != nil {
		t.Error(err)
	}
	if _, err := action.NewUninstall(configuration).Run("kupenstack"); err != nil {
		t.Fatal(err)
	}
	if bindings, err := p.client.RbacV1().RoleBindings(cloud).List(p.ctx, metav1.ListOptions{}); err != nil || len(bindings.Items) != 0 {
		t.Errorf("the release is gone, and its bindings are %v, %v", bindings, err)
	}
	p.stays(cloud, data)
	p.stays(p.name, nil)
}

// TestPlainManifest has it applied as its head says, and deleted: the namespaces and the cloud's data stay.
func TestPlainManifest(t *testing.T) {
	p := newPlace(t)
	cloud := "cloud-" + p.name
	data := p.cloud(cloud)
	var all []*unstructured.Unstructured
	for text := range strings.SplitSeq(elsewhere(manifests(t), p.name, cloud), "\n---\n") {
		object := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(text), &object.Object); err != nil {
			t.Fatal(err)
		}
		if object.Object == nil {
			continue
		}
		if object.GetNamespace() == "" { // the cluster's, so others of its name may be there
			object.SetName(p.name + "-" + object.GetName())
		}
		p.apply(object)
		all = append(all, object)
	}
	for _, object := range slices.Backward(all) {
		var client dynamic.ResourceInterface = p.admin.Resource(resources()[object.GetKind()])
		if namespace := object.GetNamespace(); namespace != "" {
			client = p.admin.Resource(resources()[object.GetKind()]).Namespace(namespace)
		}
		if err := client.Delete(p.ctx, object.GetName(), metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	}
	p.stays(cloud, data)
	p.stays(p.name, nil)
}

// cloud makes a namespace with something in it that must not be lost.
func (p *place) cloud(name string) *corev1.Secret {
	p.t.Helper()
	if _, err := p.client.CoreV1().Namespaces().Create(p.ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{}); err != nil {
		p.t.Fatal(err)
	}
	secret, err := p.client.CoreV1().Secrets(name).Create(p.ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "keystone-fernet-keys"}}, metav1.CreateOptions{})
	if err != nil {
		p.t.Fatal(err)
	}
	return secret
}

// stays fails unless a namespace is there and not about to go, with what was in it.
func (p *place) stays(name string, data *corev1.Secret) {
	p.t.Helper()
	namespace, err := p.client.CoreV1().Namespaces().Get(p.ctx, name, metav1.GetOptions{})
	if err != nil || namespace.DeletionTimestamp != nil {
		p.t.Errorf("the namespace %s: %v, %v", name, namespace, err)
	}
	if data == nil {
		return
	}
	if got, err := p.client.CoreV1().Secrets(name).Get(p.ctx, data.Name, metav1.GetOptions{}); err != nil || got.UID != data.UID || got.DeletionTimestamp != nil {
		p.t.Errorf("what is in %s: %v, %v", name, got, err)
	}
}
