package demo_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/go-git/go-git/v5"
	gitconfig "github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/storage/memory"
	"github.com/gophercloud/gophercloud/v2"
	client "github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/hypervisors"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/networks"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kupenstack/kupenstack-sync/test/charts"
	"github.com/kupenstack/kupenstack-sync/test/cluster"
	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
	"github.com/kupenstack/kupenstack-sync/test/gitserver"
	"github.com/kupenstack/kupenstack-sync/test/testbed"
)

// say prints the story; the test's own log would put file and line before each sentence.
func say(format string, args ...any) { fmt.Fprintf(os.Stdout, format+"\n", args...) }

func TestDemo(t *testing.T) {
	testbed.Dir(t) // one line about missing beds, not four
	t.Run("Kubernetes", showKubernetes)
	t.Run("OpenStack", showOpenStack)
	t.Run("Git", showGit)
}

func showKubernetes(t *testing.T) {
	// A cluster of its own: the charts need labels on nodes, which belong to everybody.
	began := time.Now()
	c := testbed.PlayedCluster(t, cluster.Options{})
	say("\nKubernetes %s with 3 nodes, started in %.1f s at %s", c.KubernetesVersion, time.Since(began).Seconds(), c.ServerURL)

	nodes, err := c.Client().CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, node := range nodes.Items {
		labels := []byte(`{"metadata":{"labels":{"openstack-control-plane":"enabled"}}}`)
		if _, err := c.Client().CoreV1().Nodes().Patch(t.Context(), node.Name, types.MergePatchType, labels, metav1.PatchOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	const namespace = "openstack"
	for _, name := range []string{"mariadb", "rabbitmq", "memcached", "keystone"} {
		began := time.Now()
		loaded, err := charts.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := charts.Install(t.Context(), c.Kubeconfig, namespace, loaded, nil, 2*time.Minute); err != nil {
			t.Fatal(err)
		}
		say("helm install %-10s %4.1f s", name, time.Since(began).Seconds())
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	defer table.Flush()
	fmt.Fprintln(table, "POD\tPHASE\tREADY")
	for {
		pods, err := c.Client().CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if len(pods.Items) > 0 && !slices.ContainsFunc(pods.Items, unsettled) {
			for _, pod := range pods.Items {
				fmt.Fprintf(table, "%s\t%s\t%t\n", pod.Name, pod.Status.Phase, ready(pod))
			}
			return
		}
		select {
		case <-ctx.Done():
			t.Fatal("the pods do not settle")
		case <-time.After(200 * time.Millisecond): // the next look
		}
	}
}

// unsettled tells whether a pod is neither ready nor done.
func unsettled(pod corev1.Pod) bool { return pod.Status.Phase != corev1.PodSucceeded && !ready(pod) }

func ready(pod corev1.Pod) bool {
	return slices.ContainsFunc(pod.Status.Conditions, func(condition corev1.PodCondition) bool {
		return condition.Type == corev1.PodReady && condition.Status == corev1.ConditionTrue
	})
}

func showOpenStack(t *testing.T) {
	cloud := testbed.OpenStack(t)
	fleet := faultproxy.StartFleet(t, cloud.Endpoints, faultproxy.Options{Transport: cloud.Transport()})
	provider, err := cloud.ProviderAt(t.Context(), fleet.URL("identity"))
	if err != nil {
		t.Fatal(err)
	}
	endpoint := gophercloud.EndpointOpts{Region: cloud.Region}
	compute, err := client.NewComputeV2(provider, endpoint)
	if err != nil {
		t.Fatal(err)
	}
	network, err := client.NewNetworkV2(provider, endpoint)
	if err != nil {
		t.Fatal(err)
	}
	say("\nOpenStack at %s, seen through a proxy at %s", cloud.AuthURL, fleet.URL("identity"))
	pages, err := hypervisors.List(compute, nil).AllPages(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	hosts, err := hypervisors.ExtractHypervisors(pages)
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range hosts {
		say("compute host %s is %s", host.HypervisorHostname, host.State)
	}

	lost := fleet.Add(faultproxy.Rule{
		Match: faultproxy.Match{Verb: http.MethodPost, Path: "/v2.0/networks"}, Limit: 1, Action: faultproxy.ResetAfter(),
	})
	name := "demo-" + strings.ToLower(rand.Text())
	_, err = networks.Create(t.Context(), network, networks.CreateOpts{Name: name}).Extract()
	if err == nil || lost.Fired() != 1 {
		t.Fatalf("the answer was not lost: fired %d times, error %v", lost.Fired(), err)
	}
	say("creating network %s: the answer was lost (%v)", name, err)
	pages, err = networks.List(network, networks.ListOpts{Name: name}).AllPages(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	found, err := networks.ExtractNetworks(pages)
	if err != nil || len(found) != 1 {
		t.Fatalf("found %d networks of that name, error %v", len(found), err)
	}
	say("...yet it exists: %s; who creates it blindly again has it twice", found[0].ID)
	if err := networks.Delete(t.Context(), network, found[0].ID).ExtractErr(); err != nil {
		t.Fatal(err)
	}
	say("requests that the proxies counted:\n%s", fleet.Counts())
}

func showGit(t *testing.T) {
	store := gitserver.NewStore(t)
	repository := store.Create(t, "cloud")
	repository.Commit(t, map[string]string{"cloud.hcl": "cloud \"demo\" {}\n"}, "Describe the cloud")
	server := gitserver.StartHTTP(t, store)
	server.SetAnonymous(gitserver.ReadOnly)
	say("\nGit repository at %s", server.URL(repository))
	list := func() error {
		_, err := git.NewRemote(memory.NewStorage(), &gitconfig.RemoteConfig{URLs: []string{server.URL(repository)}}).ListContext(t.Context(), &git.ListOptions{})
		return err
	}
	if err := list(); err != nil {
		t.Fatal(err)
	}
	server.SetFaults(gitserver.Faults{Status: http.StatusServiceUnavailable, Times: 1})
	broken := list()
	if broken == nil {
		t.Fatal("the fault did not show")
	}
	say("ls-remote while the server is broken: %v", broken)
	if err := list(); err != nil {
		t.Fatal(err)
	}
	say("ls-remote a moment later: fine; the server counted %d", server.Requests()["cloud"].ListRefs)
}
