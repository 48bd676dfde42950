package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/kupenstack/kupenstack-sync/cmd/internal/wire"
	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/report"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/internal/statusbranch"
)

// review is what a published plan is for. A nil one publishes nothing.
type review struct {
	target *statusbranch.Branch
	branch string // its name
	base   report.PlanInput
}

func newReview(flags *wire.Flags, source *gitrepo.Source) (*review, error) {
	target, err := flags.Plans(source)
	return &review{target: target, branch: flags.StatusBranch, base: report.PlanInput{
		Repository: source.String(), Path: flags.Path, At: time.Now().UTC().Truncate(time.Second),
	}}, err
}

// of says what is planned.
func (r *review) of(tree *gitrepo.Tree) {
	if r == nil {
		return
	}
	c := tree.Commit
	r.base.Ref, r.base.File = tree.Revision.Ref, statusbranch.PlanFile(tree.Revision.Ref)
	r.base.Commit = report.Commit{Hash: c.Hash, Author: c.Author, Subject: c.Subject, Time: c.When}
}

// against finds out what is in force before the world is looked at.
func (r *review) against(ctx context.Context, flags *wire.Flags, system *wire.System) (err error) {
	if r != nil {
		r.base.InForce, err = flags.InForce(ctx, system)
	}
	return err
}

// input is what the published plan follows from; of a configuration with mistakes there is no plan.
func (r *review) input(made *plan.Plan, found revision.Findings) report.PlanInput {
	in := r.base
	in.Plan, in.Found = made, found.Sourced()
	if len(found.Diagnostics) > 0 {
		in.Text = found.Text(false)
	}
	return in
}

// publish commits the plan to the status branch, and tells where it is.
func (r *review) publish(ctx context.Context, made *plan.Plan, found revision.Findings) error {
	if r == nil {
		return nil
	}
	in := r.input(made, found)
	result, err := r.target.PublishPlan(ctx, statusbranch.Plan{
		Ref: in.Ref, Commit: in.Commit.Hash, At: in.At,
		Render: func(at time.Time) (page, document []byte) {
			made := in
			made.At = at
			return report.RenderPlan(made)
		},
		Message: fmt.Sprintf("Plan of %s: %s\n\nPlanned: %s", report.ShortRef(in.Ref), report.ResultOf(in.Plan), in.Commit.Hash),
	})
	switch {
	case err != nil:
		return fmt.Errorf("publish the plan: %w", err)
	case result.Passed:
		fmt.Fprintf(os.Stderr, "The plan is not published: %s is gone, or has the plan of a newer commit.\n", in.Ref)
	default:
		fmt.Fprintf(os.Stderr, "The plan is %s on the branch %s.\n", in.File, r.branch)
	}
	return nil
}
