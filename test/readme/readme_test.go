package readme_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

const root = "../.."

func read(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// section returns the text below a heading.
func section(t *testing.T, heading string) string {
	t.Helper()
	_, after, found := strings.Cut(read(t, "README.md"), "\n## "+heading+"\n")
	if !found {
		t.Fatalf("README.md has no section %q", heading)
	}
	text, _, _ := strings.Cut(after, "\n## ")
	return text
}

// expect compares what the README names with what there is, both ways.
func expect(t *testing.T, what string, named, there []string) {
	t.Helper()
	for _, name := range named {
		if !slices.Contains(there, name) {
			t.Errorf("README.md names the %s %s, which does not exist", what, name)
		}
	}
	for _, name := range there {
		if !slices.Contains(named, name) {
			t.Errorf("README.md does not name the %s %s", what, name)
		}
	}
}

// found returns the first group of each match, once.
func found(pattern, text string) []string {
	names := map[string]bool{}
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		names[m[1]] = true
	}
	return slices.Sorted(maps.Keys(names))
}

func TestExampleIsValid(t *testing.T) {
	var text string // of all that is shown, which is one configuration
	for _, part := range strings.Split(section(t, "The language by example"), "```hcl\n")[1:] {
		example, _, complete := strings.Cut(part, "```")
		if !complete {
			t.Fatal("README.md has an example without an end")
		}
		text += example
	}
	tree := fstest.MapFS{"cloud.hcl": &fstest.MapFile{Data: []byte(text)}}
	loaded, findings := revision.Load("readme", tree, ".", revision.Options{Language: schema.New()})
	if loaded == nil {
		t.Fatalf("the example cannot be loaded:\n%s", findings.Text(false))
	}
	wanted, more := loaded.Compose(compose.Facts{Unlocked: true})
	findings.Diagnostics.Append(more...)
	if wanted == nil || len(findings.Diagnostics) > 0 {
		t.Fatalf("the example is not without fault:\n%s", findings.Text(false))
	}
	for _, address := range []string{"service.nova", "node.worker-2", `instance.web["b"]`} {
		if !slices.ContainsFunc(wanted.Units, func(u unit.Unit) bool { return u.Address.String() == address }) {
			t.Errorf("the example leads to no unit %s", address)
		}
	}
}

func TestServicesAndKinds(t *testing.T) {
	row := regexp.MustCompile(`(?m)^\| (mariadb.*?) \|.*\n\| (.*?) \|`).FindStringSubmatch(section(t, "Status"))
	if row == nil {
		t.Fatal("README.md does not list services and kinds")
	}
	definition := schema.New()
	services := definition.Block("cloud").Nested("service").Labels[0].Allowed
	expect(t, "service", strings.Split(row[1], ", "), services)
	kinds := slices.DeleteFunc(found("`([a-z_]+)`", row[2]), func(name string) bool { return name == schema.DataKind })
	expect(t, "kind", kinds, definition.Kinds(schema.ClassResource))
}

// TestKindsWithoutAMark wants all of them named where the README says what is never deleted.
func TestKindsWithoutAMark(t *testing.T) {
	_, after, _ := strings.Cut(section(t, "What it never does"), "These kinds have no place for a mark: ")
	named, _, _ := strings.Cut(after, ". ")
	var there []string
	for _, b := range schema.New().Blocks() {
		if b.Unmarked {
			there = append(there, b.Kind)
		}
	}
	expect(t, "kind", found("`([a-z_]+)`", named), there)
}

// sources are where flags are registered, in the order of the README's tables.
func sources() []string {
	return []string{"cmd/internal/wire/flags.go", "cmd/kupenstackd/main.go", "cmd/kupenstack-sync/main.go", "cmd/kupenstack-sync/destination.go", "cmd/kupenstack-sync/export.go", "cmd/kupenstack-sync/suspend.go"}
}

func TestFlags(t *testing.T) {
	_, tables, _ := strings.Cut(section(t, "The commands"), "| flags of both |")
	parts := strings.SplitN(tables, "\n\n", len(sources())+1)
	if len(parts) <= len(sources()) {
		t.Fatalf("README.md has %d tables of flags", len(parts))
	}
	all := []string{"namespace", "set", "from-literal", "for", "os-cacert", "single-branch", "depth", "force-with-lease"} // of helm, kubectl, openstack and git
	for i, name := range sources() {
		registered := found(`\w*Var\((?:\w+\{)?&[\w.]+(?:, \w+)?\}?, "([a-z-]+)"`, read(t, name))
		all = append(all, registered...)
		var named []string
		for _, cell := range found("(?m)^\\| (`--.*?) \\|", parts[i]) {
			named = append(named, found("`--([a-z-]+)`", cell)...)
		}
		expect(t, "flag of "+name, named, registered)
	}
	all = append(all, flagsOfCommands(t)...)
	for _, flag := range found(`--([a-z][a-z-]+)`, read(t, "README.md")) {
		if !slices.Contains(all, flag) {
			t.Errorf("README.md names --%s, which does not exist", flag)
		}
	}
}

// flagsOfCommands are those that only one command of kupenstack-sync has. They are named in the text.
func flagsOfCommands(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "cmd/kupenstack-sync/*.go"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var flags []string
	for _, file := range files {
		name, err := filepath.Rel(root, file)
		if err != nil {
			t.Fatal(err)
		}
		flags = append(flags, found(`Flags\(\)\.\w+Var\(&[\w.]+, "([a-z-]+)"`, read(t, name))...)
	}
	return flags
}

func TestDefaults(t *testing.T) {
	commands := section(t, "The commands")
	registered := regexp.MustCompile(`\w+Var\(&[\w.]+, "([a-z-]+)", ([^,]+), `)
	for _, name := range sources() {
		for _, m := range registered.FindAllStringSubmatch(read(t, name), -1) {
			value := strings.NewReplacer("*time.Second", "s", "*time.Minute", "m", "time.Hour", "1h", " ", "", `"`, "").Replace(m[2])
			if value == "" || value == "nil" || value == "0" || value == "false" || m[1] == "output" || m[1] == "log-level" {
				continue // said in words
			}
			if !regexp.MustCompile("(?m)^\\| `--" + m[1] + "` \\|.*`" + regexp.QuoteMeta(value) + "`").MatchString(commands) {
				t.Errorf("README.md does not give %s as the default of --%s", value, m[1])
			}
		}
	}
}

func TestExitCodes(t *testing.T) {
	_, table, _ := strings.Cut(section(t, "The commands"), "| exit code |")
	expect(t, "exit code", found(`(?m)^\| (\d+) \|`, table), found(`(?m)^\texit\w+ += (\d+)`, read(t, "cmd/kupenstack-sync/main.go")))
}

func TestMetrics(t *testing.T) {
	expect(t, "metric", found("`(kupenstack_[a-z_]+)`", section(t, "Health and metrics")), found(`"(kupenstack_[a-z_]+)"`, read(t, "internal/daemon/metrics.go")))
}

func TestTargetsAndFolders(t *testing.T) {
	targets := found(`(?m)^([a-z]+):.*## `, read(t, "Makefile"))
	for _, target := range found("(?m)(?:^    |`)make ([a-z]+)\\b", read(t, "README.md")) {
		if !slices.Contains(targets, target) {
			t.Errorf("README.md names the target %s, which does not exist", target)
		}
	}
	if !slices.Contains(targets, "demo") {
		t.Fatalf("the Makefile is written in another way than this test knows: it found %q", targets)
	}
	for _, name := range found("`((?:cmd|deploy|examples|internal|schema|test)(?:/[A-Za-z0-9_.-]+)*)`", read(t, "README.md")) {
		if _, err := os.Stat(filepath.Join(root, name)); err != nil {
			t.Errorf("README.md names %s: %v", name, err)
		}
	}
}

// TestMessages looks for every message of the README in the texts of the product's code.
func TestMessages(t *testing.T) {
	var texts strings.Builder
	for _, dir := range []string{"cmd", "internal"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, entry os.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			content, err := os.ReadFile(path)
			texts.Write(content)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	messages := found("(?m)^\\| `([^`]+)` \\|", section(t, "When something is wrong"))
	if len(messages) < 10 {
		t.Fatalf("README.md explains only %q", messages)
	}
	for _, message := range messages {
		if !strings.Contains(texts.String(), message) && !strings.Contains(texts.String(), strconv.Quote(message)) {
			t.Errorf("README.md explains %q, which nothing says", message)
		}
	}
}
