package explain

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
)

const cloudLayer = "cloud"

// backends explains what volumes are kept in. Backends have no layers: only the cloud's block has them.
func (e *explainer) backends(s *model.Service) []Value {
	var values []Value
	for i := range s.Backends {
		values = append(values, e.backend(&s.Backends[i])...)
	}
	return values
}

func (e *explainer) backend(b *model.Backend) []Value {
	at := path{"backend", b.Name}
	inside := func(name string) path { return append(at[:len(at):len(at)], name) }
	written := func(r diag.Range) Source { return Source{Kind: SourceWritten, Layer: cloudLayer, Range: r} }
	var values []Value
	text := func(name, effective string, below ...entry) {
		if where, is := b.Ranges[name]; is && effective != "" {
			below = append(below, entry{cty.StringVal(effective), written(where)})
		}
		if len(below) > 0 {
			values = append(values, e.value(inside(name), below[len(below)-1].value, below))
		}
	}
	truth := func(name string, effective bool) {
		entries := []entry{byDefault(cty.False)}
		if where, is := b.Ranges[name]; is {
			entries = append(entries, entry{cty.BoolVal(effective), written(where)})
		}
		values = append(values, e.value(inside(name), entries[len(entries)-1].value, entries))
	}
	text("type", b.Type)
	text("driver", b.Driver)
	truth("default", b.Default)
	text("pool", b.Pool, e.poolBelow(b)...)
	if other := (model.Backend{Type: b.Type}); other.GroupOf() != "" {
		text("volume_group", b.VolumeGroup, byDefault(cty.StringVal(other.GroupOf())))
	}
	text("share", b.Share)
	if b.Driver != "" {
		truth("iscsi", b.ISCSI)
	}
	if b.Options == cty.NilVal || b.Origin == nil {
		return values
	}
	for _, l := range leaves(model.Settle(b.Options), nil) {
		if e.isFull() {
			break
		}
		values = append(values, e.value(append(inside("options"), l.path...), l.value, []entry{{l.value, written(b.Origin.At(l.path...))}}))
	}
	return values
}

// poolBelow is the pool that a backend has unless it says which: that of the block ceph, or else of the charts.
func (e *explainer) poolBelow(b *model.Backend) []entry {
	cloud := e.m.Cloud
	ceph := cloud.Ceph
	cloud.Ceph = nil
	pool := cloud.PoolOf(&model.Backend{Type: b.Type})
	if pool == "" {
		return nil
	}
	below := []entry{byDefault(cty.StringVal(pool))}
	if ceph != nil && ceph.Volumes.Pool != "" {
		below = append(below, entry{cty.StringVal(ceph.Volumes.Pool), Source{Kind: SourceWritten, Layer: cloudLayer, Range: ceph.Ranges["volumes"]}})
	}
	return below
}
