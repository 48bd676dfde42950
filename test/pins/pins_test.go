//go:build beds

package pins_test

import (
	"os/exec"
	"strings"
	"testing"

	_ "github.com/fluxcd/cli-utils/pkg/kstatus/status"
	_ "github.com/fluxcd/pkg/ssa"
	_ "github.com/fsnotify/fsnotify"
	_ "github.com/go-git/go-git/v5"
	_ "github.com/go-logr/zerologr"
	_ "github.com/gophercloud/gophercloud/v2"
	_ "github.com/gophercloud/utils/v2/openstack/clientconfig"
	_ "github.com/hashicorp/hcl/v2/hclsyntax"
	_ "github.com/rs/zerolog"
	_ "github.com/zclconf/go-cty-yaml"
	_ "github.com/zclconf/go-cty/cty"
	_ "helm.sh/helm/v3/pkg/action"
	_ "k8s.io/api/core/v1"
	_ "k8s.io/apimachinery/pkg/apis/meta/v1"
	_ "k8s.io/cli-runtime/pkg/genericclioptions"
	_ "k8s.io/client-go/kubernetes"
	_ "sigs.k8s.io/controller-runtime/pkg/client"
)

// TestPinnedVersions fails when a version of the set changes by accident: another
// module's requirement may raise one of them without anybody asking for it.
func TestPinnedVersions(t *testing.T) {
	want := map[string]string{
		"github.com/fluxcd/cli-utils":           "v1.3.0",
		"github.com/fluxcd/pkg/ssa":             "v0.78.0",
		"github.com/fsnotify/fsnotify":          "v1.10.1",
		"github.com/go-git/go-git/v5":           "v5.19.3",
		"github.com/go-logr/zerologr":           "v1.2.3",
		"github.com/gophercloud/gophercloud/v2": "v2.16.0",
		"github.com/gophercloud/utils/v2":       "v2.0.0-20260626221802-4ae35253ac13",
		"github.com/hashicorp/hcl/v2":           "v2.25.0",
		"github.com/rs/zerolog":                 "v1.35.1",
		"github.com/zclconf/go-cty":             "v1.20.0",
		"github.com/zclconf/go-cty-yaml":        "v1.2.0",
		"helm.sh/helm/v3":                       "v3.22.0",
		"k8s.io/api":                            "v0.37.2",
		"k8s.io/apimachinery":                   "v0.37.2",
		"k8s.io/cli-runtime":                    "v0.37.2",
		"k8s.io/client-go":                      "v0.37.2",
		"sigs.k8s.io/controller-runtime":        "v0.25.2",
	}
	const format = `{{.Path}} {{.Version}}{{with .Replace}} replaced by {{.Path}}{{end}}`
	output, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", format, "all").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	got := map[string]string{}
	for line := range strings.Lines(string(output)) {
		fields := strings.Fields(line)
		if len(fields) > 2 {
			t.Errorf("%s: the set must work without replace lines", strings.TrimSpace(line))
		}
		if len(fields) > 1 { // the main module has no version
			got[fields[0]] = fields[1]
		}
	}
	for path, version := range want {
		if got[path] != version {
			t.Errorf("%s is %q, want %s; change go.mod and this table together", path, got[path], version)
		}
	}
}
