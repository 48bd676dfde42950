package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kupenstack/kupenstack-sync/cmd/internal/wire"
	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/report"
)

func graphCommand(o *options) *cobra.Command {
	format := string(report.GraphDOT)
	command := &cobra.Command{
		Use: "graph [DIRECTORY]", Short: "Draw what depends on what, without any server",
		Long: `graph reads a configuration and draws the units that it leads to, grouped by class. An arrow leads from what
is needed to what needs it, and is named after what must hold: "installed" or "ready". A dashed one lets
the other end be installed meanwhile, and only not be called ready.
It reaches no server unless --repo names one.`,
		Example: `  kupenstack-sync graph examples/demo | dot -Tsvg >graph.svg
  kupenstack-sync graph --format mermaid`,
		Args: wire.Args(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.bounded(cmd.Context(), func(ctx context.Context, o *options) error {
				return drawGraph(ctx, o, cmd.OutOrStdout(), report.GraphFormat(format), args)
			})
		},
	}
	command.Flags().StringVar(&format, "format", format, strings.Join(graphFormats(), " or "))
	return command
}

// drawGraph draws the units of a configuration. One with mistakes has none.
func drawGraph(ctx context.Context, o *options, w io.Writer, format report.GraphFormat, args []string) error {
	if !slices.Contains(report.GraphFormats(), format) {
		return fmt.Errorf("%w: --format %s: use %s", wire.ErrUsage, format, strings.Join(graphFormats(), " or "))
	}
	if err := o.directory(args); err != nil {
		return err
	}
	loaded, found, err := load(ctx, o)
	if err != nil {
		return err
	}
	if loaded == nil {
		return findings(o, found)
	}
	wanted, more := loaded.Compose(compose.Facts{Unlocked: true, OpenStackGiven: o.OSCloud != ""})
	found.Diagnostics.Append(more...)
	if wanted == nil {
		return findings(o, found)
	}
	fmt.Fprint(os.Stderr, found.Text(colored(os.Stderr))) // warnings
	text, err := report.Graph(wanted.Units, format)
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, text)
	return err
}

func graphFormats() []string {
	var names []string
	for _, format := range report.GraphFormats() {
		names = append(names, string(format))
	}
	return names
}
