package config

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// loadText loads one file beside nothing.
func loadText(text string) (*Config, diag.Diagnostics) {
	return Load(schema.New(), fstest.MapFS{"main.hcl": {Data: []byte(text)}}, ".", DefaultLimits())
}

// killers are small files that overflow the stack, or take the parser very long, when nothing
// stands before it. Each is given by what is repeated.
func killers(n int) map[string]string {
	times := strings.Repeat
	return map[string]string{
		"parentheses":            "locals { a = " + times("(", n) + "1" + times(")", n) + " }\n",
		"open parentheses":       "locals { a = " + times("(", n),
		"lists":                  "locals { a = " + times("[", n) + times("]", n) + " }\n",
		"objects":                "locals { a = " + times("{a=", n) + "1" + times("}", n) + " }\n",
		"blocks":                 times("a {\n", n) + times("}\n", n),
		"interpolations":         "locals { a = " + times(`"${`, n) + "1" + times(`}"`, n) + " }\n",
		"template directives":    `locals { a = "` + times("%{ if true }", n) + times("%{ endif }", n) + "\" }\n",
		"template loops":         `locals { a = "` + times("%{ for x in y }", n) + times("%{ endfor }", n) + "\" }\n",
		"trimmed directives":     `locals { a = "` + times("%{~ if true ~}", n) + times("%{~ endif ~}", n) + "\" }\n",
		"bangs":                  "locals { a = " + times("!", n) + "true }\n",
		"signs":                  "locals { a = " + times("-", n) + "1 }\n",
		"signs between comments": "locals { a = " + times("- /**/ ", n) + "1 }\n",
		"signs over lines":       "locals { a = (" + times("-\n", n) + "1) }\n",
		"conditionals":           "locals { a = " + times("true ? 1 : ", n) + "1 }\n",
		"conditionals first":     "locals { a = " + times("true ? ", n) + "1" + times(" : 1", n) + " }\n",
		"conditionals, comments": "locals { a = " + times("true ? /**/ 1 : ", n) + "1 }\n",
		"conditionals in lines":  "locals { a = (" + times("true ? 1 :\n", n) + "1) }\n",
		"operators":              "locals { a = " + times("1 + ", n) + "1 }\n",
		"attributes":             "locals { a = b" + times(".b", n) + " }\n",
		"indexes":                "locals { a = b" + times("[b]", n) + " }\n",
		"splats":                 "locals { a = b" + times("[*]", n) + " }\n",
		"attribute splats":       "locals { a = b" + times(".*.b", n) + " }\n",
		"calls":                  "locals { a = " + times("f(", n) + times(")", n) + " }\n",
		"for expressions":        "locals { a = " + times("[for x in ", n) + "[]" + times(": x]", n) + " }\n",
		"heredocs":               "locals {\n a = " + times("<<E\n${", n) + "1\n}\n",
		"wrong brackets":         "locals { a = " + times("([)", n) + " }\n",
		"verbs":                  `locals { a = "` + times(times("%a", 10), n) + "\" }\n",
		"dollars":                `locals { a = "` + times(times("$a", 10), n) + "\" }\n",
		"lines":                  "locals {\n  a = <<E\n" + times(times("a\n", 10), n) + "E\n}\n",
		"namespaced function":    "locals { a = f" + times("::f", n) + "() }\n",
	}
}

// within fails when f uses more than five seconds of processor time, on all threads together: on
// the wall a busy machine would fail it. The killers take minutes or end the process.
func within(t *testing.T, f func()) {
	t.Helper()
	start := processorTime(t)
	f()
	if used := processorTime(t) - start; used > 5*time.Second {
		t.Errorf("used %v", used)
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

func TestKillersAreDiagnostics(t *testing.T) {
	for _, n := range []int{1_000, 20_000} {
		for name, text := range killers(n) {
			t.Run(fmt.Sprintf("%s x %d", name, n), func(t *testing.T) {
				within(t, func() {
					_, diags := loadText(text)
					if !hasCode(diags, codeLimit) {
						t.Errorf("the diagnostics do not speak of a limit: %v", short(diags))
					}
					if len(diags) > 3 {
						t.Errorf("%d diagnostics for one cause", len(diags))
					}
				})
			})
		}
	}
}

// TestGuardLetsThrough makes sure that the limits are not in the way: the same shapes as the
// killers, as large as a person could possibly write them.
func TestGuardLetsThrough(t *testing.T) {
	for name, text := range map[string]string{
		"many elements":    "locals { a = [" + strings.Repeat("var.x.y[0] + 1, ", 5000) + "] }\n",
		"many lines":       "locals {\n" + numbered("a%d = true ? 1 : 2\n", 5000) + "}\n",
		"many in comments": "locals {\n" + numbered("a%d = -1 + 2 # - - - - - - - - - - - -\n", 5000) + "}\n",
		"object lines":     "locals { a = {\n" + numbered("a%d = !true\n", 5000) + "} }\n",
		"long template":    "locals {\n a = <<E\n" + strings.Repeat("${var.x} and %{ if var.x }y%{ endif }\n", 2000) + "E\n}\n",
		"thirty deep":      "locals { a = " + strings.Repeat("[", 30) + strings.Repeat("]", 30) + " }\n",
		"long conditional": "locals { a = (" + strings.Repeat("var.x == 1 ? 2 :\n", 50) + "3) }\n",
	} {
		if _, diags := loadText(text); hasCode(diags, codeLimit) {
			t.Errorf("%s: %v", name, short(diags))
		}
	}
}

func numbered(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

func TestOtherHostileInput(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		code diag.Code
	}{
		"NUL":             {"locals { a = \"\x00\" }\n", codeSyntax},
		"invalid UTF-8":   {"locals { a = \"\xff\" }\n", codeSyntax},
		"huge exponent":   {"locals { a = 1e999999999 }\n", codeLimit},
		"large exponent":  {"locals { a = 1E-5000 }\n", codeLimit},
		"long number":     {"locals { a = " + strings.Repeat("9", 1000) + " }\n", codeLimit},
		"large file":      {"# " + strings.Repeat("x", 600<<10), codeLimit},
		"many labels":     {"network" + strings.Repeat(` "a"`, 50_000) + " {}\n", codeLabel},
		"many errors":     {strings.Repeat("= ", 50_000), codeSyntax},
		"many bad blocks": {numbered("nettwork \"a%d\" {}\n", 5000), codeUnknownBlock},
		"binary":          {strings.Repeat("\x01\x02\x7f]", 20_000), codeSyntax},
		"open quote":      {"locals { a = \"" + strings.Repeat("a ", 50_000), codeSyntax},
		"latin-1":         {"# caf\xe9\nlocals {}\n", codeSyntax},
	} {
		t.Run(name, func(t *testing.T) {
			within(t, func() {
				_, diags := loadText(c.text)
				if !hasCode(diags, c.code) {
					t.Errorf("no %s: %v", c.code, short(diags))
				}
				if len(diags) > DefaultLimits().Errors+2 {
					t.Errorf("%d diagnostics, more than anybody reads", len(diags))
				}
			})
		})
	}
}

func hasCode(diags diag.Diagnostics, code diag.Code) bool {
	for _, d := range diags {
		if d.Code == code {
			return true
		}
	}
	return false
}

// short keeps a failing test readable.
func short(diags diag.Diagnostics) diag.Diagnostics { return diags[:min(len(diags), 3)] }
