package convert_test

import (
	"fmt"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/convert"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/schema"
)

const (
	profileHead = "apiVersion: kupenstack.io/v1alpha1\nkind: OpenStackCloudConfigurationProfile\nmetadata: {name: base}\nspec:\n  nova:\n    conf:\n"
	nodeText    = "apiVersion: kupenstack.io/v1alpha1\nkind: OpenstackNode\nmetadata: {name: node-%d}\n"
)

// laughs is a bomb: each line has ten times what the one before it has.
func laughs(lines int) string {
	var b strings.Builder
	b.WriteString(profileHead + "      a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]\n")
	for i := 1; i < lines; i++ {
		fmt.Fprintf(&b, "      a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 10), ", "))
	}
	return b.String()
}

// killers are texts that make a reader of YAML, or what follows it, take minutes or all of the
// memory. All of them have to end as a diagnostic with one of the codes.
func killers() map[string]struct {
	text string
	code diag.Code
} {
	times := strings.Repeat
	merges := profileHead + "      m0: &m0 {a: b, c: d, e: f}\n"
	for i := 1; i < 12; i++ {
		merges += fmt.Sprintf("      m%d: &m%d {<<: [%s], k%d: 1}\n", i, i, strings.TrimSuffix(times(fmt.Sprintf("*m%d, ", i-1), 10), ", "), i)
	}
	return map[string]struct {
		text string
		code diag.Code
	}{
		"billion laughs":      {laughs(12), "convert.limit"},
		"laughs of one text":  {profileHead + "      a: &a " + times("x", 60_000) + "\n      b: [" + times("*a, ", 2000) + "]\n", "convert.limit"},
		"merges of merges":    {merges, "convert.limit"},
		"deep lists":          {profileHead + "      a: " + times("[", 100_000) + "\n", "convert.syntax"},
		"closed deep lists":   {profileHead + "      a: " + times("[", 9_000) + times("]", 9_000) + "\n", "convert.limit"},
		"deep mappings":       {profileHead + "      a: " + times("{a: ", 9_000) + times("}", 9_000) + "\n", "convert.limit"},
		"deep dashes":         {profileHead + "      a:\n      " + times("- ", 9_000) + "a\n", "convert.limit"},
		"more dashes":         {times("- ", 100_000) + "a\n", "convert.syntax"},
		"keys that are maps":  {times("? ", 100_000) + "a\n", "convert.syntax"},
		"deep indentation":    {profileHead + indented(600), "convert.limit"},
		"huge text":           {profileHead + "      a: " + times("x", 100_000) + "\n", "convert.limit"},
		"huge block":          {profileHead + "      a: |\n" + times("        "+times("x", 100)+"\n", 1000), "convert.limit"},
		"huge key":            {profileHead + "      " + times("x", 100_000) + ": 1\n", "convert.syntax"},
		"large file":          {"# " + times("x", 300<<10) + "\n", "convert.limit"},
		"many comments":       {times("# a comment\n", 20_000), "convert.missing"},
		"comments everywhere": {profileHead + times("      # c\n", 20_000) + "      a: b # d\n" + times("# e\n", 10), ""},
		"many documents":      {times("---\n{}\n", 20_000), "convert.limit"},
		"empty documents":     {times("---\n", 50_000), "convert.limit"},
		"many unknown":        {times("---\n{kind: Nothing}\n", 900), "convert.limit"},
		"many elements":       {profileHead + "      a: [" + times("1,", 100_000) + "]\n", "convert.limit"},
		"duplicate keys":      {profileHead + times("      a: 1\n", 20_000), "convert.duplicate"},
		"question marks":      {times("?", 200_000), "convert.limit"},
		"anchors":             {profileHead + times("      - &a b\n", 15_000), "convert.value"},
		"colons":              {times("a: ", 80_000), "convert.syntax"},
		"quotes":              {times("'", 200_001), "convert.syntax"},
		"open quote":          {"a: \"" + times("x\n", 100_000), "convert.syntax"},
		"exclamation marks":   {times("!", 200_000) + " a", "convert.value"},
		"stars":               {"a: " + times("*", 200_000), "convert.syntax"},
		"tabs":                {profileHead + times("\t", 100_000) + "a: 1\n", ""},
		"directives":          {times("%TAG ! tag:example.org,2000:\n", 8_000), "convert.syntax"},
		"NUL":                 {profileHead + "      a: \"\x00\"\n", "convert.syntax"},
		"invalid UTF-8":       {profileHead + "      a: \"\xff\"\n", "convert.syntax"},
		"UTF-16":              {"\xff\xfea\x00:\x00 \x001\x00\n\x00", "convert.syntax"},
		"control characters":  {profileHead + "      a: \"\x07\"\n", "convert.syntax"},
		"separators of lines": {profileHead + "      a: b # c \u2028 d \u0085 e\n", ""},
		"escapes":             {profileHead + "      a: \"" + times(`\0\x01\u2028`, 5000) + "\"\n", ""},
		"large result":        {profileHead + times("      \"\\x01\": &a \"\\0\"\n", 1) + "      b: \"" + times(`\0`, 60_000) + "\"\n", "convert.limit"},
		"huge numbers":        {profileHead + "      a: " + times("9", 60_000) + "\n      b: 1e999999999\n      c: 0x" + times("f", 1000) + "\n", ""},
		"binary":              {times("\x01\x02\x7f]", 20_000), "convert.syntax"},
	}
}

func indented(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("      " + strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

func TestKillers(t *testing.T) {
	for name, c := range killers() {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := processorTime(t)
			result := convert.Convert(schema.New(), []convert.File{{Name: "in.yaml", Content: []byte(c.text)}}, convert.DefaultLimits())
			used := processorTime(t) - start
			runtime.ReadMemStats(&after)
			if used > 5*time.Second {
				t.Errorf("used %v", used)
			}
			if n := after.TotalAlloc - before.TotalAlloc; n > 256<<20 {
				t.Errorf("allocated %d MiB", n>>20)
			}
			checkResult(t, result)
			if c.code != "" && !hasCode(result, c.code) {
				t.Errorf("no %s: %v", c.code, result.Diagnostics)
			}
			if len(result.Diagnostics) > convert.DefaultLimits().Errors+1 {
				t.Errorf("%d diagnostics, more than anybody reads", len(result.Diagnostics))
			}
		})
	}
}

func hasCode(result convert.Result, code diag.Code) bool {
	for _, d := range result.Diagnostics {
		if d.Code == code {
			return true
		}
	}
	return false
}

// checkResult holds for every result: what comes out loads, and every diagnostic can be printed.
func checkResult(t *testing.T, result convert.Result) {
	t.Helper()
	checkLoads(t, result)
	for _, d := range result.Diagnostics {
		if d.Code == "" || d.Summary == "" || d.Detail == "" {
			t.Errorf("a diagnostic without code or text: %+v", d)
		}
	}
	var b strings.Builder
	if err := (diag.Printer{Source: result.Source}).Print(&b, result.Diagnostics); err != nil {
		t.Error(err)
	}
}

func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// TestLargeInput makes sure that the limits are not in the way of large clouds.
func TestLargeInput(t *testing.T) {
	var b strings.Builder
	for i := range 900 {
		b.WriteString("---\n")
		fmt.Fprintf(&b, nodeText, i)
		b.WriteString("spec: {openstackCloudConfigurationProfileRef: {name: base, namespace: default}}\n")
	}
	result := convert.Convert(schema.New(), []convert.File{{Name: "nodes.yaml", Content: []byte(b.String())}}, convert.DefaultLimits())
	if result.Diagnostics.HasErrors() {
		t.Fatalf("%v", result.Diagnostics)
	}
	checkResult(t, result)
}

func TestLimits(t *testing.T) {
	text := profileHead + "      nova: {DEFAULT: {a: bcdefghij}}\n"
	for name, change := range map[string]func(*convert.Limits){
		"file":      func(l *convert.Limits) { l.FileBytes = len(text) - 1 },
		"total":     func(l *convert.Limits) { l.TotalBytes = len(text) - 1 },
		"documents": func(l *convert.Limits) { l.Documents = 0 },
		"nodes":     func(l *convert.Limits) { l.Nodes = 10 },
		"depth":     func(l *convert.Limits) { l.Depth = 4 },
		"text":      func(l *convert.Limits) { l.ScalarBytes = 8 },
		"texts":     func(l *convert.Limits) { l.TextBytes = 30 },
		"output":    func(l *convert.Limits) { l.OutputBytes = 30 },
	} {
		limits := convert.DefaultLimits()
		change(&limits)
		result := convert.Convert(schema.New(), []convert.File{{Name: "in.yaml", Content: []byte(text)}}, limits)
		if !hasCode(result, "convert.limit") || len(result.Diagnostics) != 1 || len(result.Files) > 0 {
			t.Errorf("%s: %v, %d files", name, result.Diagnostics, len(result.Files))
		}
	}
}
