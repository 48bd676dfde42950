package helm

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// takingData says that the claims and keys which go with a release are being deleted.
const takingData = "its data is being deleted"

// taken returns the claims that go with a release: those on record that are left, and all that are there as long
// as none are on record. It returns nil for one whose data stays.
func (d *Driver) taken(ctx context.Context, target unit.Target) (*unit.Data, error) {
	if !target.TakesData {
		return nil, nil
	}
	namespace, name := idOf(target)
	found, err := d.Data(ctx, namespace, []string{name})
	if err != nil {
		return nil, err
	}
	data := &unit.Data{}
	for _, one := range found {
		meant := func(claim unit.Claim) bool { return claim.UID == string(one.UID) }
		if target.Data == nil || slices.ContainsFunc(target.Data.Claims, meant) {
			data.Claims = append(data.Claims, unit.Claim{Ref: one.Ref, UID: string(one.UID), Size: one.Size})
		}
	}
	return data, nil
}

// takeData takes the next step of deleting the claims that are on record as going with a release whose objects are
// gone, and tells whether all of them are gone as well. What notes what is in the volumes goes after these, and so do
// keys. One of the same name that was made since is another one, and stays. While pods leave that work with the data it
// says what it waits for, and nothing is deleted; what does not leave by itself is for a person to look at.
func (d *Driver) takeData(ctx context.Context, target unit.Target) (gone bool, waits string, err error) {
	if target.Data == nil {
		return true, "", nil
	}
	d.mu.Lock()
	delete(d.awaited, target.Address)
	d.mu.Unlock()
	gone = true
	unused := false
	for _, claim := range target.Data.Claims {
		if claim.Ref.Kind != kindClaim && !gone {
			break // one after the other
		}
		live, err := d.cluster.Confirm(ctx, claim.Ref)
		if err != nil {
			return false, "", fmt.Errorf("look whether %s is gone: %w", claim.Ref, err)
		}
		if live == nil || string(live.GetUID()) != claim.UID {
			continue
		}
		gone = false
		if live.GetDeletionTimestamp() != nil {
			continue
		}
		if !unused { // one look is enough for a step
			if waits, err := d.usedBy(ctx, target); err != nil || waits != "" {
				return false, waits, err
			}
			unused = true
		}
		err = d.cluster.Delete(ctx, claim.Ref, types.UID(claim.UID))
		if apierrors.IsForbidden(err) && claim.Ref.Kind == kindClaim {
			return false, "", fmt.Errorf("%w; give the daemon the right to delete claims to volumes there, by rbac.deleteData of its chart, or take the service out of delete_data", err)
		}
		if err != nil {
			return false, "", fmt.Errorf("delete %s: %w", claim.Ref, err)
		}
	}
	return gone, "", nil
}

// usedBy says which pod that is about to leave works with the data of a release, "" for none. Anything else that does is
// an error for a person: nobody takes it away, as where the history alone of the release was deleted.
func (d *Driver) usedBy(ctx context.Context, target unit.Target) (string, error) {
	namespace, name := idOf(target)
	var claims []Claim
	for _, claim := range target.Data.Claims {
		claims = append(claims, Claim{Ref: claim.Ref, Release: name})
	}
	users, err := d.users(ctx, namespace, claims)
	if err != nil {
		return "", fmt.Errorf("look at what works with the data of %s: %w", name, err)
	}
	switch u, used := users[name]; {
	case !used:
		return "", nil
	case u.leaves:
		return fmt.Sprintf("its data stays as long as %s", u), nil
	default:
		d.await(ctx, target.Address, u.ref)
		return "", unit.Blocked(fmt.Sprintf("its data stays: %s, and nothing takes that away; delete it first, or take the service out of delete_data", u))
	}
}

// await has the unit told of changes to an object that a person has to delete, until its data can go. The watches tell of
// what the release is made of, and have begun for that mostly. A pod bears none of their labels, so that one which
// somebody has made is found to be gone by the next look only.
func (d *Driver) await(ctx context.Context, address addr.Object, ref unit.ObjectRef) {
	if ref.Kind != kindPod {
		_, _ = d.cluster.Get(ctx, ref) // what cannot be watched is looked at later
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.awaited == nil {
		d.awaited = map[addr.Object]unit.ObjectRef{}
	}
	d.awaited[address] = ref
}
