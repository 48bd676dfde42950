package wire

import (
	"bytes"
	"context"
	"encoding/gob"
	"fmt"
	"io/fs"
	"maps"
	"strconv"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/confine"
	"github.com/kupenstack/kupenstack-sync/internal/convert"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/format"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// What is done in a process of its own with files that are read here.
const (
	jobFormat  = "format"
	JobConvert = "convert" // see [Try]
)

// Child does the work of a child process when this process is one; see [confine.Child]. Each
// command calls it first of all. Files are read in the language.
func Child(language *schema.Definition, arguments []string) (code int, is bool) {
	return confine.Child(arguments, jobs(language))
}

func jobs(language *schema.Definition) map[string]confine.Job {
	all := map[string]confine.Job{jobFormat: formatFiles, JobConvert: func(t confine.Task) []byte { return tryConvert(language, t) }}
	maps.Copy(all, revision.Jobs(language))
	return all
}

// File is a file by its name, as it was read.
type File = convert.File

// Try does a job with files in a process of its own. It returns what ended that, or nil when it went
// well, so that doing the same here does no harm. The error says that trying was not possible. work
// names the job in a sentence, as in "converting".
func Try(ctx context.Context, job, work string, files []File) (*diag.Diagnostic, error) {
	r := runner()
	outcome, err := run(ctx, r, job, files)
	if err != nil {
		return nil, err
	}
	blame := ""
	if len(files) == 1 {
		blame = files[0].Name
	}
	return outcome.Diagnostic(r.Limits, work, blame), nil
}

// Format formats files in a process of its own; see [format.Layout]. What ends that is a diagnostic.
// The error says that it was not possible.
func Format(ctx context.Context, files []format.File) (format.Result, error) {
	untrusted := make([]File, len(files))
	for i := range files {
		untrusted[i] = File{Name: files[i].Name, Content: files[i].Before}
	}
	r := runner()
	outcome, err := run(ctx, r, jobFormat, untrusted)
	if err != nil {
		return format.Result{}, err
	}
	var result format.Result
	if outcome.Excess == confine.None {
		if err := gob.NewDecoder(bytes.NewReader(outcome.Answer)).Decode(&result); err != nil {
			return format.Result{}, fmt.Errorf("%w: its answer: %w", confine.ErrUnavailable, err)
		}
		return result, nil
	}
	blame := ""
	if i, err := strconv.Atoi(outcome.File); err == nil {
		blame = files[i].Name
	}
	result.Diagnostics.Append(*outcome.Diagnostic(r.Limits, "formatting files", blame))
	return result, nil
}

// run does a job with files, which it sees by their numbers.
func run(ctx context.Context, r *confine.Runner, job string, files []File) (confine.Outcome, error) {
	tree, names := confine.Files{}, make([]string, len(files))
	for i, f := range files {
		tree[strconv.Itoa(i)], names[i] = f.Content, f.Name
	}
	return r.Run(ctx, job, tree, names...)
}

// formatFiles answers with a [format.Result].
func formatFiles(t confine.Task) []byte {
	result := format.Layout(len(t.Arguments), func(i int) (string, []byte) {
		content, err := served(t, i)
		if err != nil {
			panic(err) // the parent has all of them
		}
		return t.Arguments[i], content
	}, config.DefaultLimits())
	var answer bytes.Buffer
	if err := gob.NewEncoder(&answer).Encode(result); err != nil {
		panic(err) // the parent is this same program
	}
	return answer.Bytes()
}

// tryConvert converts all files at once.
func tryConvert(language *schema.Definition, t confine.Task) []byte {
	var files []convert.File
	for i, name := range t.Arguments {
		if content, err := served(t, i); err == nil {
			files = append(files, convert.File{Name: name, Content: content})
		}
	}
	convert.Convert(language, files, convert.DefaultLimits())
	return nil
}

// served is one of the files.
func served(t confine.Task, i int) ([]byte, error) { return fs.ReadFile(t.Files, strconv.Itoa(i)) }
