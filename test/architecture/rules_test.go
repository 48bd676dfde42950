package architecture_test

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
		{"a command", "internal/daemon", []string{module + "/cmd/kupenstackd"}, "imports the command"},
		{"helm outside its home", "internal/engine", []string{"helm.sh/helm/v3/pkg/action"}, "whose home is internal/driver/helm"},
		{"helm at home", "internal/driver/helm", []string{"helm.sh/helm/v3/pkg/action"}, ""},
		{"gophercloud's utils outside", "internal/compose", []string{"github.com/gophercloud/utils/v2/openstack/clientconfig"}, "whose home is internal/driver/openstack"},
		{"a library of like name", "internal/engine", []string{"helm.sh/helmet"}, ""},
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
	readSources(t)
	command := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports,GoFiles,TestGoFiles,XTestGoFiles,Doc", module+"/...")
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
			ImportPath, Doc string
			Imports         []string
			GoFiles         []string
		}
		if err := decoder.Decode(&listed); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, architecture.Package{
			Path:    strings.TrimPrefix(listed.ImportPath, module+"/"),
			Imports: listed.Imports,
			HasDoc:  listed.Doc != "" && slices.ContainsFunc(listed.GoFiles, func(file string) bool { return filepath.Base(file) == "doc.go" }),
		})
	}
	if len(packages) < 4 {
		t.Fatalf("go list found only %d packages: is the pattern right?", len(packages))
	}
	for _, violation := range architecture.Violations(packages) {
		t.Error(violation)
	}
}

// readSources opens every source file of the module. Go's test cache knows what a test reads
// itself, not what `go list` reads for it; without this a new import would meet an old "ok".
func readSources(t *testing.T) {
	t.Helper()
	root := filepath.Join("..", "..")
	read := 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		read++
		_, err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if read < 50 {
		t.Fatalf("only %d source files below %s", read, root)
	}
}
