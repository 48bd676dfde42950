package openstack

import (
	"context"
	"errors"
	"fmt"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

const (
	fileAttribute = "file"
	// hashedBy is what the digests of files are, and Glance's unless it is told otherwise.
	hashedBy = "sha512"
)

// filled is a desired value with the digest of a file in place of its path: other bytes in it are a change.
func filled(r *unit.Resource, desired cty.Value) (cty.Value, error) {
	names := r.Block.Content()
	if names == nil || r.Lookup {
		return desired, nil
	}
	if written := attribute(desired, names.Name); written == cty.NilVal || !written.IsKnown() {
		return desired, nil
	}
	if r.Content == nil {
		return cty.NilVal, errors.New("which file is in it was not known when the configuration was read: write its path so that nothing has to be made first")
	}
	sum, err := r.Content.Sum()
	if err != nil {
		return cty.NilVal, err
	}
	all := desired.AsValueMap()
	all[names.Name] = cty.StringVal(sum)
	return cty.ObjectVal(all), nil
}

// hashed is what Glance says of an image's bytes, in the form of the digest of a file; "" while it says nothing.
func hashed(o *object) string {
	if digest := textAt(o.raw, "os_hash_value"); digest != "" && textAt(o.raw, "os_hash_algo") == hashedBy {
		return hashedBy + ":" + digest
	}
	return ""
}

// theirs is the digest of the bytes, which says of no file where it is.
func (k imageKind) theirs(*object) []string { return []string{fileAttribute} }

// hand gives Glance the bytes of a file of the configuration.
func (u *uploads) hand(ctx context.Context, s *session, job upload) error {
	release, err := turn(ctx, u.slots)
	if err != nil {
		return err
	}
	defer release()
	file, size, err := job.content.Open()
	if err != nil {
		return unit.Blocked(err.Error())
	}
	defer file.Close()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := stalled(cancel)
	defer watch.Stop()
	body, err := newVerified(file, job.source, func() { watch.Reset(stallLimit) })
	if err != nil {
		return err
	}
	err = u.send(ctx, s, job.image, body, size)
	if problem := body.problem(); problem != nil {
		return problem
	}
	if err != nil && context.Cause(ctx) != nil {
		return fmt.Errorf("upload the image: %w", context.Cause(ctx))
	}
	return err
}
