//go:build beds

package e2e_test

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kupenstack/kupenstack-sync/examples"
	"github.com/kupenstack/kupenstack-sync/test/addons"
	"github.com/kupenstack/kupenstack-sync/test/composed"
	"github.com/kupenstack/kupenstack-sync/test/world"
)

// TestExamples plans and deploys the examples as they are, but for the names of what is in OpenStack: they come
// up on the nodes that they are about, then there is nothing to do.
func TestExamples(t *testing.T) {
	for _, example := range []struct {
		name    string
		secrets map[string]bool // that somebody made, and whether they may be read
		addons  []addons.Addon  // what the cluster has: each kind that it serves costs its server a second
		extra   string          // the group of kinds that manifests bring
	}{
		{name: "minimal"},
		{name: "ha", addons: []addons.Addon{addons.CertManager(), addons.Gateway(), addons.Rook()}},
		{name: "tls", addons: []addons.Addon{addons.CertManager()}},
		{name: "rook", addons: []addons.Addon{addons.Rook()}, extra: "ceph.rook.io"},
		{name: "ceph", addons: []addons.Addon{addons.CertManager()}, secrets: map[string]bool{"ceph-images": false, "ceph-volumes": true, "ceph-backups": false}},
	} {
		t.Run(example.name, func(t *testing.T) {
			t.Parallel() // in a world of its own
			w := world.New(t)
			s := &everything{story{World: w, all: t}}
			addons.Install(t, w.Cluster.RESTConfig(), example.addons...)
			if example.extra != "" {
				w.Allow(t, example.extra)
			}
			s.furnish(t, example.name, example.secrets)
			s.commit = s.Push(t, "Describe the cloud")
			if r := s.Run(t, converges, "plan"); r.Code != 2 {
				t.Fatalf("the plan ended with %d:\n%s%s", r.Code, r.Stdout, r.Stderr)
			}
			s.pass(t)
			s.rest(t)
			switch example.name {
			case "ha":
				s.lose(t, "control-2")
			case "rook":
				s.anotherKey(t)
			case "ceph":
				s.late(t)
			case "tls":
				s.tested(t)
			}
			s.clear(t)
		})
	}
}

// anotherKey has Rook give a user another key, which pods of OpenStack get with the next pass. No key is shown.
func (s *everything) anotherKey(t *testing.T) {
	t.Helper()
	const user, key = "cinder-backup", "canary-of-a-key"
	secrets := s.Cluster.Client().CoreV1()
	of, err := secrets.Secrets("rook-ceph").Get(t.Context(), "rook-ceph-client-"+user, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	copied := func() string {
		secret, err := secrets.Secrets(namespace).Get(t.Context(), "kupenstack-ceph-"+user, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return string(secret.Data["key"])
	}
	if got := copied(); got == "" || got != string(of.Data[user]) {
		t.Error("the key of backups is not the one that Rook has")
	}
	of.Data[user] = []byte(key)
	if _, err := secrets.Secrets("rook-ceph").Update(t.Context(), of, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if r := s.Run(t, converges, "plan"); r.Code != 2 || strings.Contains(r.Stdout+r.Stderr, key) {
		t.Errorf("the plan ended with %d, and shows the key: %v", r.Code, strings.Contains(r.Stdout+r.Stderr, key))
	}
	if r := s.Run(t, converges); r.Code != 0 || strings.Contains(r.Stdout+r.Stderr, key) {
		t.Errorf("the pass ended with %d, and shows the key: %v", r.Code, strings.Contains(r.Stdout+r.Stderr, key))
	}
	for _, file := range []string{"README.md", "status.json"} {
		if strings.Contains(s.Status(t, file), key) {
			t.Errorf("%s shows the key", file)
		}
	}
	if got := copied(); got != key {
		t.Error("the key of backups is not the new one that Rook has")
	}
}

// late adds a node whose pods work and whose nova-compute does not come through to Nova: the pass waits for it, says so,
// and ends once it does.
func (s *everything) late(t *testing.T) {
	t.Helper()
	if s.Cloud.Computes() == nil {
		return // nobody asks after nodes that are played
	}
	name := s.Files.Prefix + "late"
	heard, missed := s.Silence(name), false
	s.node(t, name)
	s.Files.Write("late.hcl", fmt.Sprintf("node %q {\n  roles = [\"compute\"]\n}\n", name))
	s.commit = s.Push(t, "Add a node")
	r := s.RunUntil(t, converges, "/os-services: nova-compute on "+name+" has never reported", func() {
		missed = true
		heard()
	})
	if status, _ := s.ReadStatus(t); r.Code != 0 || !missed || status.Verdict != "converged" || status.Applied.Hash != s.commit {
		t.Errorf("the nova-compute was missed: %t; the pass ended with %d, %s of %s:\n%s%s", missed, r.Code, status.Verdict, status.Applied.Hash, r.Stdout, r.Stderr)
	}
	s.rest(t)
}

// tested wants the cloud to have been tested as a whole: the unit is ready only once that passed.
func (s *everything) tested(t *testing.T) {
	t.Helper()
	status, _ := s.ReadStatus(t)
	u := status.Unit("system.smoke_test")
	if u == nil || u.Phase != "ready" {
		t.Errorf("the smoke test is reported as %+v", u)
	}
}

// clear takes away what the example has in OpenStack, which other tests use as well: that they have instances there
// keeps the services.
func (s *everything) clear(t *testing.T) {
	t.Helper()
	for name, text := range s.Files.Content() {
		if strings.HasSuffix(name, ".hcl") {
			s.Files.Write(name, ofOpenStack().ReplaceAllString(text, ""))
		}
	}
	s.commit = s.Push(t, "Take away what is in OpenStack")
	s.pass(t)
	for _, network := range s.Networks(t) {
		if strings.HasPrefix(network.Name, s.Files.Prefix) {
			t.Errorf("the network %s is left", network.Name)
		}
	}
}

// ofOpenStack finds blocks of the examples that make something in OpenStack.
func ofOpenStack() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^((?:project|network|subnet|flavor|image) "([^"]+)" \{)(?:\}|\n(?:(?:  .*)?\n)*\})$|^  smoke_test \{\n(?:    .*\n)*  \}$`)
}

// lose takes a node away from under the cloud, with all pods that run there, and pods of an API. The machine comes
// back as a node that nobody knows; one pass later it does again what it did, and the release is the same.
func (s *everything) lose(t *testing.T, name string) {
	t.Helper()
	client, revisions := s.Cluster.Client(), s.releases(t)
	before, err := client.CoreV1().Nodes().Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := client.CoreV1().Nodes().Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	at := int64(0) // nobody is there to end them
	of := metav1.ListOptions{FieldSelector: "spec.nodeName=" + name}
	if err := client.CoreV1().Pods(namespace).DeleteCollection(t.Context(), metav1.DeleteOptions{GracePeriodSeconds: &at}, of); err != nil {
		t.Fatal(err)
	}
	for _, application := range []string{"keystone", "nova"} {
		if err := client.CoreV1().Pods(namespace).DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "application=" + application}); err != nil {
			t.Fatal(err)
		}
	}
	s.node(t, name)
	s.pass(t)
	after, err := client.CoreV1().Nodes().Get(t.Context(), name, metav1.GetOptions{})
	if err != nil || after.UID == before.UID {
		t.Fatalf("the node is the same: %v", err)
	}
	for label, value := range before.Labels {
		if after.Labels[label] != value {
			t.Errorf("the node has %s=%s, and had %s", label, after.Labels[label], value)
		}
	}
	pods, err := client.CoreV1().Pods(namespace).List(t.Context(), of)
	if err != nil || len(pods.Items) == 0 {
		t.Errorf("%d pods run on the node, %v", len(pods.Items), err)
	}
	if now := s.releases(t); !slices.Equal(now, revisions) {
		t.Errorf("a lost node made new revisions: %v, before %v", now, revisions)
	}
	s.rest(t)
}

// node makes a node that is played.
func (s *everything) node(t *testing.T, name string) {
	t.Helper()
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{
		Name: name, Annotations: map[string]string{"kwok.x-k8s.io/node": "fake"}, Labels: map[string]string{corev1.LabelHostname: name}, // as a kubelet does
	}}
	if _, err := s.Cluster.Client().CoreV1().Nodes().Create(t.Context(), node, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		t.Fatal(err)
	}
}

// furnish takes an example as the configuration, and makes the nodes and Secrets that it speaks of.
func (s *everything) furnish(t *testing.T, example string, secrets map[string]bool) {
	t.Helper()
	named := regexp.MustCompile(`(?m)^((?:project|network|subnet|flavor|image) "([^"]+)" \{)(\}?)$`)
	source := regexp.MustCompile(`(?m)^  source +=.*\n  checksum +=.*\n  disk_format +=.*$`)
	for name := range s.Files.Content() {
		if strings.HasSuffix(name, ".hcl") {
			s.Files.Remove(name)
		}
	}
	files, err := fs.Glob(examples.FS, example+"/*.hcl")
	if err != nil || len(files) == 0 {
		t.Fatalf("the files of %s: %q, %v", example, files, err)
	}
	for _, file := range files {
		text, err := fs.ReadFile(examples.FS, file)
		if err != nil {
			t.Fatal(err)
		}
		changed := source.ReplaceAllString(string(text), "  source = \""+s.Image+"\"\n  disk_format = \"raw\"") // which the world has
		changed = named.ReplaceAllString(changed, "$1\n  name = \""+s.Files.Prefix+"$2\"\n$3")
		// A physical network takes one flat network, and the OpenStack is shared.
		physical := strings.NewReplacer(`physical_network "external"`, `physical_network "`+s.Files.Prefix+`external"`, `physical_network = "external"`, `physical_network = "`+s.Files.Prefix+`external"`)
		s.Files.Write(strings.TrimPrefix(file, example+"/"), physical.Replace(changed))
	}
	client := s.Cluster.Client().CoreV1()
	m, _ := composed.Load(t, examples.FS, example)
	for _, node := range m.Nodes {
		s.node(t, node.Name)
	}
	if len(secrets) == 0 {
		return
	}
	if _, err := client.Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	for name, readable := range secrets {
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name}, StringData: map[string]string{"key": "AQC1234567890123456789012345678901234567=="}}
		if readable {
			secret.Labels = map[string]string{"kupenstack.io/readable": "true"}
		}
		if _, err := client.Secrets(namespace).Create(t.Context(), secret, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
}
