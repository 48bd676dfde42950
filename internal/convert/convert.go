package convert

import (
	"bytes"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// File is a file by its name: of YAML as it was read, or of HCL to be written.
type File struct {
	Name    string
	Content []byte
}

// Result is what came of a conversion.
type Result struct {
	// Files are those that have something in them, of cloud.hcl, profiles.hcl and nodes.hcl. There
	// are none when a file could not be read to its end.
	Files []File
	// Diagnostics are in the order of files and lines. An error among them says that something
	// was lost.
	Diagnostics diag.Diagnostics

	read []File
}

// Source returns a file of YAML by its name, for the snippets of diagnostics.
func (r Result) Source(name string) ([]byte, bool) {
	for _, f := range r.read {
		if f.Name == name {
			return f.Content, true
		}
	}
	return nil, false
}

// Text returns all files of the result as one.
func (r Result) Text() []byte {
	var contents [][]byte
	for _, f := range r.Files {
		contents = append(contents, f.Content)
	}
	return bytes.Join(contents, []byte("\n"))
}

// Convert turns files of YAML, which together describe one cloud or a part of it, into HCL in a language.
func Convert(language *schema.Definition, files []File, limits Limits) Result {
	c := &converter{limits: limits, definition: language, unique: map[identity]diag.Range{}, once: map[string]bool{}}
	var empty []File
	for _, f := range files {
		before, told := c.objects, c.told
		if c.read(f, c.document); c.objects == before && c.told == told {
			empty = append(empty, f)
		}
	}
	if c.objects == 0 && c.told == 0 {
		empty = nil // which that says
		c.unreadable(finding{code: codeMissing, summary: "nothing to convert", detail: "there is no document in what was read", hint: "give the files that hold the objects, all of a cloud at once"})
	}
	for _, f := range empty {
		c.warn(finding{code: codeMissing, at: beginOf(f), summary: "nothing in this file", detail: "there is no document in it", hint: "leave it away, or look whether it is the right file"})
	}
	r := Result{read: files}
	if !c.broken {
		r.Files = c.finish()
	}
	if c.broken { // also by the size of what came out
		r.Files = nil
	}
	r.Diagnostics = c.diags.Sorted()
	return r
}

// converter holds what is gathered over all documents.
type converter struct {
	limits     Limits
	definition *schema.Definition
	diags      diag.Diagnostics
	told       int
	bytes      int
	documents  int // empty ones and Lists included
	objects    int // the documents that say something, and the elements of Lists
	nodes      int
	text       int
	broken     bool // something could not be read, so that there is no result

	unique map[identity]diag.Range // the documents so far
	once   map[string]bool         // what was told, and is not told of every document

	plane    *plane
	config   *configuration
	profiles []*profile
	nodeList []*node
	services []*service // of the cloud, by the order of the documents
	cloud    settings   // of the cloud itself
	secured  *block     // of TLS inside; nil without
	glance   field      // storageType of Glance
}

// identity tells documents apart.
type identity struct{ kind, namespace, name string }

func (c *converter) first(what string) bool {
	was := c.once[what]
	c.once[what] = true
	return !was
}
