package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/kupenstack/kupenstack-sync/cmd/internal/wire"
	"github.com/kupenstack/kupenstack-sync/internal/explain"
)

func explainCommand(o *options) *cobra.Command {
	return &cobra.Command{
		Use: "explain ADDRESS [SERVICE]", Short: "Tell which file and line set each value, and what it took the place of",
		Long: `explain reads the configuration at --repo, or in the working directory, and tells of every effective value
of one thing which file and line set it, or that it is a default, and what lower layers have for it.
It reaches no server unless --repo names one.`,
		Example: `  kupenstack-sync explain cloud
  kupenstack-sync explain service.keystone
  kupenstack-sync explain node.worker-7 nova
  kupenstack-sync explain profile.gpu
  kupenstack-sync explain 'instance.web["a"]'`,
		Args: wire.Args(cobra.RangeArgs(1, 2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.bounded(cmd.Context(), func(ctx context.Context, o *options) error { return explainAddress(ctx, o, args) })
		},
	}
}

// explainAddress tells where values come from. A configuration with mistakes has none.
func explainAddress(ctx context.Context, o *options, args []string) error {
	if o.Repo == "" {
		o.Repo = "."
	}
	loaded, found, err := load(ctx, o)
	if err != nil {
		return err
	}
	if loaded == nil {
		return findings(o, found)
	}
	service := ""
	if len(args) > 1 {
		service = args[1]
	}
	answers, err := loaded.Explain(args[0], service)
	if errors.Is(err, explain.ErrQuestion) {
		return fmt.Errorf("%w: %w", wire.ErrUsage, err)
	}
	if err != nil {
		return err
	}
	if o.output == outputJSON {
		return printJSON(os.Stdout, map[string]any{"explanations": answers})
	}
	fmt.Fprint(os.Stderr, found.Text(colored(os.Stderr))) // warnings
	return explain.Text(os.Stdout, answers)
}
