package plan

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// release is the attribute of the cloud whose change is an upgrade.
const release = "release"

// refuseImmutable compares with what is deployed, in all that the schema says is not to change. What
// is refused of a resource depends on what its driver sees, and blocks that resource alone; so does what
// is refused of a chart. The values are shown: the language takes none for these attributes that is sensitive.
func (p *Plan) refuseImmutable(in *Input) {
	p.refuseOther(in)
	for i := range in.Units {
		u := &in.Units[i]
		if u.Fixed == nil { // as nearly all are: each of the others is looked for among all that is on record
			continue
		}
		entry := entryOf(in.Entries, u.Address)
		// Of a chart the name is looked for that is wanted, so that nothing there says nothing of what was applied.
		absent := in.Seen(u.Address).Existence == unit.Absent && u.Class != unit.ClassWorkload
		if entry == nil || absent {
			continue
		}
		before := apart(entry.Fixed)
		for _, name := range fixedNames(u.Fixed, before) {
			was, known := before[name]
			if !known && name != unit.FixedNetwork || staysFixed(name, was, u.Fixed[name]) || mends(name, u.Fixed[name], entry) {
				continue
			}
			if u.Class == unit.ClassWorkload {
				if c := p.Change(u.Address); c != nil {
					c.block(fmt.Sprintf("%s cannot change from %s to %s: put the old value back, or write a second block and take this one out", name, said(was), said(u.Fixed[name])))
				}
				continue
			}
			where := u.Range
			if r, ok := in.Ranges[FixedAt(u.Address.String(), name)]; ok {
				where = r
			}
			p.Refused = append(p.Refused, diag.Diagnostic{
				Code: CodeImmutable, Subject: &where, Address: u.Address,
				Summary: fmt.Sprintf("%s of %s cannot change from %s to %s", attributeOf(name), u.Address.Name(), said(was), said(u.Fixed[name])),
				Detail:  detailFixed(name, was, u.Fixed[name]),
				Hint:    hintFixed(name, was, u.Fixed[name]),
			})
		}
	}
}

// apart is what is on record, with the cluster of Ceph apart that the pool of a slot is in: there were programs that wrote it behind
// the pool.
func apart(was map[string]string) map[string]string {
	const pool, cluster = "ceph.instances.pool in slot ", "images_rbd_ceph_conf in slot "
	var now map[string]string
	for name, text := range was {
		slot, of := strings.CutPrefix(name, pool)
		before, behind, written := strings.Cut(text, " by ")
		if !of || !written {
			continue
		}
		if now == nil {
			now = maps.Clone(was)
		}
		now[name], now[cluster+slot] = before, behind
	}
	if now == nil {
		return was
	}
	return now
}

// mends tells whether what is wanted is the network backend of the cloud again, where the chart was given another one and never
// came up with it.
func mends(name, is string, entry *inventory.Entry) bool {
	return name == unit.FixedNetwork && is == "" && entry.Phase == inventory.Intent
}

// fixedNames are what is fixed now, and what was and has to stay.
func fixedNames(is, was map[string]string) []string {
	names := slices.Collect(maps.Keys(is))
	for name := range was {
		if _, still := is[name]; !still && strings.HasPrefix(name, unit.FixedKept) {
			names = append(names, name)
		}
	}
	return slices.Sorted(slices.Values(names))
}

// staysFixed tells whether nothing is lost by a change. The record says what there is until a change is through.
func staysFixed(name, was, is string) bool {
	if name == unit.FixedVersion {
		return unit.VersionStepOf(was, is) == unit.VersionStays
	}
	majority := majorityOf(name, was)
	n, err := strconv.Atoi(is)
	return sameFixed(was, is) || majority > 0 && err == nil && n >= majority
}

// majorityOf is how many of some members are a majority; 0 for what is no number of members.
func majorityOf(name, was string) int {
	n, err := strconv.Atoi(was)
	if err != nil || n < 0 || !strings.HasPrefix(name, unit.FixedMembers) {
		return 0
	}
	return n/2 + 1
}

// attributeOf is what the language calls something that is fixed.
func attributeOf(name string) string {
	if part, is := strings.CutPrefix(name, unit.FixedMembers); is {
		return "replicas." + part
	}
	return name
}

func detailFixed(name, was, is string) string {
	if name == unit.FixedVersion {
		if unit.VersionStepOf(was, is) == unit.VersionDown {
			return "The service is deployed, and an older version cannot be relied on to read what a newer one wrote."
		}
		return "The service is deployed, and what it keeps is converted by one major version after the other: none can be left out."
	}
	if strings.HasPrefix(name, unit.FixedMembers) {
		return "The members that there are decide by majority. With so many fewer at once there would be none, and what they keep would be lost."
	}
	return "The service is deployed, and this is fixed from then on, wherever it is written."
}

func hintFixed(name, was, is string) string {
	if name == unit.FixedVersion && unit.VersionStepOf(was, is) == unit.VersionSkips {
		return "write a version of the next major one first, and this one once that runs"
	}
	if majority := majorityOf(name, was); majority > 0 {
		return fmt.Sprintf("write %d or more, in an odd number; once that is through, it can be fewer again", majority)
	}
	if strings.HasPrefix(name, unit.FixedKept) {
		return "put it back: volumes that are there would be lost to Cinder. More backends can be written beside it. To take one away that is empty, first take the service away with enabled = false; what comes back later may have others"
	}
	return "put the old value back"
}

// sameFixed tells whether two values are the same, or the same quantity: 1Gi is 1024Mi.
func sameFixed(a, b string) bool {
	if a == b {
		return true
	}
	one, err := resource.ParseQuantity(a)
	if err != nil {
		return false
	}
	other, err := resource.ParseQuantity(b)
	return err == nil && one.Cmp(other) == 0
}

// FixedAt is the key in the ranges of [Input] of where an attribute of a unit is written.
func FixedAt(unit, attribute string) string { return unit + "." + attribute }

// refuseOther refuses what would make another cloud of the one that is deployed.
func (p *Plan) refuseOther(in *Input) {
	if in.Deployment == (inventory.Deployment{}) {
		return
	}
	if in.Recorded == nil {
		p.refuseWithoutRecord(in)
		return
	}
	if slices.ContainsFunc(in.Entries, func(e inventory.Entry) bool { return e.Locator.Kind == unit.KindRelease }) {
		p.refuseOtherThan(in, *in.Recorded)
	}
}

func (p *Plan) refuseOtherThan(in *Input, was inventory.Deployment) {
	is := in.Deployment
	p.refuseChange(in, "name", was.Cloud, is.Cloud)
	for _, name := range in.Language.Block("cloud").Refused() {
		before, _ := was.Attribute(name)
		after, _ := is.Attribute(name)
		p.refuseChange(in, name, before, after)
	}
}

func (p *Plan) refuseChange(in *Input, name, was, is string) {
	if was == is {
		return
	}
	d := diag.Diagnostic{
		Code: CodeImmutable, Subject: rangeOf(in.Ranges, name),
		Summary: fmt.Sprintf("%s cannot change from %s to %s", name, said(was), said(is)),
		Detail:  "The cloud is deployed, and this is fixed from then on.",
		Hint:    "put the old value back",
	}
	if name == release {
		d.Code = CodeUpgrade
		d.Summary += " while the cloud is running"
		d.Detail = "Upgrades from one release of OpenStack to the next are not supported yet."
	}
	p.Refused = append(p.Refused, d)
}

// said is a value in a sentence.
func said(value string) string {
	if value == "" {
		return "nothing"
	}
	return strconv.Quote(value)
}

// rangeOf returns where an attribute of the cloud is written, or else the block's header.
func rangeOf(ranges map[string]diag.Range, name string) *diag.Range {
	r, ok := ranges[name]
	if !ok {
		r, ok = ranges[""]
	}
	if !ok {
		return nil
	}
	return &r
}
