package deploy_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the plain manifests")

const (
	namespace = "kupenstack-system"
	header    = `# KupenStack without Helm. Generated from deploy/chart by ` + "`make generate`" + `; do not edit it in this repository.
#
# Before you apply it, put your own repository and the image that you built in the place of
#
#     --repo=` + exampleURL + `
#     image: "ghcr.io/kupenstack/kupenstack-sync:…"
#
# below: no image is published yet. A private repository needs a Secret with the credential and the
# flag that names its file; render the chart to see both:
#
#     helm template kupenstack deploy/chart --namespace ` + namespace + ` \
#       --set 'deployer.namespaces={openstack}' \
#       --set repo.url=URL --set repo.secret=NAME --set 'repo.secretKeys={password}'
#
# deployer.namespaces are those of the cloud and of chart blocks, and have to be there before: an account that is bound to
# them writes what charts bring. To have that, apply what this prints in place of this file, once the namespace ` + namespace + `
# is there. This file goes without: its one account has escalate and bind, which is an administrator of the cluster.
#
# Then: kubectl apply --server-side -f kupenstack.yaml
`
	system = `apiVersion: v1
kind: Namespace
metadata:
  name: ` + namespace + `
`
)

// manifests returns what the file should hold.
func manifests(t *testing.T) string {
	t.Helper()
	texts, err := render(namespace, values{"repo": values{"url": exampleURL}})
	if err != nil {
		t.Fatal(err)
	}
	return header + "---\n" + strings.Join(append([]string{system}, texts...), "---\n")
}

func TestManifests(t *testing.T) {
	name := filepath.Join(root, "deploy", "manifests", "kupenstack.yaml")
	want := manifests(t)
	if *update {
		if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("deploy/manifests/kupenstack.yaml is not what the chart renders: run `make generate`")
	}
}
