//go:build beds

package demo_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kupenstack/kupenstack-sync/test/world"
)

// drift changes the world behind the daemon's back.
func (s *story) drift(t *testing.T) {
	say("\n== 3. Change the world behind its back")
	s.editConfig(t)
	s.deleteDeployment(t)
	s.deleteInstance(t)
	// The world is as it was; the daemon may have to see that yet, and to write it down.
	world.Await(t, reacts, func() (bool, string) {
		status, _ := s.ReadStatus(t)
		for _, address := range repaired() {
			if u := status.Unit(address); u == nil || len(u.Healed) == 0 || u.Phase != "ready" {
				return false, fmt.Sprintf("the report says of %s: %+v", address, u)
			}
		}
		return true, ""
	})
	s.await(t, "converged")
}

// repaired are the units that the drift happens to.
func repaired() []string { return []string{"service.keystone", "service.glance", `instance.web["b"]`} }

func (s *story) editConfig(t *testing.T) {
	configs := s.Cluster.Client().CoreV1().ConfigMaps(namespace)
	list, err := configs.List(t.Context(), metav1.ListOptions{LabelSelector: "app.kubernetes.io/managed-by=Helm"})
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(list.Items, func(c corev1.ConfigMap) bool { return strings.HasPrefix(c.Name, "keystone") && len(c.Data) > 0 })
	if at < 0 {
		t.Fatal("keystone has no ConfigMap with data")
	}
	name, data := list.Items[at].Name, list.Items[at].Data
	key := slices.Min(slices.Collect(maps.Keys(data)))
	say("Edit the ConfigMap %s: %s is now \"edited by hand\", not %d bytes of what the chart says.", name, key, len(data[key]))
	began := time.Now()
	patch := fmt.Appendf(nil, `{"data":{%q:"edited by hand"}}`, key)
	if _, err := configs.Patch(t.Context(), name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	world.Await(t, reacts, func() (bool, string) {
		now, err := configs.Get(t.Context(), name, metav1.GetOptions{})
		return err == nil && now.Data[key] == data[key], fmt.Sprint("not as before; ", err)
	})
	say("  %s later it says what the chart says.", seconds(time.Since(began)))
}

func (s *story) deleteDeployment(t *testing.T) {
	deployments := s.Cluster.Client().AppsV1().Deployments(namespace)
	was, err := deployments.Get(t.Context(), "glance-api", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	say("Delete the Deployment glance-api, %s.", was.UID)
	began := time.Now()
	if err := deployments.Delete(t.Context(), was.Name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	world.Await(t, reacts, func() (bool, string) {
		now, err := deployments.Get(t.Context(), was.Name, metav1.GetOptions{})
		if err != nil || now.UID == was.UID {
			return false, fmt.Sprint("not there again; ", err)
		}
		say("  %s later there is another one, %s.", seconds(time.Since(began)), now.UID)
		return true, ""
	})
}

func (s *story) deleteInstance(t *testing.T) {
	id := s.server(t, "web-b").ID
	say("Delete the instance web-b, %s. OpenStack tells nobody: the daemon looks every ten seconds here (--resync).", id)
	began := time.Now()
	s.DeleteServer(t, id)
	world.Await(t, reacts, func() (bool, string) {
		now := s.server(t, "web-b")
		if now.ID == id || now.Status != "ACTIVE" {
			return false, fmt.Sprintf("%+v", now)
		}
		say("  %s later it runs again, %s.", seconds(time.Since(began)), now.ID)
		return true, ""
	})
}

// tellHealed prints what the report says about repaired drift, of each of these units.
func (s *story) tellHealed(t *testing.T, status world.Status, addresses ...string) {
	t.Helper()
	for _, address := range addresses {
		u := status.Unit(address)
		if u == nil || len(u.Healed) == 0 {
			t.Fatalf("the report does not say that %s was repaired: %+v", address, u)
		}
		field := u.Healed[0]
		say("  %s: %s: %q, put back to %q", address, field.Path, short(field.Before), short(field.After))
	}
}

// short cuts a text, and takes its lines apart no further than the first.
func short(text string) string {
	line, rest, more := strings.Cut(strings.TrimSpace(text), "\n")
	if len(line) > 60 || more && rest != "" {
		return line[:min(len(line), 60)] + " ..."
	}
	return line
}
