package config_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// Whoever writes what Terraform has is told what stands for it here.
func TestHabits(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`resource "network" "a" {}`:                         `network "a" { … }`,
		`resource "networks" "a" {}`:                        `network "a" { … }`,
		`resource "openstack_networking_network_v2" "a" {}`: `network "a" { … }`,
		`resource "openstack_networking_router_v2" "a" {}`:  `router "a" { … }`,
		`resource "openstack_compute_instance_v2" "a" {}`:   `instance "a" { … }`,
		`resource "aws_thing" {}`:                           `network "web" { … }`,
		`resource {}`:                                       `network "web" { … }`,
		`provider "openstack" {}`:                           "openstack { … }",
		`terraform {}`:                                      "recorded in the cluster",
		`check "a" {}`:                                      "validation { … }",

		`project "a" { count = 2 }`:                               "for_each",
		`project "a" { provider = b }`:                            "one OpenStack",
		"project \"a\" {\n  lifecycle { replace = [] }\n}":        "replace_triggered_by = […]",
		"project \"a\" {\n  precondition { condition = true }\n}": "validation { … }",
		"project \"a\" {\n  provisioner \"local-exec\" {}\n}":     "user_data",
		"project \"a\" {\n  timeouts {}\n}":                       "deadline",
		`project "a" { description = count.index }`:               "each.key",
		`project "a" { description = self.id }`:                   "a local",
		`project "a" { description = terraform.workspace }`:       "--var-file",
	} {
		_, diags := config.Load(schema.New(), fstest.MapFS{"main.hcl": {Data: []byte(text + "\n")}}, ".", config.DefaultLimits())
		var hints []string
		for _, d := range diags {
			hints = append(hints, d.Hint)
		}
		if !strings.Contains(strings.Join(hints, "\n"), want) {
			t.Errorf("%s\nwant a hint with %q, got %q", text, want, hints)
		}
	}
}
