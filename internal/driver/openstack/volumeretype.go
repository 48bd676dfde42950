package openstack

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// Cinder takes the request for another type of a volume at once, and what comes of it shows in the volume alone: it is
// retyping for a while, and has the new type then, or the old one where the storage or the scheduler refused it.

const (
	typeAttribute      = "type"
	migrationAttribute = "migration_policy"
	// keyMigration is where Cinder tells administrators how the last move of a volume to other storage went.
	keyMigration = "os-vol-mig-status-attr:migstat"
	// retypeLimit is how long a change of the type is waited for in one step. A storage that can change it does so in
	// less; when data is moved, the next looks wait.
	retypeLimit = 10 * time.Second
)

// migrating tells whether a volume is one that Cinder has made to move another one to, or is what a move has left. It
// has all that the other one has, its mark among it, and comes and goes by itself.
func migrating(raw map[string]any) bool {
	status := textAt(raw, keyMigration)
	return strings.HasPrefix(status, "target:") || status == "deleting"
}

// retype gives the volume another type. When the process ends meanwhile, the next one finds the volume busy, or with
// one of the two types.
func (k volumeKind) retype(ctx context.Context, s *session, o *object, w wanted) error {
	want, policy := w.text(typeAttribute), first(w.text(migrationAttribute), schema.MigrationNever)
	err := k.act(ctx, s, o.id, "os-retype", map[string]any{"new_type": want, migrationAttribute: policy}, "")
	if err != nil {
		return err
	}
	overdue := time.NewTimer(retypeLimit)
	defer overdue.Stop()
	for {
		now, err := k.get(ctx, s, o.id)
		switch {
		case err != nil:
			return err
		case now.busy != "":
		case textOf(now.values.get(typeAttribute)) == want:
			return nil
		case policy == schema.MigrationNever:
			return unit.Blocked(fmt.Sprintf("Cinder did not give the volume the type %q: its storage cannot do so in place, or does not fit; write migration_policy = %q to have the data moved", want, schema.MigrationOnDemand))
		default:
			return unit.Blocked(fmt.Sprintf("Cinder did not give the volume the type %q: no storage fits, it could not move the data, or the volume has snapshots; see the logs of its scheduler and of the storage", want))
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for Cinder to change the type: %w", context.Cause(ctx))
		case <-overdue.C:
			return nil
		case <-time.After(cinderPause):
		}
	}
}

// hindrance tells of a move to other storage that has failed: to try again and again would copy all of the data each time.
func (k volumeKind) hindrance(want cty.Value, o *object, fields []unit.Field) (problem string, held []string) {
	moves := textOf(unmarked(attribute(want, migrationAttribute))) == schema.MigrationOnDemand
	status, told := o.raw[keyMigration]
	switch {
	case !moves || !slices.ContainsFunc(fields, func(f unit.Field) bool { return f.Path == typeAttribute }):
		return "", nil
	case !told:
		return "Cinder does not show how a move to other storage ends to who is no administrator, so that it would be tried again and again: have an administrator change the type, or take migration_policy away", []string{typeAttribute}
	case status != "error":
		return "", nil
	}
	return "Cinder could not move the volume to other storage: see the log of the service, and reset the migration status of the volume to have it tried again", []string{typeAttribute}
}
