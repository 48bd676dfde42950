//go:build beds

package e2e_test

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kupenstack/kupenstack-sync/test/world"
)

// repaired tells whether a change of somebody else was undone, and what there is instead.
type repaired func() (bool, string)

// drift is something that somebody else does. The report has to name the unit that it happened to, and
// in it a field whose path has a text. Of a unit it names what was put back last.
type drift struct {
	name    string
	disturb func(*testing.T) repaired
	unit    string
	field   string // "" where nothing is put back
}

// drift changes the world behind the daemon's back, everything at once, and waits for the repairs.
func (s *story) drift(t *testing.T) {
	revisions := s.releases(t)
	drifts := append(s.kubernetesDrifts(), s.openStackDrifts()...)
	repairs := map[string]repaired{}
	for _, d := range drifts {
		repairs[d.name] = d.disturb(t)
	}
	began := time.Now()
	world.Await(t, reacts, func() (bool, string) {
		var left strings.Builder
		for _, name := range slices.Sorted(maps.Keys(repairs)) {
			done, seen := repairs[name]()
			if !done {
				fmt.Fprintf(&left, "%s: %s\n", name, seen)
				continue
			}
			t.Logf("%s: repaired after %v", name, time.Since(began).Round(time.Second))
			delete(repairs, name)
		}
		return len(repairs) == 0, left.String()
	})
	if now := s.releases(t); fmt.Sprint(now) != fmt.Sprint(revisions) {
		t.Errorf("repairs made new revisions: %v, before %v", now, revisions)
	}
	s.AwaitVerdict(t, converges, "converged", s.commit)
	world.Await(t, reacts, func() (bool, string) { // the verdict alone may be of before
		status, _ := s.ReadStatus(t)
		return unnamed(&status, drifts) == "", unnamed(&status, drifts)
	})
}

// unnamed lists what was put back and the report does not tell of.
func unnamed(status *world.Status, drifts []drift) string {
	var missing strings.Builder
	for _, d := range drifts {
		u := status.Unit(d.unit)
		switch {
		case u == nil:
			fmt.Fprintf(&missing, "%s: there is no %s in the report\n", d.name, d.unit)
		case d.field != "" && !slices.ContainsFunc(u.Healed, func(f world.Field) bool { return strings.Contains(f.Path, d.field) }):
			fmt.Fprintf(&missing, "%s: the report does not say that %s of %s was put back: %+v\n", d.name, d.field, d.unit, u.Healed)
		}
	}
	return missing.String()
}

// kubernetesDrifts are those of releases, passwords, nodes and what is shown of these.
func (s *story) kubernetesDrifts() []drift {
	return []drift{
		{"a ConfigMap of a release is edited", s.editConfigMap, "service.keystone", "ConfigMap openstack/keystone"},
		{"a ConfigMap of a release is deleted", s.deleteConfigMap, "service.neutron", "ConfigMap openstack/neutron"},
		{"a Secret of a release is deleted", s.deleteSecret, "service.nova", "Secret openstack/nova"},
		{"a Deployment is deleted", s.deleteDeployment, "service.glance", "Deployment openstack/glance-api"},
		{"the port of a Service is changed", s.editPort, "service.placement", "Service openstack/placement-api"},
		{"a generated password is changed", s.editPassword, "system.credentials", "keystone-admin"},
		{"a label of a node is removed", s.unlabelNode, "node.node-2", "openstack-compute-node"},
		{"a label of a node is changed", s.relabelNode, "node.node-3", "openstack-compute-node"},
		{"the configuration that is shown of a node is edited", s.editShownNode, "system.nodes", "OpenstackNode"},
		{"what is shown of a node is deleted", s.deletes("openstacknodes", "node-3"), "system.nodes", "OpenstackNode"},
		{"what is shown of a service is edited", s.editShownService, "system.services", "OpenStackService"},
		{"what is shown of the cloud is deleted", s.deletes("openstackcontrolplanes", ""), "system.controlplane", "OpenStackControlPlane"},
		{"what is shown of a profile is deleted", s.deletes("openstackcloudconfigurationprofiles", ""), "system.profiles", "OpenStackCloudConfigurationProfile"},
	}
}

// config names the ConfigMap of a release that has data, and one key of these.
func (s *story) config(t *testing.T, release string) (name, key, value string) {
	t.Helper()
	list, err := s.Cluster.Client().CoreV1().ConfigMaps(namespace).List(t.Context(), metav1.ListOptions{LabelSelector: "app.kubernetes.io/managed-by=Helm"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range list.Items {
		for key, value := range list.Items[i].Data {
			if name := list.Items[i].Name; strings.HasPrefix(name, release) {
				return name, key, value
			}
		}
	}
	t.Fatalf("%s has no ConfigMap with data", release)
	return "", "", ""
}

func (s *story) editConfigMap(t *testing.T) repaired {
	configs := s.Cluster.Client().CoreV1().ConfigMaps(namespace)
	name, key, was := s.config(t, "keystone")
	patch := fmt.Appendf(nil, `{"data":{%q:"edited by hand"}}`, key)
	if _, err := configs.Patch(t.Context(), name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	return func() (bool, string) {
		now, err := configs.Get(s.all.Context(), name, metav1.GetOptions{})
		return err == nil && now.Data[key] == was, fmt.Sprint(now.Data[key], err)
	}
}

func (s *story) deleteConfigMap(t *testing.T) repaired {
	configs := s.Cluster.Client().CoreV1().ConfigMaps(namespace)
	name, key, was := s.config(t, "neutron")
	if err := configs.Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	return func() (bool, string) {
		now, err := configs.Get(s.all.Context(), name, metav1.GetOptions{})
		return err == nil && now.Data[key] == was, fmt.Sprint(err)
	}
}

func (s *story) deleteSecret(t *testing.T) repaired {
	secrets := s.Cluster.Client().CoreV1().Secrets(namespace)
	list, err := secrets.List(t.Context(), metav1.ListOptions{LabelSelector: "app.kubernetes.io/managed-by=Helm"})
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(list.Items, func(secret corev1.Secret) bool { return strings.HasPrefix(secret.Name, "nova") })
	if at < 0 {
		t.Fatal("nova has no Secret")
	}
	was := list.Items[at]
	if err := secrets.Delete(t.Context(), was.Name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	return func() (bool, string) {
		now, err := secrets.Get(s.all.Context(), was.Name, metav1.GetOptions{})
		if err != nil || len(now.Data) != len(was.Data) {
			return false, fmt.Sprint(len(now.Data), err)
		}
		for key, value := range was.Data {
			if !bytes.Equal(now.Data[key], value) {
				return false, key + " has another value"
			}
		}
		return true, ""
	}
}

func (s *story) deleteDeployment(t *testing.T) repaired {
	deployments := s.Cluster.Client().AppsV1().Deployments(namespace)
	api, err := deployments.Get(t.Context(), "glance-api", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := deployments.Delete(t.Context(), api.Name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	return func() (bool, string) {
		now, err := deployments.Get(s.all.Context(), api.Name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return false, "it is gone"
		}
		return err == nil && now.UID != api.UID, fmt.Sprint(err)
	}
}

// editPassword sees to it that a generated password which somebody changed by hand is put back; that
// it reaches no release is seen by the revisions.
func (s *story) editPassword(t *testing.T) repaired {
	secrets := s.Cluster.Client().CoreV1().Secrets(namespace)
	was, err := secrets.Get(t.Context(), "kupenstack-credentials", metav1.GetOptions{})
	if err != nil || len(was.Data["keystone-admin"]) == 0 {
		t.Fatalf("there is no password of keystone's administrator: %v", err)
	}
	patch := []byte(`{"stringData":{"keystone-admin":"canary-edited-by-hand"}}`)
	if _, err := secrets.Patch(t.Context(), was.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	return func() (bool, string) {
		now, err := secrets.Get(s.all.Context(), was.Name, metav1.GetOptions{})
		return err == nil && bytes.Equal(now.Data["keystone-admin"], was.Data["keystone-admin"]), fmt.Sprint(err)
	}
}

func (s *story) unlabelNode(t *testing.T) repaired {
	nodes := s.Cluster.Client().CoreV1().Nodes()
	const label = "openstack-compute-node"
	patch := fmt.Appendf(nil, `{"metadata":{"labels":{%q:null}}}`, label)
	if node, err := nodes.Patch(t.Context(), "node-2", types.MergePatchType, patch, metav1.PatchOptions{}); err != nil || node.Labels[label] != "" {
		t.Fatalf("the labels are %v, error %v", node.Labels, err)
	}
	return func() (bool, string) {
		now, err := nodes.Get(s.all.Context(), "node-2", metav1.GetOptions{})
		return err == nil && now.Labels[label] == "enabled", fmt.Sprint(now.Labels, err)
	}
}

func (s *story) relabelNode(t *testing.T) repaired {
	nodes := s.Cluster.Client().CoreV1().Nodes()
	const label = "openstack-compute-node"
	patch := fmt.Appendf(nil, `{"metadata":{"labels":{%q:"disabled"}}}`, label)
	if node, err := nodes.Patch(t.Context(), "node-3", types.MergePatchType, patch, metav1.PatchOptions{}); err != nil || node.Labels[label] != "disabled" {
		t.Fatalf("the labels are %v, error %v", node.Labels, err)
	}
	return func() (bool, string) {
		now, err := nodes.Get(s.all.Context(), "node-3", metav1.GetOptions{})
		return err == nil && now.Labels[label] == "enabled", fmt.Sprint(now.Labels, err)
	}
}

// editPort changes what the server tells the ports of a Service by: ours would come beside it.
func (s *story) editPort(t *testing.T) repaired {
	services := s.Cluster.Client().CoreV1().Services(namespace)
	was, err := services.Get(t.Context(), "placement-api", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	patch := []byte(`[{"op": "replace", "path": "/spec/ports/0/port", "value": 19999}]`)
	if _, err := services.Patch(t.Context(), was.Name, types.JSONPatchType, patch, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	return func() (bool, string) {
		now, err := services.Get(s.all.Context(), was.Name, metav1.GetOptions{})
		if err != nil {
			return false, err.Error()
		}
		return now.UID == was.UID && slices.Equal(now.Spec.Ports, was.Spec.Ports), fmt.Sprint(now.Spec.Ports)
	}
}
