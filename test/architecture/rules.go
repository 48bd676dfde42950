package architecture

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
)

// Module is the import path that all our packages start with.
const Module = "github.com/kupenstack/kupenstack-sync"

// Package is what the rules need to know of one package of the module.
type Package struct {
	Path    string   // relative to the module: "internal/addr"
	Imports []string // full import paths of the package itself, without its tests
	HasDoc  bool     // a doc.go with a package comment
}

// layers is the drawing of the design, from the ground up: a package imports only what
// stands before it. Commands stand on everything.
func layers() []string {
	return []string{
		"internal/addr",
		"internal/redact",
		"internal/contain",
		"internal/guard",
		"internal/diag",
		"internal/suspension",
		"internal/request",
		"internal/budget",
		"internal/memory",
		"internal/confine",
		"internal/codes",
		"internal/chartlock",
		"internal/manifest",
		"internal/graph",
		"schema",
		"internal/cleanup",
		"internal/reference",
		"internal/signature",
		"internal/gitrepo",
		"internal/sops",
		"internal/model",
		"internal/config",
		"internal/format",
		"internal/resolve",
		"internal/chartkeys",
		"internal/unit",
		"internal/cause",
		"internal/explain",
		"internal/compose",
		"internal/convert",
		"internal/export",
		"internal/inventory",
		"internal/plan",
		"internal/driver/kube",
		"internal/driver/helm",
		"internal/driver/openstack",
		"internal/driver/web",
		"internal/engine",
		"internal/revision",
		"internal/report",
		"internal/statusbranch",
		"internal/webhook",
		"internal/daemon",
	}
}

// pure packages turn values into values: no files, no network, no clients.
func pure() []string {
	return []string{
		"internal/addr", "internal/redact", "internal/diag", "internal/suspension", "internal/request", "internal/codes", "internal/chartlock", "internal/chartkeys", "internal/cleanup", "internal/manifest", "internal/graph", "internal/signature", "internal/sops", "internal/model",
		"internal/resolve", "internal/unit", "internal/cause", "internal/explain", "internal/compose", "internal/convert", "internal/export", "internal/plan", "internal/report", "internal/reference",
	}
}

// impure tells whether a pure package must not import this path. Libraries count with all
// their packages; of the standard library only these, as net/url reaches no network.
func impure(imported string) bool {
	return slices.Contains([]string{"os", "os/exec", "os/signal", "net", "net/http", "syscall"}, imported) ||
		within(imported, "k8s.io/client-go") || within(imported, "github.com/rs/zerolog")
}

// homes names, for each heavy library, the packages that may import it. A library under
// several homes is one whose types two neighbours really share.
func homes() map[string][]string {
	return map[string][]string{
		"github.com/fluxcd/pkg/ssa":             {"internal/driver/kube"},
		"github.com/fluxcd/cli-utils":           {"internal/driver/kube"},
		"helm.sh/helm":                          {"internal/driver/helm"},
		"github.com/gophercloud":                {"internal/driver/openstack"},
		"github.com/go-git":                     {"internal/gitrepo"},
		"github.com/hashicorp/hcl":              {"internal/config"},
		"filippo.io/age":                        {"internal/sops"},
		"github.com/fsnotify/fsnotify":          {"internal/daemon"},
		"sigs.k8s.io/controller-runtime":        {"internal/driver/kube"},
		"k8s.io/client-go":                      {"internal/driver/kube"},
		"k8s.io/cli-runtime":                    {"internal/driver/helm"},
		"github.com/santhosh-tekuri/jsonschema": {"internal/driver/helm"},
		"k8s.io/klog":                           {"internal/driver/kube", "internal/driver/helm"},
		"golang.org/x/crypto":                   {"internal/gitrepo", "internal/signature", "internal/driver/openstack"},
		"github.com/ProtonMail/go-crypto":       {"internal/signature"},
		"github.com/google/go-github":           {"internal/webhook"},
		"golang.org/x/time":                     {"internal/webhook"},
		"github.com/hiddeco/sshsig":             {"internal/signature"},
		"golang.org/x/term":                     {"cmd/kupenstack-sync"},
		"github.com/gliderlabs/ssh":             {},
		"github.com/go-logr/zerologr":           {"cmd/internal/wire"},
		"k8s.io/apiextensions-apiserver":        {"internal/driver/kube"},
		"github.com/prometheus/client_golang":   {"internal/daemon"},
		"oras.land/oras-go":                     {"internal/driver/helm"},
	}
}

// light are the libraries that any package may import, as they bring types and functions, no clients. One
// that is in neither list is refused: somebody has to say which it is.
func light() []string {
	return []string{
		"github.com/Masterminds/semver",
		"github.com/agext/levenshtein",
		"github.com/distribution/reference",
		"github.com/google/uuid",
		"github.com/rs/zerolog",
		"github.com/spf13/cobra",
		"github.com/spf13/pflag",
		"github.com/zclconf/go-cty",
		"github.com/zclconf/go-cty-yaml",
		"golang.org/x/sync",
		"golang.org/x/sys",
		"golang.org/x/text",
		"gopkg.in/yaml.v3",
		"k8s.io/api",
		"k8s.io/apimachinery",
		"sigs.k8s.io/yaml",
	}
}

// Violations applies every rule and returns one sentence for each breach, sorted.
func Violations(packages []Package) []string {
	var found []string
	for _, p := range packages {
		if !p.HasDoc {
			found = append(found, p.Path+" has no doc.go with a package comment")
		}
		if strings.HasPrefix(p.Path, "test/") {
			continue // tests may use anything; what they may not be is imported
		}
		found = append(found, misplaced(p)...)
		for _, imported := range p.Imports {
			if inner, ok := strings.CutPrefix(imported, Module+"/"); ok {
				found = append(found, wrongDirection(p.Path, inner)...)
				continue
			}
			found = append(found, wrongHome(p.Path, imported)...)
			if slices.Contains(pure(), p.Path) && impure(imported) {
				found = append(found, fmt.Sprintf("%s is pure and must not import %s", p.Path, imported))
			}
		}
	}
	sort.Strings(found)
	return found
}

func misplaced(p Package) []string {
	if isCommand(p.Path) || p.Path == "examples" || place(p.Path) >= 0 {
		return nil
	}
	return []string{p.Path + " has no place in the drawing: add it to layers"}
}

func wrongDirection(from, to string) []string {
	switch {
	case strings.HasPrefix(to, "test/"):
		return []string{fmt.Sprintf("%s imports %s: the product never imports test code", from, to)}
	case isCommand(to) && (!isCommand(from) || !underHome(to, "cmd/internal")):
		return []string{fmt.Sprintf("%s imports the command %s", from, to)}
	case isCommand(from):
		return nil
	case to == "examples":
		return []string{fmt.Sprintf("%s imports examples: only commands and tests do", from)}
	case strings.HasPrefix(to, "internal/driver/"):
		return []string{fmt.Sprintf("%s imports %s: drivers are wired in cmd", from, to)}
	case place(to) >= place(from):
		return []string{fmt.Sprintf("%s imports %s, which stands above it", from, to)}
	}
	return nil
}

func wrongHome(from, library string) []string {
	for prefix, allowed := range homes() {
		if within(library, prefix) && !slices.ContainsFunc(allowed, func(home string) bool { return underHome(from, home) }) {
			return []string{fmt.Sprintf("%s imports %s, whose home is %s", from, library, strings.Join(allowed, ", "))}
		}
	}
	isListed := func(prefix string) bool { return within(library, prefix) }
	if isLibrary(library) && !slices.ContainsFunc(slices.Collect(maps.Keys(homes())), isListed) && !slices.ContainsFunc(light(), isListed) {
		return []string{fmt.Sprintf("%s imports %s, which has no home: name it in homes, or in light if it brings no clients", from, library)}
	}
	return nil
}

// isLibrary tells the module of somebody else from the standard library, whose paths have no dot in the
// first part.
func isLibrary(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return strings.Contains(first, ".")
}

// place is the height of a package's layer; packages below a layer's folder share it.
func place(path string) int {
	return slices.IndexFunc(layers(), func(layer string) bool { return underHome(path, layer) })
}

func isCommand(path string) bool { return strings.HasPrefix(path, "cmd/") }

func underHome(path, home string) bool { return path == home || strings.HasPrefix(path, home+"/") }

// within also takes major versions beside the prefix: helm.sh/helm covers helm.sh/helm/v3/pkg/action.
func within(path, prefix string) bool { return path == prefix || strings.HasPrefix(path, prefix+"/") }
