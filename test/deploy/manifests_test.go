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
# What charts bring is written by an account that is bound to the namespace openstack alone. Where the cloud has another
# one, or chart blocks have some of their own, name them there and apply what this prints in place of this file.
#
# Then:
#
#     kubectl create namespace ` + namespace + `
#     kubectl create namespace openstack
#     kubectl apply --server-side -f kupenstack.yaml
#
# The namespaces are not among what is here, so that deleting this deletes none: in the one is what the daemon knows of
# the cloud, in the other the cloud.
`
)

// manifests returns what the file should hold.
func manifests(t *testing.T) string {
	t.Helper()
	texts, err := render(namespace, values{"repo": values{"url": exampleURL}})
	if err != nil {
		t.Fatal(err)
	}
	return header + "---\n" + strings.Join(texts, "---\n")
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
