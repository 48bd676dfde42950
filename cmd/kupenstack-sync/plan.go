package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/kupenstack/kupenstack-sync/cmd/internal/wire"
	"github.com/kupenstack/kupenstack-sync/internal/daemon"
	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/internal/guard"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/report"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// planning is the command that plans.
type planning struct {
	*options
	publish bool
	review  *review // nil when nothing is published
}

func planCommand(o *options) *cobra.Command {
	p := planning{options: o}
	command := &cobra.Command{
		Use: "plan", Short: "Tell what a pass would change", Args: wire.Args(cobra.NoArgs),
		Long: `plan tells what a pass would change. It takes no lease, and changes nothing in the cluster or in OpenStack.

With --publish it commits the plan to the status branch, too, as plans/<ref>.md and .json: for the review of
what is at --ref. The plan is removed when that is merged or gone.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.bounded(cmd.Context(), func(ctx context.Context, _ *options) error { return p.run(ctx) })
		},
	}
	command.Flags().BoolVar(&p.publish, "publish", false, "commit the plan to the status branch, too, for the review of what is at --ref")
	return command
}

// run tells what a pass would change. It takes no lease and sends nothing that changes anything but the
// status branch.
func (p *planning) run(ctx context.Context) error {
	log, err := wire.Logger(os.Stderr, p.LogLevel, p.Masker)
	if err != nil {
		return err
	}
	source, err := p.Source(ctx, nil)
	if err != nil {
		return err
	}
	trust, err := p.Trust(source)
	if err != nil {
		return err
	}
	if p.publish {
		if p.review, err = newReview(&p.Flags, source); err != nil {
			return err
		}
	}
	tree, err := newest(ctx, source)
	if err != nil {
		return err
	}
	p.review.of(tree)
	loaded, found, err := read(ctx, p.options, tree, true)
	if err != nil {
		return err
	}
	warnings, err := trust.Warn(tree)
	if err != nil {
		return err
	}
	found.Diagnostics.Append(warnings...)
	if loaded == nil {
		return p.mistakes(ctx, found)
	}
	system, err := wire.Open(&p.Flags, "kupenstack-sync/"+version, guard.Rights{Write: func() error { return unit.ErrNotWriter }}, log)
	if err != nil {
		return err
	}
	defer system.Close()
	system.Start(context.WithoutCancel(ctx)) // running calls need its watches to the end
	system.Model = func() *model.Model { return loaded.Model }
	facts, err := system.Facts(ctx)
	if err != nil {
		return err
	}
	if facts, err = facts.Look(loaded.Model); err != nil {
		return err
	}
	wanted, diags := loaded.Compose(facts)
	found.Diagnostics.Append(diags...)
	if wanted == nil {
		return p.mistakes(ctx, found)
	}
	e, err := system.Engine(ctx, true, nil)
	if err != nil {
		return err
	}
	if err := p.review.against(ctx, &p.Flags, system); err != nil {
		return err
	}
	if len(warnings) == 0 { // of the commit itself
		if err := p.warnHistory(ctx, system, trust, source, tree, &found); err != nil {
			return err
		}
	}
	made, unseen := e.Plan(ctx, wanted)
	if err := ctx.Err(); err != nil {
		return err
	}
	idle, err := p.CheckRegistries(ctx, loaded.Model, wanted.Units) // whose charts are at hand now
	if err != nil {
		return err
	}
	found.Diagnostics.Append(idle...)
	return p.tell(ctx, made, unseen, found)
}

// tell prints a plan, publishes it, and ends the command with what it came to. All of that is without what the cluster has of
// secrets: a driver takes out what is secret to what it looks at, and may hear of what another one has.
func (p *planning) tell(ctx context.Context, made *plan.Plan, unseen error, found revision.Findings) error {
	mask := func(text string) string { return p.Masker.Text(text).String() }
	made, found.Diagnostics = daemon.MaskedPlan(mask, made, found.Diagnostics)
	if err := p.show(made, found); err != nil {
		return err
	}
	if err := p.review.publish(ctx, made, found); err != nil {
		return err
	}
	return p.result(made, unseen)
}

// warnHistory warns of what led to a commit since the one in force.
func (p *planning) warnHistory(ctx context.Context, system *wire.System, trust *revision.Trust, source *gitrepo.Source, tree *gitrepo.Tree, found *revision.Findings) error {
	if trust == nil || !trust.History {
		return nil
	}
	inForce, err := p.InForce(ctx, system)
	if err != nil {
		return err
	}
	warnings, err := trust.WarnHistory(ctx, source, tree, inForce)
	found.Diagnostics.Append(warnings...)
	return err
}

// mistakes ends the command because of a configuration that cannot be planned.
func (p *planning) mistakes(ctx context.Context, found revision.Findings) error {
	if p.review == nil {
		return findings(p.options, found)
	}
	if p.output == outputText {
		fmt.Fprint(os.Stderr, found.Text(colored(os.Stderr)))
	} else if _, err := os.Stdout.Write(report.PlanJSON(p.review.input(nil, found))); err != nil {
		return err
	}
	if err := p.review.publish(ctx, nil, found); err != nil {
		p.complain("%v", err) // that there are mistakes weighs more
	}
	return exit(exitInvalid)
}

// show prints a plan.
func (p *planning) show(made *plan.Plan, found revision.Findings) error {
	if p.output == outputText {
		fmt.Fprint(os.Stderr, found.Text(colored(os.Stderr))) // warnings
		return made.Text(os.Stdout)
	}
	if p.review != nil {
		_, err := os.Stdout.Write(report.PlanJSON(p.review.input(made, found)))
		return err
	}
	document, err := made.JSON(found.Sourced(), nil)
	if err != nil {
		return err
	}
	return printJSON(os.Stdout, json.RawMessage(document))
}

// result is the exit code that a plan leads to.
func (p *planning) result(made *plan.Plan, unseen error) error {
	switch report.ResultOf(made) {
	case report.PlanIncomplete:
		if unseen == nil { // everything was looked at, and what would come of it cannot be told, as a chart is not to be had
			unseen = errors.New("the plan says why of what it calls unknown")
		}
		p.complain("not everything could be observed: %v", unseen)
		return exit(exitFailed)
	case report.PlanChanges:
		return exit(exitChanges)
	case report.PlanRefused, report.PlanBlocked:
		return exit(exitBlocked)
	case report.PlanInvalid, report.PlanUnchanged:
	}
	return nil
}
