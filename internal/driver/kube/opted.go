package kube

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// lookAgain is when a Secret that was missing is looked for again.
const lookAgain = 15 * time.Second

// Opted returns a key of a Secret that says with [unit.LabelReadable] that it may be read: without that
// whoever can write the configuration could have any Secret of the cluster put into an instance. The Secret
// is in our own namespace where none is given. It asks the API server itself, as the Secret need not be ours.
// The error is a [unit.BlockedError] in a [unit.RetryError] when a person has to make or label the Secret.
// The value is taken out of whatever the cluster says from now on.
func (c *Cluster) Opted(ctx context.Context, namespace, name, key string) (redact.Secret, error) {
	ref := secretRef(cmp.Or(namespace, c.namespace), name)
	object, err := c.Confirm(ctx, ref)
	if err != nil {
		return redact.Secret{}, err
	}
	refuse := func(format string, args ...any) (redact.Secret, error) {
		return redact.Secret{}, &unit.RetryError{After: lookAgain, Err: unit.Blocked(ref.String() + fmt.Sprintf(format, args...))}
	}
	switch {
	case object == nil:
		return refuse(" does not exist, and its key %q is needed: create it, with the label %s=true", key, unit.LabelReadable)
	case object.GetLabels()[unit.LabelReadable] != "true":
		return refuse(" may not be read, and its key %q is needed: give it the label %s=true if the configuration may use it", key, unit.LabelReadable)
	}
	value, found, err := secretValue(object, key)
	switch {
	case err != nil:
		return redact.Secret{}, err
	case !found:
		return refuse(" has no key %q", key)
	}
	if c.masker != nil {
		c.masker.Add(value)
	}
	return value, nil
}
