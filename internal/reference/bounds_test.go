package reference_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/confine"
	"github.com/kupenstack/kupenstack-sync/internal/convert"
)

const boundsPage = "bounds.md"

// The measures of bounds.
const (
	number = iota
	size
	duration
)

// bound is a line of the page: a number of the code, which has the name of the constant or the field
// that it is, and what it bounds.
type bound struct {
	name    string
	measure int
	what    string
}

type boundGroup struct {
	title, text string
	bounds      []bound
}

func boundGroups() []boundGroup {
	return []boundGroup{
		{"The process", "Each revision is read first in a process of its own, as are the files of `fmt` and of `convert`. It ends when it needs more than this. On systems other than Linux there is the limit on memory, and the time by the clock in place of processor time.", []bound{
			{"confine.Limits.Memory", size, "memory, with the program itself"},
			{"confine.Limits.CPU", duration, "processor time"},
			{"confine.Limits.Wall", duration, "time by the clock"},
		}},
		{"Files", "Values for variables are those of the files `kupenstack.hclvars` and `*.auto.hclvars` and of `--var-file`.", []bound{
			{"gitrepo.maxReceived", size, "what is received of a repository at once; all files of a local directory"},
			{"gitrepo.maxObject", size, "a file of the repository that is received, also one that nobody reads"},
			{"gitrepo.maxChain", size, "a file that is received and all versions of it through which Git tells what it is"},
			{"gitrepo.maxObjects", number, "files, directories and commits that are received at once"},
			{"gitrepo.maxRefs", size, "the names and commits of all branches, tags and other refs that the server tells of"},
			{"gitrepo.maxCommit", size, "a commit whose signature is looked at, without its files"},
			{"gitrepo.maxEntries", number, "files and directories in the repository"},
			{"gitrepo.maxNames", size, "the names of all of them, each without the directories that it lies in"},
			{"gitrepo.maxDepth", number, "directories inside each other in the repository"},
			{"gitrepo.maxBlob", size, "a file of the repository, whatever it is for"},
			{"unit.maxContent", size, "the `file` of an image"},
			{"gitrepo.maxLinks", number, "links on the way to a file"},
			{"config.Limits.Files", number, "files of the configuration"},
			{"config.Limits.FileBytes", size, "one of these files, or one with values for variables"},
			{"config.Limits.TotalBytes", size, "all files of the configuration"},
			{"config.Limits.Blocks", number, "blocks, nested ones included"},
			{"config.Limits.Attributes", number, "attributes"},
			{"config.maxValues", number, "values for variables in files"},
			{"config.maxValueBytes", size, "all files with values for variables"},
			{"config.maxPath", size, "a path"},
			{"resolve.maxFile", size, "a file that a function reads"},
			{"resolve.maxFiles", size, "all files that functions read when the configuration is loaded, or later for one resource"},
			{"resolve.maxLooks", number, "files and directories that functions look for or list then, each counted once more for every directory that it lies in"},
			{"resolve.maxBelow", number, "directories inside each other that `fileset` lists"},
		}},
		{"Expressions", "A step is about one iteration, one element or one part of a value.", []bound{
			{"config.Limits.Nesting", number, "brackets, templates, blocks and directories inside each other"},
			{"config.Limits.Operands", number, "operators, steps such as `.name`, and indexes in one expression, without what stands in brackets"},
			{"config.Limits.Unary", number, "signs in a row: `-` and `!`"},
			{"config.Limits.Digits", number, "digits of a number, and its exponent"},
			{"config.Limits.Pieces", number, "pieces of text in a row in one text or template; every line is one, and a `$` or `%` begins one"},
			{"config.Costs.Steps", number, "steps that one expression takes"},
			{"config.Costs.Bytes", size, "text that one expression makes"},
			{"config.Costs.TotalSteps", number, "steps that all expressions take together"},
			{"config.Costs.TotalBytes", size, "text that all expressions make together"},
			{"resolve.maxChain", number, "values in a row that are made from each other and of which none is known before something is created"},
		}},
		{"Functions", "", []bound{
			{"resolve.maxText", size, "the text that a call returns"},
			{"resolve.maxElements", number, "the elements that a call returns"},
			{"resolve.maxWidth", number, "the width or precision of a verb of `format`, and the digits of a number that it is given"},
			{"resolve.maxPattern", size, "a pattern"},
			{"resolve.maxDepth", number, "mappings and lists inside each other in a document that is decoded"},
			{"resolve.maxYAML", size, "a document of YAML"},
			{"resolve.maxCSV", size, "a document of CSV"},
			{"sops.maxDepth", number, "mappings and lists inside each other in a file that SOPS encrypted"},
		}},
		{"What blocks make", "", []bound{
			{"resolve.maxManifest", number, "objects of one manifest"},
			{"manifest.maxObjects", number, "objects in one file of a manifest, or in what it writes itself"},
			{"manifest.maxDepth", number, "maps and lists inside each other in such an object"},
			{"manifest.maxGrowth", number, "how many times larger than its text aliases may make a document of it"},
			{"resolve.maxInstances", number, "objects of one block, in all instances of its module"},
			{"resolve.maxObjects", number, "objects that `for_each` and modules make; objects that `import` blocks take over"},
			{"resolve.maxNested", number, "blocks that the `dynamic` blocks of one resource make"},
			{"resolve.maxNestedTotal", number, "blocks that `dynamic` blocks make in all resources together"},
			{"resolve.maxNesting", number, "modules inside each other"},
			{"resolve.maxModules", number, "instances of modules"},
			{"resolve.maxParts", number, "variables, locals, outputs, blocks and calls in all instances of modules"},
			{"resolve.maxLayers", number, "profiles that one consists of, itself included"},
			{"resolve.maxStatements", number, "`moved` blocks, and as many `removed` and `suspended` blocks, each counted once for each instance of its module"},
			{"resolve.maxWaits", number, "dependencies that `depends_on` makes between objects"},
			{"resolve.maxWhole", number, "values that expressions take of modules as a whole"},
			{"resolve.maxEffort", number, "steps along named values to find what resources depend on"},
		}},
		{"What is told", "What goes beyond is left out.", []bound{
			{"config.Limits.FileErrors", number, "mistakes of syntax in one file"},
			{"config.Limits.Errors", number, "mistakes in all files"},
			{"resolve.maxMistakes", number, "mistakes in values and references"},
			{"resolve.maxBearers", number, "elements of a for_each that one message names; of more it says how many"},
			{"resolve.maxWarnings", number, "values in files for variables that do not exist"},
			{"chartkeys.maxRenderings", number, "renderings of a chart to learn which of the keys that are written for it change nothing, and in plans and before a change 20 seconds at most"},
			{"explain.maxLines", number, "lines of an answer of `explain`, which is refused beyond"},
		}},
		{"Tries", "What fails is tried again after pauses that grow, and that differ by chance. What is told here ends; the daemon tries all else for good, minutes apart at most.", []bound{
			{"helm.maxFailures", number, "steps of an upgrade of a service or `chart` that fail, before it is left as it is for about an hour, and tried once more each hour"},
			{"helm.maxReturns", number, "tries to go back to the revision before"},
			{"engine.maxAttempts", number, "failures of one object in a row, before a pass of `kupenstack-sync` goes on without it"},
			{"engine.maxReplans", number, "plans in a row that do not settle what to do about an object, before it is blocked"},
			{"engine.maxSame", number, "times that one difference is put right within a quarter of an hour, before somebody else is taken to bring it back"},
			{"wire.maxWrites", number, "tries to write what `suspend`, `resume` or `reconcile` says, while others write the same"},
		}},
		{"`convert`", "What becomes of the documents says [FIELDS.md](../../internal/convert/FIELDS.md). What an alias of YAML stands for counts each time.", []bound{
			{"convert.Limits.FileBytes", size, "a file"},
			{"convert.Limits.TotalBytes", size, "all files"},
			{"convert.Limits.Documents", number, "documents, elements of a `List` included"},
			{"convert.Limits.Nodes", number, "keys, values and elements in all documents"},
			{"convert.Limits.Depth", number, "mappings and lists inside each other"},
			{"convert.Limits.ScalarBytes", size, "a text"},
			{"convert.Limits.TextBytes", size, "all texts, comments included"},
			{"convert.Limits.OutputBytes", size, "a file of the result"},
			{"convert.Limits.Errors", number, "mistakes that are told"},
		}},
	}
}

// unbounded are the numbers that no user meets: why there is no line about them.
func unbounded() map[string]string {
	return map[string]string{
		"config.maxRelexed":     "only what is told of a broken file depends on it",
		"config.maxRounds":      "the nesting of modules ends long before",
		"resolve.maxCandidates": "only hints depend on it",
		"resolve.maxCompared":   "only hints depend on it",
		"resolve.maxSecretKey":  "that of Kubernetes",
		"sops.maxKeyText":       "what SOPS writes is always the same size",
		"confine.maxStack":      "the bounds on nesting end long before",
		"confine.maxServed":     "that of files of the repository",
		"engine.maxFights":      "only what is told of who brings a difference back depends on it",
		"gitrepo.maxTarget":     "that of Linux",
		"gitrepo.maxPacks":      "what is kept on disk",
		"gitrepo.maxReceipts":   "what is kept on disk",
		"gitrepo.maxParents":    "what is told of a commit",
		"gitrepo.maxSubject":    "what is shown of a commit",
		"gitrepo.maxCause":      "what is shown of an answer",
		"gitrepo.maxErrorBody":  "what is read of an answer",
		"gitrepo.maxPointer":    "what Git LFS says",
		"gitrepo.maxModules":    "only what is told of submodules in a checkout depends on it",
		"gitrepo.maxCredential": "files of the operator, not of the repository",
	}
}

// numbers finds the bounds in the code, by package and name.
func numbers(t *testing.T) map[string]int64 {
	t.Helper()
	found := map[string]int64{}
	for name, limits := range map[string]any{
		"config.Limits": config.DefaultLimits(), "config.Costs": config.DefaultCosts(),
		"confine.Limits": confine.DefaultLimits(), "convert.Limits": convert.DefaultLimits(),
	} {
		for field, value := range reflect.ValueOf(limits).Fields() {
			found[name+"."+field.Name] = value.Int()
		}
	}
	for _, name := range []string{"config", "confine", "convert", "explain", "gitrepo", "manifest", "resolve", "sops", "unit"} {
		files, err := filepath.Glob(filepath.Join("..", name, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no source of %s: %v", name, err)
		}
		for _, file := range files {
			if !strings.HasSuffix(file, "_test.go") {
				maps.Copy(found, constants(t, name, file))
			}
		}
	}
	for name, file := range map[string]string{ // those that are about tries and what is told
		"engine": "../engine/backoff.go", "chartkeys": "../chartkeys/idle.go", "helm": "../driver/helm/failure.go", "wire": "../../cmd/internal/wire/suspensions.go",
	} {
		maps.Copy(found, constants(t, name, filepath.FromSlash(file)))
	}
	return found
}

// constants returns the constants of a file whose names say that they are bounds.
func constants(t *testing.T, prefix, name string) map[string]int64 {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]int64{}
	for _, d := range file.Decls {
		group, ok := d.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}
		for _, spec := range group.Specs {
			c := spec.(*ast.ValueSpec)
			if !regexp.MustCompile(`^max[A-Z]`).MatchString(c.Names[0].Name) {
				continue
			}
			value, err := types.Eval(token.NewFileSet(), nil, token.NoPos, types.ExprString(c.Values[0]))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			n, exact := constant.Int64Val(constant.ToInt(value.Value))
			if !exact {
				t.Fatalf("%s: %s is no whole number", name, c.Names[0].Name)
			}
			found[prefix+"."+c.Names[0].Name] = n
		}
	}
	return found
}

// boundsText is the page about all bounds.
func boundsText(t *testing.T) []byte {
	t.Helper()
	values := numbers(t)
	var b bytes.Buffer
	b.WriteString("[Reference](README.md)\n\n# Bounds\n\n" +
		"How large a configuration can be, and what it can cost. That is far above what people write; it is there so that no file, " +
		"whoever wrote it, can keep the process that reads it busy for long or fill its memory. What goes beyond is a mistake, which " +
		"names the bound: mostly a [`config.limit`](diagnostics.md#configlimit) or [`resolve.too-large`](diagnostics.md#resolvetoo-large). " +
		"The last good revision stays in force then.\n")
	for _, group := range boundGroups() {
		fmt.Fprintf(&b, "\n## %s\n\n", group.title)
		if group.text != "" {
			b.WriteString(group.text + "\n\n")
		}
		b.WriteString("| at most | |\n| ---: | --- |\n")
		for _, line := range group.bounds {
			value, ok := values[line.name]
			if !ok {
				t.Errorf("there is no %s in the code", line.name)
			}
			b.WriteString(line.row(value))
		}
	}
	b.WriteString("\n---\n\nGenerated from the code by `make generate`.\n")
	return b.Bytes()
}

func (b bound) row(n int64) string {
	return fmt.Sprintf("| %s | %s |\n", measured(n, b.measure), b.what)
}

func measured(n int64, measure int) string {
	switch {
	case measure == duration:
		return strconv.FormatFloat(time.Duration(n).Seconds(), 'f', -1, 64) + " seconds"
	case measure == number:
		return thousands(n)
	case n%(1<<30) == 0:
		return thousands(n>>30) + " GiB"
	case n%(1<<20) == 0:
		return thousands(n>>20) + " MiB"
	case n%(1<<10) == 0:
		return thousands(n>>10) + " KiB"
	default:
		return thousands(n) + " bytes"
	}
}

func thousands(n int64) string {
	if n < 1000 {
		return strconv.FormatInt(n, 10)
	}
	return thousands(n/1000) + fmt.Sprintf(",%03d", n%1000)
}

// TestEveryBoundIsTold holds the page to the code the other way round: a bound that is new has to be
// told, or needs a reason why not.
func TestEveryBoundIsTold(t *testing.T) {
	told := unbounded()
	for _, group := range boundGroups() {
		for _, line := range group.bounds {
			if _, twice := told[line.name]; twice {
				t.Errorf("%s is told twice, or has a reason not to be", line.name)
			}
			told[line.name] = line.what
		}
	}
	values := numbers(t)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if told[name] == "" {
			t.Errorf("%s = %d is a bound that the page about them does not tell", name, values[name])
		}
	}
	for name := range unbounded() {
		if _, ok := values[name]; !ok {
			t.Errorf("there is no %s in the code", name)
		}
	}
}

// TestBoundsOfConvert holds what convert's own page says about its bounds to the same lines.
func TestBoundsOfConvert(t *testing.T) {
	const page = "../convert/FIELDS.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	values := numbers(t)
	var rows string
	for _, group := range boundGroups() {
		for _, line := range group.bounds {
			if strings.HasPrefix(line.name, "convert.") {
				rows += line.row(values[line.name])
			}
		}
	}
	if !bytes.Contains(text, []byte("\n"+rows+"\n")) {
		t.Errorf("%s does not have these lines:\n%s", page, rows)
	}
}
