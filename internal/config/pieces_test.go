package config

import (
	"reflect"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// filled is a text with so much behind each line at the top that it is cut there.
func filled(lines ...string) string {
	comment := strings.Repeat("# filler \u00e9\n", pieceTokens)
	return strings.Join(lines, comment) + comment
}

func TestPiecesAreTheWhole(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		cuts bool
	}{
		"blocks":         {filled("network \"a\" {}\n", "network \"b\" {\n  name = \"x ${var.y}\"\n}\n", "\n\nlocals {\n  a = [\n    1,\n  ]\n}\n"), true},
		"attributes":     {filled("a = 1\n", "b = {\n  c = 2\n}\n"), true},
		"no last line":   {filled("network \"a\" {}\n", "network \"b\" {}\n") + "network \"c\" {}", true},
		"many small":     {strings.Repeat(valid, 20), true},
		"nothing at all": {filled("", ""), true},
		"a heredoc":      {filled("locals {\n  a = <<EOT\n}\nEOT\n}\n", "network \"b\" {}\n"), false},
		"twice":          {filled("a = 1\n", "a = 2\n"), false},
		"a mistake":      {filled("network \"a\" {}\n", "network \"b\" = 1\n"), false},
		"one":            {"network \"a\" {}\n", false},
	} {
		cuts, _ := quick([]byte(c.text), DefaultLimits())
		body := parsePieces([]byte(c.text), "main.hcl", cuts)
		if (body != nil) != c.cuts {
			t.Errorf("%s: in pieces: %t, with cuts at %v", name, body != nil, cuts)
		}
		wantWhole(t, name, c.text, body)
	}
}

// wantWhole fails when pieces led to anything else than parsing the text at once does.
func wantWhole(t *testing.T, name, text string, pieces *hclsyntax.Body) {
	t.Helper()
	if pieces == nil {
		return
	}
	file, diags := hclsyntax.ParseConfig([]byte(text), "main.hcl", hcl.InitialPos)
	if len(diags) > 0 {
		t.Errorf("%s: the whole has mistakes that the pieces have not: %v", name, diags)
	}
	if !reflect.DeepEqual(file.Body, pieces) {
		t.Errorf("%s: pieces are not what the whole is", name)
	}
}

// FuzzPieces puts text before, between and behind what is cut.
func FuzzPieces(f *testing.F) {
	for _, text := range killers(6) {
		f.Add(text)
	}
	f.Add(valid)
	f.Add("/*")
	f.Add("locals {\n  a = 1 # b\n}")
	f.Fuzz(func(t *testing.T, inside string) {
		text := filled(inside, "network \"a\" {}\n"+inside, inside+"\nlocals {\n  b = 1\n}\n")
		if _, bad := notText([]byte(text), "main.hcl"); bad {
			return
		}
		cuts, plain := quick([]byte(text), DefaultLimits())
		if plain {
			wantWhole(t, "fuzz", text, parsePieces([]byte(text), "main.hcl", cuts))
		}
	})
}
