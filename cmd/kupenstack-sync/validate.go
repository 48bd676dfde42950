package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/kupenstack/kupenstack-sync/cmd/internal/wire"
	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
)

// validate reads a configuration and says what is wrong with it. It reaches no server unless --repo
// names one.
func validate(ctx context.Context, o *options, args []string) error {
	if err := o.directory(args); err != nil {
		return err
	}
	loaded, found, err := load(ctx, o)
	if err != nil {
		return err
	}
	var unread []string
	if loaded != nil {
		composed, more := loaded.Compose(compose.Facts{OpenStackGiven: o.OSCloud != ""})
		found.Diagnostics.Append(more...)
		if composed != nil {
			if more, unread, err = o.CheckCharts(ctx, composed.Units); err != nil {
				return err
			}
			found.Diagnostics.Append(more...)
			if more, err = o.CheckRegistries(ctx, loaded.Model, composed.Units); err != nil {
				return err
			}
			found.Diagnostics.Append(more...)
		}
	}
	if err := findings(o, found); err != nil {
		return err
	}
	if o.output == outputText {
		fmt.Fprintf(os.Stdout, "The configuration is valid: cloud %s, %d services, %d nodes, %d resources.\n", loaded.Model.Cloud.Name,
			len(loaded.Model.Cloud.Services), len(loaded.Model.Nodes), len(loaded.Model.Resources))
		if len(unread) > 0 {
			fmt.Fprintf(os.Stdout, "Keys for these charts were not checked, as they are neither beside the configuration nor in --cache-dir: %s. `kupenstack-sync plan` gets them.\n", strings.Join(unread, ", "))
		}
	}
	return nil
}

// directory has the configuration read where the arguments say so: a directory, or without one --repo
// or the working directory.
func (o *options) directory(args []string) error {
	switch {
	case len(args) == 1 && o.repoGiven:
		return fmt.Errorf("%w: give either a directory or --repo", wire.ErrUsage)
	case len(args) == 1:
		o.Repo = args[0]
	case o.Repo == "":
		o.Repo = "."
	}
	return nil
}

// load reads the newest configuration once, only to see what it says: its values need not be known.
func load(ctx context.Context, o *options) (*revision.Loaded, revision.Findings, error) {
	source, err := o.Source(ctx, nil)
	if err != nil {
		return nil, revision.Findings{}, err
	}
	if err := o.ReportsFit(source); err != nil {
		return nil, revision.Findings{}, err
	}
	tree, err := newest(ctx, source)
	if err != nil {
		return nil, revision.Findings{}, err
	}
	return read(ctx, o, tree, false)
}

// newest returns the files of a source as they are now.
func newest(ctx context.Context, source *gitrepo.Source) (*gitrepo.Tree, error) {
	head, err := source.Head(ctx)
	if err != nil {
		return nil, err
	}
	return source.Fetch(ctx, head)
}

// read reads the configuration in a tree. applies tells whether its values matter, or only whether it makes
// sense.
func read(ctx context.Context, o *options, tree *gitrepo.Tree, applies bool) (*revision.Loaded, revision.Findings, error) {
	reading, err := o.Reading(applies)
	if err != nil {
		return nil, revision.Findings{}, err
	}
	files, err := tree.FS(".")
	if err != nil {
		return nil, revision.Findings{}, err
	}
	loaded, findings, err := o.Read(ctx, tree.Revision.Hash, files, reading)
	if damage := tree.Damage(); damage != nil {
		return nil, revision.Findings{}, damage
	}
	return loaded, findings, err
}
