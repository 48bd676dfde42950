package report

import (
	"regexp"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

func TestLine(t *testing.T) {
	tests := []struct{ in, want string }{
		{"plain", "plain"},
		{" a\n\tb\r\n c\u2028d ", "a b c d"},
		{"a\x1b[31m\u202eb\x00", "a<U+001B>[31m<U+202E>b<U+0000>"},
		{"\xff\xfea", "\uFFFDa"},
		{"clone https://u:p@h/x: refused", "clone https://(sensitive)@h/x: refused"},
		{"https://token@h", "https://(sensitive)@h"},
		{"https://:p@h", "https://(sensitive)@h"},
		{"https://u:p@ss@h/a", "https://(sensitive)@h/a"},
		{"https://u:p/s?s#@h/a", "https://(sensitive)@h/a"},
		{`a="rabbit://u:p@mq1:5672,u2:p2@mq2:5672/v"`, `a="rabbit://(sensitive)@mq2:5672/v"`},
		{`["https://u:p@h","https://v:q@i"]`, `["https://(sensitive)@h","https://(sensitive)@i"]`},
		{"ssh://git@h/x", "ssh://git@h/x"},
		{"ssh://git:p@h/x", "ssh://(sensitive)@h/x"},
		{"oci://h:5000/a@sha256:12", "oci://h:5000/a@sha256:12"},
		{"https://h:80/ to a@b", "https://h:80/ to a@b"},
		{"https://[::1]:80/a@b", "https://[::1]:80/a@b"},
		{"https://h/o?X-Amz-Signature=abc&b=1", "https://h/o?X-Amz-Signature=(sensitive)&b=1"},
		{"https://h/?access_token=abc", "https://h/?access_token=(sensitive)"},
		{strings.Repeat("é", 60), strings.Repeat("é", 49) + "…"},
		{strings.Repeat("a", 40) + " https://u:secretsecret@h", strings.Repeat("a", 40) + " https://…"},
	}
	for _, tt := range tests {
		if got := line(tt.in, 50); got != tt.want {
			t.Errorf("%q becomes %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestMarkdown(t *testing.T) {
	tests := []struct{ in, text, code string }{
		{"keystone-api_1", "keystone-api_1", "`keystone-api_1`"},
		{"a|b", `a\|b`, `a\|b`},
		{"`rm`", "\\`rm\\`", "\\`rm\\`"},
		{"<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;", "&lt;script&gt;alert(1)&lt;/script&gt;"},
		{"[x](javascript:y)", `\[x\](javascript:y)`, "`[x](javascript:y)`"},
		{"![x](y)", `!\[x\](y)`, "`![x](y)`"},
		{"**b** _i_ ~~s~~", `\*\*b\*\* \_i\_ \~\~s\~\~`, "`**b** _i_ ~~s~~`"},
		{`\`, `\\`, `\\`},
		{"&lt;", "&amp;lt;", "&amp;lt;"},
		{"$x$", "&#36;x&#36;", "`$x$`"},
		{"# h", `\# h`, "`# h`"},
		{"- i", `\- i`, "`- i`"},
		{"12. n", `12\. n`, "`12. n`"},
		{"1.5 of 2", "1.5 of 2", "`1.5 of 2`"},
		{"1)", `1\)`, "`1)`"},
		{"a\nb", "a b", "a b"},
		{`instance.web["a"]`, `instance.web\["a"\]`, "`instance.web[\"a\"]`"},
		{"", "", ""},
	}
	for _, tt := range tests {
		if got := md(tt.in); got != tt.text {
			t.Errorf("text: %q becomes %q, want %q", tt.in, got, tt.text)
		}
		if got := code(tt.in); got != tt.code {
			t.Errorf("code: %q becomes %q, want %q", tt.in, got, tt.code)
		}
	}
}

func TestFence(t *testing.T) {
	if got, want := fence("text", "a\n```\n<script>\n"), "````text\na\n```\n<script>\n````\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLabel(t *testing.T) {
	if got, want := label(`web["a"]; end --> <b>#`+"`|%{"), `web#91;#34;a#34;#93;#59; end --#62; #60;b#62;#35;#96;#124;#37;#123;`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestFileName(t *testing.T) {
	seen := map[string]string{}
	for _, name := range []string{"keystone", "node-1.example.org", "../../etc/passwd", ".git", "a/b", "a\\b", "a b", "", strings.Repeat("x", 300), `web["a"]`, "a."} {
		got := fileName("nodes", name, ".md")
		if !regexp.MustCompile(`^nodes/[A-Za-z0-9_][A-Za-z0-9._-]{0,99}\.md$`).MatchString(got) {
			t.Errorf("%q becomes %s", name, got)
		}
		if other, ok := seen[got]; ok {
			t.Errorf("%q and %q share %s", name, other, got)
		}
		seen[got] = name
	}
	if got := fileName("nodes", "node-1.example.org", ".md"); got != "nodes/node-1.example.org.md" {
		t.Errorf("an ordinary name becomes %s", got)
	}
}

// TestHostileTexts puts the same text wherever users and servers have a say.
func TestHostileTexts(t *testing.T) {
	const hostile = "a | b `c` \n\n## Fake\n```\n<script>alert(1)</script> <img src=x> [l](javascript:x) \"]; click n0 \x1b[2J https://u:hunter22@h/x --> -->"
	key, err := addr.NewObject(addr.Module{}, addr.Managed, "network", "web", addr.StringKey(hostile))
	if err != nil {
		t.Fatal(err)
	}
	commit := Commit{Hash: hostile, Author: hostile, Subject: hostile}
	where := diag.Range{File: hostile, Start: diag.Pos{Line: 1}}
	field := []unit.Field{{Path: hostile, Before: hostile, After: hostile}}
	u := engine.UnitStatus{
		Address: key, Class: unit.ClassResource, Kind: "network", Phase: engine.PhaseFailed, Reason: hostile, Waits: []addr.Object{key},
		Causes: []addr.Object{key}, Action: unit.ActionUpdate, Fields: field, Healed: field, Drift: true, Cost: hostile, ID: hostile,
		Details: []string{hostile}, Range: where, Edges: []unit.Edge{{To: key, Until: unit.Ready, Gate: unit.GateStart}},
	}
	service, node := u, u
	service.Class, node.Class = unit.ClassService, unit.ClassNode
	in := Input{
		Version: hostile, Repository: hostile, Ref: hostile, Path: hostile, Head: commit, Applied: Commit{Hash: "x", Subject: hostile},
		Problems: []string{hostile},
		Bad:      &Bad{Commit: commit, Text: hostile, Diagnostics: diag.Diagnostics{{Summary: hostile, Detail: hostile, Hint: hostile, Subject: &where}}},
		Snapshot: engine.Snapshot{Revision: "x", Units: []engine.UnitStatus{u, service, node}, Refused: diag.Diagnostics{{Summary: hostile, Code: hostile}}},
	}
	for _, text := range []string{"", hostile} {
		in.Bad.Text = text
		files, _ := Render(in)
		for file, content := range files {
			CheckHarmless(t, file, string(content))
		}
	}
}

// CheckHarmless looks at what is not within a fence, where nothing means anything.
func CheckHarmless(t *testing.T, file, content string) {
	t.Helper()
	if strings.Contains(content, "hunter22") || strings.Contains(content, "\x1b") {
		t.Errorf("%s has a password or a control character:\n%s", file, content)
	}
	if !strings.HasSuffix(file, ".md") {
		return
	}
	fenced, columns := "", 0
	for _, row := range strings.Split(content, "\n") {
		if fenced != "" {
			if row == fenced {
				fenced = ""
			} else if strings.HasPrefix(row, fenced) {
				t.Errorf("%s: the fence is broken by %q", file, row)
			}
			continue
		}
		if ticks := regexp.MustCompile("^`{3,}").FindString(row); ticks != "" {
			fenced = ticks
			continue
		}
		if strings.ContainsAny(row, "<>") || strings.HasPrefix(row, "## Fake") || strings.Contains(row, "[l](") {
			t.Errorf("%s has a row that means something: %s", file, row)
		}
		if !strings.HasPrefix(row, "|") {
			columns = 0
			continue
		}
		n := strings.Count(strings.ReplaceAll(row, `\|`, ""), "|")
		if columns != 0 && n != columns {
			t.Errorf("%s has a table whose rows differ: %s", file, row)
		}
		columns = n
	}
	if fenced != "" {
		t.Errorf("%s has a fence without an end", file)
	}
}
