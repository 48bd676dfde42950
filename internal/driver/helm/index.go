package helm

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"helm.sh/helm/v3/pkg/repo"
)

const (
	// maxEntry bounds what an index has of one chart, which is decoded into some twenty times as much memory.
	maxEntry = 4 << 20
	// maxWhole is up to which size an index is decoded as a whole, where its entries are not found without that.
	maxWhole = 2 << 20
)

// errOtherForm says that the entries of an index are not written as all tools write them.
var errOtherForm = fmt.Errorf("it is no index of charts, or one that is not written as helm repo index does, which is read up to %d MiB", maxWhole>>20)

// index is the index of a repository. It stays packed, as decoded it takes more than twenty times its size: of it, what is asked
// for is decoded.
type index struct {
	packed []byte
	size   int64
}

// newIndex packs an index while it is read.
func newIndex(from io.Reader) (*index, error) {
	var packed bytes.Buffer
	writer, err := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	size, err := io.Copy(writer, from)
	if err = errors.Join(err, writer.Close()); err != nil {
		return nil, err
	}
	return &index{packed: packed.Bytes(), size: size}, nil
}

// of returns the index with nothing but the versions of one chart.
func (x *index) of(name, dir string) (*repo.IndexFile, error) {
	text, err := x.cut(name)
	var found *repo.IndexFile
	if err == nil {
		found, err = parseIndex(text, dir)
	}
	if err == nil || x.size > maxWhole {
		return found, err
	}
	reader, err := gzip.NewReader(bytes.NewReader(x.packed))
	if err != nil {
		return nil, err
	}
	if text, err = io.ReadAll(reader); err != nil {
		return nil, err
	}
	return parseIndex(text, dir)
}

// parseIndex reads an index, which Helm does from files only. The file is nobody else's: another process may use
// the same directory.
func parseIndex(text []byte, dir string) (*repo.IndexFile, error) {
	file, err := temporary(dir, text)
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.Remove(file) }()
	return repo.LoadIndexFile(file)
}

// cut returns the text of an index with the entry of one chart.
func (x *index) cut(name string) ([]byte, error) {
	unpacked, err := gzip.NewReader(bytes.NewReader(x.packed))
	if err != nil {
		return nil, err
	}
	reader := bufio.NewReaderSize(unpacked, 64<<10)
	for {
		first, err := reader.Peek(1)
		switch {
		case err != nil:
			return nil, errOtherForm
		case first[0] == '{':
			return cutJSON(json.NewDecoder(reader), name)
		case !bytes.ContainsAny(first, " \t\r\n"):
			return cutYAML(reader, name)
		}
		if _, err := reader.Discard(1); err != nil {
			return nil, err
		}
	}
}

// cutJSON passes over all entries but one.
func cutJSON(decoder *json.Decoder, name string) ([]byte, error) {
	kept := map[string]any{"entries": map[string]any{}}
	err := eachMember(decoder, func(key string) error {
		switch key {
		case "apiVersion":
			var version json.RawMessage
			err := decoder.Decode(&version)
			kept[key] = version
			return err
		case "entries":
			return eachMember(decoder, func(chart string) error {
				if chart != name {
					return skip(decoder)
				}
				var entry json.RawMessage
				if err := decoder.Decode(&entry); err != nil {
					return err
				}
				kept["entries"] = map[string]any{name: entry}
				return checkEntry(len(entry))
			})
		}
		return skip(decoder)
	})
	if err != nil {
		return nil, err
	}
	return json.Marshal(kept)
}

// eachMember visits the members of an object, whose values visit takes.
func eachMember(decoder *json.Decoder, visit func(key string) error) error {
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return errOtherForm
	}
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return err
		}
		key, ok := token.(string)
		if !ok {
			return errOtherForm
		}
		if err := visit(key); err != nil {
			return err
		}
	}
	_, err := decoder.Token()
	return err
}

// skip passes over a value.
func skip(decoder *json.Decoder) error {
	for depth := 0; ; {
		token, err := decoder.Token()
		if err != nil {
			return err
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
}

func checkEntry(size int) error {
	if size > maxEntry {
		return fmt.Errorf("what it has of the chart is larger than %d MiB: publish the chart in a repository with fewer versions", maxEntry>>20)
	}
	return nil
}

// cutYAML takes the lines of one entry, by how far they are indented: so it costs nothing to pass over the others.
func cutYAML(reader *bufio.Reader, name string) ([]byte, error) {
	c := cutter{name: name, indent: -1}
	for begins := true; ; {
		line, err := reader.ReadSlice('\n')
		if begins && len(line) > 0 {
			if wrong := c.classify(line); wrong != nil {
				return nil, wrong
			}
		}
		if begins = !errors.Is(err, bufio.ErrBufferFull); !begins {
			err = nil // the rest of the line comes next
		}
		if c.takes {
			c.entry = append(c.entry, line...)
			if err := checkEntry(len(c.entry)); err != nil {
				return nil, err
			}
		}
		switch {
		case err == nil:
		case !errors.Is(err, io.EOF):
			return nil, err
		case !c.seen:
			return nil, errOtherForm
		default:
			return c.text(), nil
		}
	}
}

// cutter tells what the lines of an index belong to.
type cutter struct {
	name    string
	version string // the line with apiVersion
	entry   []byte

	seen   bool // there were entries
	within bool // these lines are entries
	takes  bool // these lines are of the entry that is wanted
	indent int  // of the names of charts; -1 before the first
}

// classify looks at the beginning of a line.
func (c *cutter) classify(line []byte) error {
	text := strings.TrimRight(strings.TrimLeft(string(line), " "), "\r\n")
	indent := len(line) - len(bytes.TrimLeft(line, " "))
	switch {
	case text == "" || text[0] == '#':
		return nil
	case indent == 0 && text != "-" && !strings.HasPrefix(text, "- "):
		c.within, c.takes = false, false
		key, rest, _ := keyIn(text)
		switch {
		case key == "apiVersion":
			c.version = text
		case key == "entries" && (c.seen || rest != "" && rest[0] != '#'):
			return errOtherForm
		case key == "entries":
			c.within, c.seen = true, true
		}
		return nil
	case !c.within:
		return nil
	case c.indent < 0:
		c.indent = indent
	}
	switch {
	case indent < c.indent:
		return errOtherForm
	case indent > c.indent || text == "-" || strings.HasPrefix(text, "- "):
		return nil
	}
	key, _, ok := keyIn(text)
	if !ok {
		return errOtherForm
	}
	c.takes = key == c.name
	return nil
}

// keyIn splits a line of a mapping.
func keyIn(text string) (key, rest string, ok bool) {
	key, rest, ok = strings.Cut(text, ":")
	if !ok || rest != "" && rest[0] != ' ' || strings.ContainsAny(key, "?&*!|>%@`{[<") {
		return "", "", false
	}
	if n := len(key); n > 1 && (key[0] == '"' || key[0] == '\'') && key[0] == key[n-1] {
		key = key[1 : n-1]
	}
	return key, strings.TrimSpace(rest), true
}

// text is the index with the one entry.
func (c *cutter) text() []byte {
	if len(c.entry) == 0 {
		return []byte(c.version + "\nentries: {}\n")
	}
	return append([]byte(c.version+"\nentries:\n"), c.entry...)
}
