package architecture_test

import (
	"encoding/json"
	"errors"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/test/architecture"
)

const module = architecture.Module

func TestRules(t *testing.T) {
	tests := []struct {
		name    string
		path    string
		imports []string
		want    string // part of the one sentence; empty: no breach
	}{
		{"downwards", "internal/daemon", []string{module + "/internal/addr"}, ""},
		{"upwards", "internal/addr", []string{module + "/internal/diag"}, "which stands above it"},
		{"a neighbour below a layer's folder", "internal/config/eval", []string{module + "/internal/resolve"}, "which stands above it"},
		{"a driver from the engine", "internal/engine", []string{module + "/internal/driver/kube"}, "drivers are wired in cmd"},
		{"a driver from a driver", "internal/driver/openstack", []string{module + "/internal/driver/kube"}, "drivers are wired in cmd"},
		{"a driver from a command", "cmd/kupenstackd", []string{module + "/internal/driver/kube"}, ""},
		{"test code from the product", "internal/engine", []string{module + "/test/cluster"}, "never imports test code"},
		{"what the commands share", "cmd/kupenstackd", []string{module + "/cmd/internal/wire"}, ""},
		{"what the commands share, from elsewhere", "internal/daemon", []string{module + "/cmd/internal/wire"}, "imports the command"},
		{"a command from a command", "cmd/kupenstackd", []string{module + "/cmd/kupenstack-sync"}, "imports the command"},
		{"a command", "internal/daemon", []string{module + "/cmd/kupenstackd"}, "imports the command"},
		{"helm outside its home", "internal/engine", []string{"helm.sh/helm/v3/pkg/action"}, "whose home is internal/driver/helm"},
		{"helm in a command", "cmd/kupenstackd", []string{"helm.sh/helm/v3/pkg/action"}, "whose home is internal/driver/helm"},
		{"configurations of clients in a command", "cmd/internal/wire", []string{"k8s.io/client-go/rest"}, "whose home is internal/driver/kube"},
		{"the lease of the daemon", "internal/daemon", []string{"k8s.io/client-go/tools/leaderelection"}, "whose home is internal/driver/kube"},
		{"the logger of a library in a command", "cmd/internal/wire", []string{"sigs.k8s.io/controller-runtime/pkg/log"}, "whose home is internal/driver/kube"},
		{"clients in the driver of releases", "internal/driver/helm", []string{"k8s.io/client-go/kubernetes"}, "whose home is internal/driver/kube"},
		{"clients at home", "internal/driver/kube", []string{"k8s.io/client-go/rest"}, ""},
		{"helm at home", "internal/driver/helm", []string{"helm.sh/helm/v3/pkg/action"}, ""},
		{"gophercloud's utils outside", "internal/compose", []string{"github.com/gophercloud/utils/v2/openstack/clientconfig"}, "whose home is internal/driver/openstack"},
		{"go-git beside its home", "internal/statusbranch", []string{"github.com/go-git/go-git/v5/plumbing"}, "whose home is internal/gitrepo"},
		{"hcl outside its home", "internal/resolve", []string{"github.com/hashicorp/hcl/v2/hclsyntax"}, "whose home is internal/config"},
		{"a library of like name", "internal/engine", []string{"helm.sh/helmet"}, "has no home"},
		{"a library that nobody has placed", "internal/engine", []string{"k8s.io/kubectl/pkg/cmd"}, "has no home"},
		{"a light library of like name", "internal/engine", []string{"k8s.io/apiserver/pkg/server"}, "has no home"},
		{"a light library", "internal/engine", []string{"k8s.io/apimachinery/pkg/types"}, ""},
		{"the standard library", "internal/engine", []string{"encoding/json"}, ""},
		{"files in a pure package", "internal/plan", []string{"os"}, "is pure"},
		{"the network in a pure package", "internal/report", []string{"net/http"}, "is pure"},
		{"net/url is no network", "internal/report", []string{"net/url"}, ""},
		{"unknown package", "internal/helpers", nil, "no place in the drawing"},
		{"examples from the product", "internal/engine", []string{module + "/examples"}, "only commands and tests"},
		{"tests use anything", "test/crash", []string{"helm.sh/helm/v3/pkg/action", module + "/internal/engine"}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := architecture.Violations([]architecture.Package{{Path: test.path, Imports: test.imports, HasDoc: true}})
			switch {
			case test.want == "" && len(got) > 0:
				t.Errorf("unexpected: %q", got)
			case test.want != "" && (len(got) != 1 || !strings.Contains(got[0], test.want)):
				t.Errorf("got %q, want one sentence with %q", got, test.want)
			}
		})
	}
}

func TestMissingDocIsABreach(t *testing.T) {
	got := architecture.Violations([]architecture.Package{{Path: "internal/addr"}})
	if len(got) != 1 || !strings.Contains(got[0], "no doc.go") {
		t.Errorf("got %q", got)
	}
}

// TestModule applies the rules to the module itself.
func TestModule(t *testing.T) {
	imports := readSources(t)
	command := exec.CommandContext(t.Context(), "go", "list", "-tags", "beds", "-json=ImportPath,Dir,Doc,GoFiles", module+"/...")
	output, err := command.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("go list: %v: %s", err, exit.Stderr)
		}
		t.Fatalf("go list: %v", err)
	}
	var packages []architecture.Package
	decoder := json.NewDecoder(strings.NewReader(string(output)))
	for {
		var listed struct {
			ImportPath, Dir, Doc string
			GoFiles              []string
		}
		if err := decoder.Decode(&listed); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, architecture.Package{
			Path:    strings.TrimPrefix(listed.ImportPath, module+"/"),
			Imports: imports[listed.Dir],
			HasDoc:  listed.Doc != "" && slices.ContainsFunc(listed.GoFiles, func(file string) bool { return filepath.Base(file) == "doc.go" }),
		})
		delete(imports, listed.Dir)
	}
	for dir := range imports {
		t.Errorf("%s has sources that go list leaves out: the rules do not see what they import", dir)
	}
	if len(packages) < 4 {
		t.Fatalf("go list found only %d packages: is the pattern right?", len(packages))
	}
	for _, violation := range architecture.Violations(packages) {
		t.Error(violation)
	}
}

// readSources returns what the sources in each directory import, those of tests apart. `go list` would
// leave out what is for another system or has a build tag. And Go's test cache knows what a test reads
// itself, not what a command reads for it: without this a new import would meet an old "ok".
func readSources(t *testing.T) map[string][]string {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	imports := map[string][]string{}
	read := 0
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && path != root && elsewhere(path) {
			return filepath.SkipDir
		}
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		read++
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil || strings.HasSuffix(path, "_test.go") {
			return err
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			imports[filepath.Dir(path)] = append(imports[filepath.Dir(path)], imported)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if read < 50 {
		t.Fatalf("only %d source files below %s", read, root)
	}
	return imports
}

// elsewhere tells whether a directory holds no packages of the module: those of another one, or test data.
func elsewhere(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil || filepath.Base(dir) == "testdata"
}
