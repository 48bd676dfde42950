package convert

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
)

// read calls visit for each document of a file in order, as far as the file can be read.
func (c *converter) read(f File, visit func(*value)) {
	switch c.bytes += len(f.Content); {
	case len(f.Content) > c.limits.FileBytes:
		c.unreadable(finding{codeLimit, beginOf(f), "file is too large", fmt.Sprintf("a file can have at most %d bytes", c.limits.FileBytes), "split it between two documents", false})
		return
	case c.bytes > c.limits.TotalBytes:
		c.unreadable(finding{codeLimit, beginOf(f), "too much at once", fmt.Sprintf("all files together can have at most %d bytes", c.limits.TotalBytes), "convert the profiles and the nodes each by themselves", false})
		return
	}
	if at, bad := notText(f); bad {
		c.unreadable(finding{codeSyntax, at, "not a text file", "the file has bytes that are not text in UTF-8", "save it as UTF-8", false})
		return
	}
	decoder := yaml.NewDecoder(bytes.NewReader(f.Content))
	for {
		var n yaml.Node
		err := decode(decoder, &n)
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			c.unreadable(syntax(f, err))
			return
		}
		if c.documents++; c.documents > c.limits.Documents {
			c.unreadable(finding{codeLimit, at(f.Name, &n), "too many documents", fmt.Sprintf("at most %d documents can be converted at once", c.limits.Documents), "", false})
			return
		}
		b := builder{c: c, file: f.Name, active: map[*yaml.Node]bool{}}
		v, ok := b.build(&n, 0)
		if !ok {
			return
		}
		visit(v)
	}
}

// beginOf is the place of what is said of a file as a whole.
func beginOf(f File) diag.Range {
	begin := diag.Pos{Line: 1, Column: 1}
	return diag.Range{File: f.Name, Start: begin, End: begin}
}

// decode reads one document. The library panics on some input that it has not thought of; what it
// reads here is not ours to trust.
func decode(d *yaml.Decoder, n *yaml.Node) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errors.New("the text confuses the reader of YAML")
		}
	}()
	return d.Decode(n)
}

// syntax makes a diagnostic of the library's error, which names a line or an anchor in its text.
func syntax(f File, err error) finding {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	number, parser := 1, false
	if m := regexp.MustCompile(`^line (\d+): `).FindStringSubmatch(text); m != nil {
		text = text[len(m[0]):]
		number, _ = strconv.Atoi(m[1])
		if parser = strings.HasPrefix(text, "did not find expected"); parser {
			number++ // these are counted from 0
		}
	} else if m := regexp.MustCompile(`^unknown anchor '(.*)' referenced$`).FindStringSubmatch(text); m != nil {
		if before, _, found := strings.Cut(string(f.Content), "*"+m[1]); found {
			number = strings.Count(before, "\n") + 1
		}
	}
	lines := strings.Split(string(f.Content), "\n")
	number = max(1, min(number, len(lines)))
	line := strings.TrimRight(lines[number-1], " \t\r")
	blank := len(line) - len(strings.TrimLeft(line, " \t"))
	hint := "mend it at the line shown, or just before it"
	if parser {
		hint = "look at what begins at the line shown: something in it is not closed, or not indented like its neighbours"
	}
	if strings.Contains(line[:blank], "\t") {
		hint = "YAML is indented with spaces: replace the tab"
	}
	start := diag.Pos{Line: number, Column: blank + 1}
	end := diag.Pos{Line: number, Column: utf8.RuneCountInString(line) + 1}
	return finding{codeSyntax, diag.Range{File: f.Name, Start: start, End: end}, "not YAML", text, hint, false}
}

// notText finds the first byte that is no UTF-8, or a NUL, which no editor shows.
func notText(f File) (diag.Range, bool) {
	for i := 0; i < len(f.Content); {
		r, size := utf8.DecodeRune(f.Content[i:])
		if r == 0 || r == utf8.RuneError && size == 1 {
			before := f.Content[:i]
			p := diag.Pos{
				Line:   bytes.Count(before, []byte("\n")) + 1,
				Column: utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1, Byte: i,
			}
			return diag.Range{File: f.Name, Start: p, End: p}, true
		}
		i += size
	}
	return diag.Range{}, false
}

// at is where a node is. The library tells the beginning; the end is that of what stands in one line.
func at(file string, n *yaml.Node) diag.Range {
	start := diag.Pos{Line: max(n.Line, 1), Column: max(n.Column, 1)}
	end := start
	if n.Kind == yaml.ScalarNode && !strings.Contains(n.Value, "\n") {
		end.Column += utf8.RuneCountInString(n.Value)
		if n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 {
			end.Column += 2
		}
	}
	return diag.Range{File: file, Start: start, End: end}
}
