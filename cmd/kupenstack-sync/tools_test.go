package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/kupenstack/kupenstack-sync/cmd/internal/wire"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// demo is an example, seen from here.
const demo = "../../examples/demo"

// call runs the command as a shell would, and returns its exit code and standard output.
func call(t *testing.T, in string, args ...string) (int, string) {
	t.Helper()
	var out bytes.Buffer
	c := command(schema.New())
	c.SetArgs(args)
	c.SetIn(strings.NewReader(in))
	c.SetOut(&out)
	c.SetErr(&bytes.Buffer{})
	return codeOf(c.ExecuteContext(t.Context())), out.String()
}

// What is no usage at all prints nothing: a shell may be reading.
func TestWrongUsage(t *testing.T) {
	for _, args := range [][]string{{"completion", "bsh"}, {"explain"}, {"schema", "x"}, {"graph", "a", "b"}, {"plan", "--repo=ftp://git.example.org/x"}, {"--repo=http://git.example.org/x"}} {
		if code, out := call(t, "", args...); code != exitUsage || out != "" {
			t.Errorf("%q: exit code %d, output\n%s", args, code, out)
		}
	}
	if code, out := call(t, "", "completion"); code != exitDone || !strings.Contains(out, "bash") {
		t.Errorf("completion: exit code %d, output\n%s", code, out)
	}
}

func TestFormatCommand(t *testing.T) {
	const (
		untidy = "a=1\nbb=2\n"
		tidy   = "a  = 1\nbb = 2\n"
		change = "--- a/NAME\n+++ b/NAME\n@@ -1,2 +1,2 @@\n-a=1\n-bb=2\n+a  = 1\n+bb = 2\n"
	)
	diff := func(name string) string { return strings.ReplaceAll(change, "NAME", name) }
	for _, tc := range []struct {
		name string
		args []string
		in   string
		code int
		out  string
		file string // what becomes of it
	}{
		{"write", []string{"fmt"}, "", exitDone, "main.hcl\n", tidy},
		{"check", []string{"fmt", "--check"}, "", exitInvalid, "main.hcl\n", untidy},
		{"diff", []string{"fmt", "--diff", "main.hcl"}, "", exitDone, "main.hcl\n" + diff("main.hcl"), tidy},
		{"input", []string{"fmt", "-"}, untidy, exitDone, tidy, untidy},
		{"input to check", []string{"fmt", "--check", "-"}, untidy, exitInvalid, "", untidy},
		{"input that is tidy", []string{"fmt", "--check", "-"}, tidy, exitDone, "", untidy},
		{"input to compare", []string{"fmt", "--diff", "-"}, untidy, exitDone, diff("<stdin>"), untidy},
		{"input with a mistake", []string{"fmt", "-"}, "a  = {", exitInvalid, "", untidy},
		{"input and more", []string{"fmt", "-", "."}, "", exitUsage, "", untidy},
		{"nothing there", []string{"fmt", "absent"}, "", exitFailed, "", untidy},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if err := os.WriteFile("main.hcl", []byte(untidy), 0o600); err != nil {
				t.Fatal(err)
			}
			if code, out := call(t, tc.in, tc.args...); code != tc.code || out != tc.out {
				t.Errorf("exit code %d, output\n%s", code, out)
			}
			if got, err := os.ReadFile("main.hcl"); err != nil || string(got) != tc.file {
				t.Errorf("the file became %q, %v", got, err)
			}
		})
	}
}

func TestFormatAnswersPrograms(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"main.hcl": "a=1\n", "wrong.hcl": "a = {"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	code, out := call(t, "", "fmt", "--check", "--diff", "--output", "json")
	for _, part := range []string{
		`"format_version": "1.0"`, `"valid": false`, `"error_count": 1`, `"code": "config.syntax"`, `"code": "a = {"`,
		`"name": "main.hcl"`, `-a=1\n+a = 1\n`,
	} {
		if !strings.Contains(out, part) {
			t.Errorf("the answer has no %s", part)
		}
	}
	if code != exitInvalid || t.Failed() {
		t.Errorf("exit code %d, output\n%s", code, out)
	}
}

func TestGraphCommand(t *testing.T) {
	for format, want := range map[string]string{"dot": "\n  \"service.keystone\" -> \"service.nova\" [", "mermaid": "graph LR\n  subgraph system\n"} {
		if code, out := call(t, "", "graph", "--format", format, demo); code != exitDone || !strings.Contains(out, want) {
			t.Errorf("%s: exit code %d, output\n%s", format, code, out)
		}
	}
	if code, _ := call(t, "", "graph", "--format", "png", demo); code != exitUsage {
		t.Errorf("an unknown format: exit code %d", code)
	}
}

func TestCompletion(t *testing.T) {
	for _, tc := range []struct {
		args []string
		want []string
	}{
		{[]string{"graph", "--format", ""}, []string{"dot", "mermaid", ":4"}},
		{[]string{"validate", "--output", ""}, []string{"text", "json", ":4"}},
		{[]string{"--log-level", ""}, []string{"debug", "info", "warn", "error", ":4"}},
		{[]string{"--ref", ""}, []string{":4"}},
		{[]string{"--report-dir", ""}, []string{":16"}},
		{[]string{"graph", ""}, []string{":16"}},
		{[]string{"fmt", ""}, []string{"hcl", "hclvars", ":8"}},
	} {
		_, out := call(t, "", append([]string{cobra.ShellCompRequestCmd}, tc.args...)...)
		got := strings.Fields(out)

		if !slices.Equal(got, tc.want) {
			t.Errorf("%q: offered %q, want %q", tc.args, got, tc.want)
		}
	}
}

func TestAddressesAreCompleted(t *testing.T) {
	o := &options{Flags: wire.Flags{Language: schema.New()}}
	o.Repo, o.Path = demo, "."
	for _, tc := range []struct {
		args  []string
		begun string
		want  []string
	}{
		{nil, "instance", []string{`instance.web["a"]`, `instance.web["b"]`}},
		{nil, "cl", []string{"cloud"}},
		{nil, "node.", []string{"node.control-1", "node.worker-1", "node.worker-2"}},
		{nil, "service.k", []string{"service.keystone"}},
		{[]string{"node.worker-1"}, "n", []string{"neutron", "nova"}},
		{[]string{"service.nova"}, "", nil},
		{[]string{"node.worker-1", "nova"}, "", nil},
	} {
		got, directive := o.completeAddresses(shell(t), tc.args, tc.begun)
		if !slices.Equal(got, tc.want) || directive != cobra.ShellCompDirectiveNoFileComp {
			t.Errorf("after %q and %q: offered %q, %v", tc.args, tc.begun, got, directive)
		}
	}
}

// While something is written there are mistakes, and what can be read is offered.
func TestAddressesAreCompletedBesideMistakes(t *testing.T) {
	const text = `cloud "c" {
  release = 5 5
}
`
	const other = `cloud "c" {
  openstack { cloud = "x" }
  service "nova" {}
}
network "web" { mtu = "x" }
network "each" {
  for_each = local.missing
}
data "image" "cirros" {}
node "n1" { roles = ["compute"] }
node "rack" {
  for_each = toset(["rack-1", "rack-2"])
  name     = each.key
  roles    = ["kompute"]
}
module "edge" {
  source   = "./site"
  for_each = { fra = 1, ber = "x" }
  number   = each.value
}
module "missing" {
  source = "./site"
}
`
	const site = `variable "number" {}
router "r" {
  for_each = toset(["a", "b"])
  name     = each.key
  subnets  = var.number
}
keypair "k" { publik_key = "x" }
`
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "site"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"a.hcl": text, "b.hcl": other, "site/site.hcl": site} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o := &options{Flags: wire.Flags{Language: schema.New()}}
	o.Repo, o.Path = dir, "."
	for _, tc := range []struct {
		args  []string
		begun string
		want  []string
	}{
		{nil, "n", []string{"node.n1", `node.rack["rack-1"]`, `node.rack["rack-2"]`, "network.web"}},
		{nil, `module.edge["fra"]`, []string{`module.edge["fra"].keypair.k`, `module.edge["fra"].router.r["a"]`, `module.edge["fra"].router.r["b"]`}},
		{nil, "module.m", []string{"module.missing.keypair.k", `module.missing.router.r["a"]`, `module.missing.router.r["b"]`}},
		{nil, "data", []string{"data.image.cirros"}},
		{[]string{"node.n1"}, "", []string{"nova"}},
	} {
		if got, _ := o.completeAddresses(shell(t), tc.args, tc.begun); !slices.Equal(got, tc.want) {
			t.Errorf("after %q and %q: offered %q, want %q", tc.args, tc.begun, got, tc.want)
		}
	}
}

// shell is a command as the shell's completion calls it.
func shell(t *testing.T) *cobra.Command {
	t.Helper()
	c := &cobra.Command{}
	c.SetContext(t.Context())
	return c
}

// Where no configuration can be read, nothing is offered, and nothing is said.
func TestNoAddressesToComplete(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "main.hcl"), []byte("cloud {"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, repo := range []string{dir, filepath.Join(dir, "absent"), "https://git.example.org/cloud.git"} {
		o := &options{Flags: wire.Flags{Language: schema.New()}}
		o.Repo, o.Path = repo, "."
		if got, directive := o.completeAddresses(shell(t), nil, ""); len(got) > 0 || directive != cobra.ShellCompDirectiveNoFileComp {
			t.Errorf("%s: offered %q, %v", repo, got, directive)
		}
	}
}

// An explain command, whoever adds it, completes addresses.
func TestExplainCompletesAddresses(t *testing.T) {
	root := &cobra.Command{Use: "root"}
	explain := &cobra.Command{Use: "explain ADDRESS"}
	root.AddCommand(explain)
	o := &options{Flags: wire.Flags{Language: schema.New()}}
	o.Repo, o.Path = demo, "."
	complete(root, o)
	if explain.ValidArgsFunction == nil {
		t.Fatal("nothing is offered")
	}
	if got, _ := explain.ValidArgsFunction(shell(t), nil, "project."); !slices.Equal(got, []string{"project.dev"}) {
		t.Errorf("offered %q", got)
	}
}
