package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kupenstack/kupenstack-sync/cmd/internal/wire"
	"github.com/kupenstack/kupenstack-sync/internal/convert"
	"github.com/kupenstack/kupenstack-sync/internal/export"
)

// exporting is what export is told besides the flags of all commands.
type exporting struct {
	destination
	export.Selection
}

func exportCommand(o *options) *cobra.Command {
	var e exporting
	command := &cobra.Command{
		Use: "export", Short: "Write what is in an OpenStack as a configuration", Args: wire.Args(cobra.NoArgs),
		Long: `Prints blocks for the objects in the OpenStack of --os-cloud, with references between them, and import blocks: put
beside a cloud block, they have the next pass adopt what is there, and change nothing of it. What is referred to and
not exported becomes a data block. Objects that a configuration manages already are left out, as are secrets.

Nothing is changed. Other objects than those of our user's projects are seen only by an administrator. Kinds that our
user may not list at all, as mostly users and domains, are left out and named; that is an error where it is all kinds
that were asked for.

With --force the files of an earlier export are replaced. Where that wrote others of the same kinds, which this one does
not write, nothing is written, and they are named: delete them, as blocks would be there twice. Files of other kinds than
those of --kind stay, and so do the data blocks that they refer to. Where a configuration
manages some of the objects by now, no file of an earlier export is replaced, as their blocks would go with it: give a
directory of its own for what is new, and move it over from there.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.bounded(cmd.Context(), func(ctx context.Context, o *options) error { return e.run(ctx, o) })
		},
	}
	e.register(command.Flags(), "files for each kind")
	command.Flags().StringVar(&e.Project, "project", "", "the name or id of the project whose objects are exported, with itself (default: all)")
	command.Flags().StringSliceVar(&e.Kinds, "kind", nil, "which kinds of objects are exported; may be repeated (default: all)")
	return command
}

func (e *exporting) run(ctx context.Context, o *options) error {
	known := export.Kinds(o.Language)
	for _, kind := range e.Kinds {
		if !slices.Contains(known, kind) {
			return fmt.Errorf("%w: --kind %s: there are %s", wire.ErrUsage, kind, strings.Join(known, ", "))
		}
	}
	if o.OSCloud == "" {
		return fmt.Errorf("%w: say which OpenStack with --os-cloud", wire.ErrUsage)
	}
	log, err := wire.Logger(os.Stderr, o.LogLevel, o.Masker)
	if err != nil {
		return err
	}
	kinds := export.Needed(o.Language, e.Kinds)
	if e.Project != "" && !slices.Contains(kinds, export.Project) {
		kinds = append(kinds, export.Project)
	}
	live, refused, err := wire.Live(ctx, &o.Flags, "kupenstack-sync/"+version, log, kinds)
	if err != nil {
		return err
	}
	if len(e.Kinds) > 0 && !slices.ContainsFunc(e.Kinds, func(kind string) bool { return !slices.Contains(refused, kind) }) {
		return fmt.Errorf("the user of %s may not list any of %s: it takes the role admin", o.OSCloud, strings.Join(e.Kinds, ", "))
	}
	if e.Project != "" && slices.Contains(refused, export.Project) {
		return fmt.Errorf("the user of %s may not list projects: leave --project out for what is in its own", o.OSCloud)
	}
	result, err := export.Export(o.Language, live, e.Selection)
	if refused := (*export.RefusedError)(nil); errors.As(err, &refused) {
		return err
	} else if err != nil {
		return fmt.Errorf("%w: --project: %w", wire.ErrUsage, err)
	}
	slices.Sort(refused)
	return e.tell(o, result, refused)
}

// tell writes the result where it was asked for, and what there is to say about it.
func (e *exporting) tell(o *options, result export.Result, refused []string) error {
	var files []convert.File
	text := map[string]string{}
	for _, f := range result.Files {
		files = append(files, convert.File(f))
		text[f.Name] = string(f.Content)
	}
	if e.out != "" && len(files) > 0 {
		if err := e.writeAll(files, result.Managed, refused); err != nil {
			return err
		}
	}
	if len(refused) > 0 {
		fmt.Fprintf(os.Stderr, "Left out, as the user of %s may not list them: %s. What refers to them has their ids.\n", o.OSCloud, strings.Join(refused, ", "))
	}
	if o.output == outputJSON {
		return printJSON(os.Stdout, map[string]any{"objects": result.Objects, "lookedUp": result.LookedUp, "managed": result.Managed, "unwritable": result.Unwritable, "unfit": result.Unfit, "refused": append([]string{}, refused...), "files": text})
	}
	if e.out == "" {
		if _, err := os.Stdout.Write((convert.Result{Files: files}).Text()); err != nil {
			return err
		}
	}
	fmt.Fprintf(os.Stderr, "%d exported, %d looked up, %d managed by a configuration already.\n", result.Objects, result.LookedUp, result.Managed)
	if result.Unwritable > 0 {
		fmt.Fprintf(os.Stderr, "%d left out, as they lack what their blocks have to have, such as the image of an instance that runs from a volume, or have what no block can say.\n", result.Unwritable)
	}
	if result.Unfit > 0 {
		fmt.Fprintf(os.Stderr, "%d left out, as they cannot be taken over as they are: images that have no bytes yet, or never got them, what has a description that our mark does not fit behind, and what takes an administrator or is in projects that the user has no role in.\n", result.Unfit)
	}
	if e.out != "" && len(files) > 0 {
		fmt.Fprintf(os.Stdout, "Written to %s. With a cloud block beside it, see what a pass would do with: kupenstack-sync plan --repo %s\n", e.out, e.out)
	}
	return nil
}
