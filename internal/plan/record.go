package plan

import (
	"fmt"
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// refuseWithoutRecord is for a cloud whose record is not there: it was never deployed, or somebody deleted
// the record. What the entries of its releases say stands for it then. Where those are of an older program,
// or are lost as well, only the configuration that was applied last shows by itself that it changes nothing.
func (p *Plan) refuseWithoutRecord(in *Input) {
	known := false
	for i := range in.Entries {
		was := in.Entries[i].Deployment
		if was == nil {
			continue
		}
		known = true
		if *was != in.Deployment {
			p.refuseOtherThan(in, *was)
			return // the others say the same
		}
	}
	if known {
		return
	}
	for i := range in.Entries {
		if at := in.Entries[i].Locator; at.Kind == unit.KindRelease && at.Namespace != "" && at.Namespace != in.Deployment.Namespace {
			p.refuseChange(in, "namespace", at.Namespace, in.Deployment.Namespace)
			return
		}
	}
	same, others := deployedBefore(in)
	if len(others) == 0 || len(same) > 0 && !slices.ContainsFunc(others, in.wants) {
		return
	}
	p.Refused = append(p.Refused, diag.Diagnostic{
		Code: CodeNoRecord, Subject: rangeOf(in.Ranges, ""),
		Summary: "there is no record of what is deployed",
		Detail: fmt.Sprintf("Name, release, region, namespace and backends cannot change while the cloud is deployed, and which ones it has is not known: "+
			"the record is lost, and the configuration is not the one that was applied last to %s.", few(others)),
		Hint: "restore the Secret kupenstack-inventory-deployment, or put back the configuration that was applied last: by that it is written anew",
	})
}

// deployedBefore returns the services whose releases are on record or are found, by whether the configuration
// asks of them exactly what was applied last.
func deployedBefore(in *Input) (same, others []string) {
	units := map[string]*unit.Unit{}
	for i := range in.Units {
		if u := &in.Units[i]; u.Spec.Locator().Kind == unit.KindRelease {
			units[u.Address.String()] = u
		}
	}
	tell := func(name string, applied ...string) {
		if u := units[name]; u != nil && slices.Contains(applied, u.Spec.Digest()) {
			same = append(same, name)
		} else {
			others = append(others, name)
		}
		delete(units, name)
	}
	for i := range in.Entries {
		if e := &in.Entries[i]; e.Locator.Kind == unit.KindRelease {
			tell(e.Address.String(), e.Applied, in.Seen(e.Address).Applied)
		}
	}
	for i := range in.Units {
		u := &in.Units[i]
		if s := in.Seen(u.Address); units[u.Address.String()] != nil && s.Existence == unit.Present && s.Owned {
			tell(u.Address.String(), s.Applied)
		}
	}
	return same, others
}

// wants tells whether a service is one of the configuration, and not only of the inventory.
func (in *Input) wants(service string) bool {
	return slices.ContainsFunc(in.Units, func(u unit.Unit) bool { return u.Address.String() == service })
}
