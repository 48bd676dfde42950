package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/kupenstack/kupenstack-sync/cmd/internal/wire"
	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/contain"
	"github.com/kupenstack/kupenstack-sync/internal/convert"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
)

// standardInput is how standard input is written as an argument.
const standardInput = "-"

// conversion is what convert is told besides the flags of all commands.
type conversion struct{ destination }

func convertCommand(o *options) *cobra.Command {
	var c conversion
	command := &cobra.Command{
		Use: "convert [FILE…|-]", Short: "Turn custom resources in YAML into a configuration", Args: wire.Args(cobra.ArbitraryArgs),
		Long: `Reads documents of YAML, from files or from standard input, and prints the configuration that they
describe: KupenstackConfiguration, OpenstackNode and OpenStackCloudConfigurationProfile of
kupenstack.io/v1alpha1; OpenStackControlPlane, OVNNetwork and the kinds of its services of
openstack.k8s.io/v1alpha1; and Lists of them. Give all files of a cloud at once. No server is asked.

Exit codes: 0 all of it was converted, 3 something was lost, and the diagnostics say what, or nothing
could be read. What was converted is written all the same, unless a file could not be read to its end.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.bounded(cmd.Context(), func(ctx context.Context, o *options) error { return c.run(ctx, o, args) })
		},
	}
	c.register(command.Flags(), "cloud.hcl, profiles.hcl and nodes.hcl")
	return command
}

func (c *conversion) run(ctx context.Context, o *options, args []string) error {
	if len(args) == 0 {
		if term.IsTerminal(int(os.Stdin.Fd())) {
			return fmt.Errorf("%w: give files of YAML, or - for standard input", wire.ErrUsage)
		}
		args = []string{standardInput}
	}
	limits := convert.DefaultLimits()
	var files []convert.File
	seen := map[string]bool{}
	for _, name := range args {
		if seen[name] {
			return fmt.Errorf("%w: %s is given twice", wire.ErrUsage, name)
		}
		seen[name] = true
		content, err := readBounded(ctx, name, limits.FileBytes)
		if err != nil {
			return err
		}
		if name == standardInput {
			name = "standard input"
		}
		files = append(files, convert.File{Name: name, Content: content})
	}
	ended, err := wire.Try(ctx, wire.JobConvert, "converting", files)
	if err != nil {
		return err
	}
	result := convert.Result{}
	if ended != nil {
		result.Diagnostics.Append(*ended)
	} else {
		result = convert.Convert(o.Language, files, limits)
	}
	if c.out != "" && len(result.Files) > 0 {
		if err := c.write(result.Files); err != nil {
			return err
		}
	}
	if err := c.tell(o, result); err != nil {
		return err
	}
	if result.Diagnostics.HasErrors() {
		return exit(exitInvalid)
	}
	return nil
}

// tell prints the result where it was asked for, and what there is to say about it.
func (c *conversion) tell(o *options, result convert.Result) error {
	if o.output == outputJSON {
		files := map[string]string{}
		for _, f := range result.Files {
			files[f.Name] = string(f.Content)
		}
		found := diag.Sourced{Diagnostics: result.Diagnostics, Source: result.Source}
		return printJSON(os.Stdout, map[string]any{"complete": !found.Diagnostics.HasErrors(), "diagnostics": found, "files": files})
	}
	if c.out == "" {
		if _, err := os.Stdout.Write(result.Text()); err != nil {
			return err
		}
	}
	printer := diag.Printer{Source: result.Source, Color: colored(os.Stderr)}
	if err := printer.Print(os.Stderr, result.Diagnostics); err != nil {
		return err
	}
	if c.out != "" && len(result.Files) > 0 {
		var names []string
		for _, f := range result.Files {
			names = append(names, f.Name)
		}
		fmt.Fprintf(os.Stdout, "Written to %s: %s. Check it with: kupenstack-sync validate %s\n", c.out, strings.Join(names, ", "), c.out)
	}
	return nil
}

// readBounded reads a file, and one byte more than the limit of one that is too large. It does not
// wait for standard input longer than the command may take.
func readBounded(ctx context.Context, name string, limit int) ([]byte, error) {
	type outcome struct {
		content []byte
		err     error
	}
	done := make(chan outcome, 1)
	contain.Go(func() {
		content, err := readFile(name, limit)
		done <- outcome{content, err}
	})
	select {
	case o := <-done:
		return o.content, o.err
	case <-ctx.Done():
		return nil, fmt.Errorf("read %s: %w", name, ctx.Err())
	}
}

func readFile(name string, limit int) ([]byte, error) {
	file := os.Stdin
	if name != standardInput {
		switch info, err := os.Stat(name); {
		case err != nil:
			return nil, err
		case info.IsDir():
			return nil, fmt.Errorf("%w: %s is a directory: name its files", wire.ErrUsage, name)
		case !info.Mode().IsRegular(): // opening it, or reading to its end, may take for ever
			return nil, fmt.Errorf("%w: %s is %s: name files, or give what it holds by standard input with %s", wire.ErrUsage, name, config.Irregular(info.Mode()), standardInput)
		}
		opened, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // should it be something else since
		if err != nil {
			return nil, err
		}
		defer opened.Close()
		file = opened
	}
	return io.ReadAll(io.LimitReader(file, int64(limit)+1))
}
