package inventory

import "context"

// Ledger is where processes leave word for each other which revision of a configuration was admitted
// last. It lies beside the inventory, where nobody but us writes, and reads it anew to tell what was.
type Ledger struct {
	Store Store
	Path  string // of the configuration: what was admitted of another one says nothing of this one
	// Live returns the inventory that whoever is in charge works with, nil for none: that writes the record too, and has to
	// know what became of it. What somebody deletes is written again as it knows it, see [Inventory.Restore], and what is
	// admitted is written beside all else that it knows. Nil means that there never is one.
	Live func() *Inventory
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

// Admit records that a revision was admitted; nothing is written when it is stored already. It is for whoever is in charge.
func (l Ledger) Admit(ctx context.Context, id string) error {
	i, err := l.live(ctx)
	if err != nil {
		return err
	}
	return i.SetInForce(ctx, InForce{Revision: id, Path: l.Path})
}

// live returns the inventory to write to.
func (l Ledger) live(ctx context.Context) (*Inventory, error) {
	if l.Live != nil {
		if i := l.Live(); i != nil {
			return i, nil
		}
	}
	return Open(ctx, l.Store)
}
