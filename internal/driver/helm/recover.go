package helm

import (
	"context"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// Recover reads a value back from the values that the newest revision of a release was made with.
// The bool tells whether the release exists; the value is empty when that has no text there. An
// error means that it is not known, and another try may help. A release that was read before and
// did not change costs at most one list, shared by those who ask at the same time.
func (d *Driver) Recover(ctx context.Context, use unit.CredentialUse) (redact.Secret, bool, error) {
	history, err := d.history(ctx, use.Namespace, use.Release)
	if err != nil {
		return redact.Secret{}, false, err
	}
	for i := len(history) - 1; i >= 0; i-- {
		read, err := d.newest(ctx, use.Namespace, use.Release, history[:i+1])
		if err != nil {
			return redact.Secret{}, true, err
		}
		if read == nil {
			continue // it went in between; an older one may still be there
		}
		value, _ := read.textAt(use.Path)
		return value, true, nil
	}
	return redact.Secret{}, false, nil
}
