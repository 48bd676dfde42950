package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
)

// The values of --output.
const (
	outputText = "text"
	outputJSON = "json"
)

// formatVersion is the version of the JSON of [verdict]: fields may be added to it, and none changes
// its meaning.
const formatVersion = "1.0"

// verdict is what a command that checks files prints for programs.
type verdict struct {
	FormatVersion string       `json:"format_version"`
	Valid         bool         `json:"valid"`
	Errors        int          `json:"error_count"`
	Warnings      int          `json:"warning_count"`
	Diagnostics   diag.Sourced `json:"diagnostics"`
}

func verdictOf(found diag.Sourced) verdict {
	v := verdict{FormatVersion: formatVersion, Diagnostics: found}
	for _, d := range found.Diagnostics {
		if d.Severity == diag.Error {
			v.Errors++
		} else {
			v.Warnings++
		}
	}
	v.Valid = v.Errors == 0
	return v
}

// findings prints what is wrong with a configuration, and ends the command when anything is.
func findings(o *options, found revision.Findings) error {
	if o.output == outputJSON {
		if err := printJSON(os.Stdout, verdictOf(found.Sourced())); err != nil {
			return err
		}
	} else if len(found.Diagnostics) > 0 {
		fmt.Fprint(os.Stderr, found.Text(colored(os.Stderr)))
	}
	if found.Diagnostics.HasErrors() {
		return exit(exitInvalid)
	}
	return nil
}

// printPlan prints a plan for programs, with the warnings about its configuration.
func printPlan(w io.Writer, p *plan.Plan, found revision.Findings) error {
	document, err := p.JSON(found.Sourced())
	if err != nil {
		return err
	}
	return printJSON(w, json.RawMessage(document))
}

func printJSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}

func colored(f *os.File) bool {
	return os.Getenv("NO_COLOR") == "" && term.IsTerminal(int(f.Fd()))
}
