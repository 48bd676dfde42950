package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/kupenstack/kupenstack-sync/cmd/internal/wire"
	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/format"
)

// formatting is one call of fmt.
type formatting struct {
	options *options
	in      io.Reader
	out     io.Writer
	check   bool
	diff    bool
}

func formatCommand(o *options) *cobra.Command {
	f := &formatting{options: o}
	command := &cobra.Command{
		Use: "fmt [DIRECTORY | FILE | -]...", Short: "Bring files into the canonical layout",
		Long: `fmt formats *.hcl and *.hclvars files: the ones that are named, and all below the directories that are named,
or below the working directory. It prints the names of the files that it changes. With - it formats
standard input to standard output.

A file with a mistake of syntax stays as it is, and is told about. Links are not followed.
Exit codes: 0 done, 1 failed, 3 a file has mistakes, or with --check another layout.`,
		Example: `  kupenstack-sync fmt
  kupenstack-sync fmt --check --diff clouds/prod`,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.in, f.out = cmd.InOrStdin(), cmd.OutOrStdout()
			return o.bounded(cmd.Context(), func(ctx context.Context, _ *options) error { return f.run(ctx, args) })
		},
	}
	command.Flags().BoolVar(&f.check, "check", false, "change no file, and end with 3 if one has another layout")
	command.Flags().BoolVar(&f.diff, "diff", false, "show what is changed")
	return command
}

func (f *formatting) run(ctx context.Context, args []string) error {
	formatter := &format.Formatter{Limits: config.DefaultLimits(), Write: !f.check, Layout: func(files []format.File) (format.Result, error) {
		return wire.Format(ctx, files)
	}}
	if slices.Contains(args, standardInput) {
		if len(args) > 1 || f.options.output == outputJSON {
			return fmt.Errorf("%w: - stands alone, and gives text", wire.ErrUsage)
		}
		return f.text(formatter)
	}
	if len(args) == 0 {
		args = []string{"."}
	}
	for _, name := range args {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := formatter.Path(name); err != nil {
			return err
		}
	}
	found, changed := formatter.Findings(), formatter.Changed()
	if err := f.show(found, changed); err != nil {
		return err
	}
	return f.result(found, len(changed) > 0)
}

// text formats standard input.
func (f *formatting) text(formatter *format.Formatter) error {
	const name = "<stdin>"
	before, err := io.ReadAll(io.LimitReader(f.in, formatter.Limits.FileBytes+1))
	if err != nil {
		return fmt.Errorf("read standard input: %w", err)
	}
	after, err := formatter.Text(name, before)
	if err != nil {
		return err
	}
	found, changed := formatter.Findings(), !bytes.Equal(before, after)
	if err := tell(found); err != nil {
		return err
	}
	switch file := (format.File{Name: name, Before: before, After: after}); {
	case found.Diagnostics.HasErrors():
	case f.diff && changed:
		_, err = io.WriteString(f.out, file.Diff())
	case !f.diff && !f.check:
		_, err = f.out.Write(after)
	}
	if err != nil {
		return err
	}
	return f.result(found, changed)
}

// formatted is what programs are told of a file.
type formatted struct {
	Name string `json:"name"`
	Diff string `json:"diff,omitempty"` // with --diff
}

func (f *formatting) show(found diag.Sourced, changed []format.File) error {
	if f.options.output == outputJSON {
		document := struct {
			diag.Verdict
			Changed []formatted `json:"changed"`
		}{diag.VerdictOf(found), []formatted{}}
		for i := range changed {
			file := formatted{Name: changed[i].Name}
			if f.diff {
				file.Diff = changed[i].Diff()
			}
			document.Changed = append(document.Changed, file)
		}
		return printJSON(f.out, document)
	}
	for i := range changed {
		fmt.Fprintln(f.out, changed[i].Name)
		if f.diff {
			fmt.Fprint(f.out, changed[i].Diff())
		}
	}
	return tell(found)
}

func (f *formatting) result(found diag.Sourced, changed bool) error {
	if found.Diagnostics.HasErrors() || f.check && changed {
		return exit(exitInvalid)
	}
	return nil
}

// tell prints findings for people.
func tell(found diag.Sourced) error {
	return diag.Printer{Source: found.Source, Color: colored(os.Stderr)}.Print(os.Stderr, found.Diagnostics)
}
