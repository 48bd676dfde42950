package helm

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"helm.sh/helm/v3/pkg/release"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// takingBegun says that what was made for a release which never came to a revision is being deleted.
const takingBegun = "what its hooks have made is being deleted, as it came to no revision"

// refs returns what hooks have made before the first revision of a release, by the record alone, as there is nothing else
// that tells: a Job of them may run. Programs that did not record the version of a kind tell nothing.
func (p *progress) refs() []unit.ObjectRef {
	if !strings.HasPrefix(p.Run, "install.") || p.begun(postEvent(p.Run)) {
		return nil // somebody uninstalled it since
	}
	var refs []unit.ObjectRef
	for key, record := range p.Hooks {
		of, found := strings.CutPrefix(key, string(release.HookPreInstall)+" ")
		kind, name, parted := strings.Cut(of, " ")
		if !found || !parted || record.APIVersion == "" {
			continue
		}
		ref := unit.ObjectRef{APIVersion: record.APIVersion, Kind: kind, Name: name}
		if namespace, within, ok := strings.Cut(name, "/"); ok {
			ref.Namespace, ref.Name = namespace, within
		}
		refs = append(refs, ref)
	}
	slices.SortFunc(refs, unit.ObjectRef.Compare)
	return refs
}

// inspectBegun looks for what hooks have made of a release that is not wanted and never came to a revision.
func (d *Driver) inspectBegun(ctx context.Context, v *view) error {
	ref := progressRef(v.namespace, v.name)
	stored, err := d.cluster.Get(ctx, ref)
	if err != nil {
		return fmt.Errorf("look at the hooks: %w", err)
	}
	p := recorded(stored[ref])
	refs := p.refs()
	if len(refs) == 0 {
		return nil
	}
	live, err := d.cluster.Get(ctx, refs...)
	if err != nil {
		return fmt.Errorf("look at the hooks: %w", err)
	}
	for _, ref := range refs {
		if v.tookPart(live[ref]) {
			v.begun = append(v.begun, ref)
		}
	}
	return nil
}

// judgeBegun has a release count as there for as long as that is.
func (v *view) judgeBegun(state *unit.State) {
	if len(v.begun) == 0 {
		return
	}
	state.Existence, state.Health, state.Message = unit.Present, unit.HealthProgressing, "it came to no revision, and "+v.begun[0].String()+" of its hooks is left"
	state.TooLate = v.target.Applied != "" // there was a revision before somebody uninstalled it
}

// endBegun takes the next step of deleting it, and returns the state while something is left.
func (d *Driver) endBegun(ctx context.Context, v *view) (state unit.State, gone bool, err error) {
	stored, err := d.cluster.Confirm(ctx, progressRef(v.namespace, v.name))
	if err != nil {
		return state, false, fmt.Errorf("read the progress of hooks: %w", err)
	}
	p := recorded(stored)
	gone, err = d.sweep(ctx, v, p.refs())
	return unit.State{Existence: unit.Present, Health: unit.HealthProgressing, Outputs: cty.NilVal, Message: takingBegun}, gone, err
}
