package inventory

import "context"

// Ledger is where processes leave word for each other which revision of a configuration was admitted
// last. It lies beside the inventory, where nobody but us writes, and reads it anew for each call.
type Ledger struct {
	Store Store
	Path  string // of the configuration: what was admitted of another one says nothing of this one
}

// Admitted returns the id of the revision that was admitted last; "" when none was.
func (l Ledger) Admitted(ctx context.Context) (string, error) {
	i, err := Open(ctx, l.Store)
	if err != nil {
		return "", err
	}
	if f := i.InForce(); f != nil && f.Path == l.Path {
		return f.Revision, nil
	}
	return "", nil
}

// Admit records that a revision was admitted; nothing is written when it is stored already.
func (l Ledger) Admit(ctx context.Context, id string) error {
	i, err := Open(ctx, l.Store)
	if err != nil {
		return err
	}
	return i.SetInForce(ctx, InForce{Revision: id, Path: l.Path})
}
