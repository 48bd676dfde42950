package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
)

// The values of --output.
const (
	outputText = "text"
	outputJSON = "json"
)

// findings prints what is wrong with a configuration, and ends the command when anything is.
func findings(o *options, found revision.Findings) error {
	if o.output == outputJSON {
		if err := printJSON(os.Stdout, diag.VerdictOf(found.Sourced())); err != nil {
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

func printJSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}

func colored(f *os.File) bool {
	return os.Getenv("NO_COLOR") == "" && term.IsTerminal(int(f.Fd()))
}
