package resolve

import (
	"fmt"
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/model"
)

const nodeKind = "node"

// pool is a node block with for_each.
type pool struct {
	nodes  []addr.Object // by key
	used   []addr.Object // those of them that are not disabled: what waits for the block waits for these
	broken bool          // which ones they are is not known, which was told
}

// awaited is one node of a pool that a block waits for. Whether there is one is known only once the
// nodes are, which come after everything that can wait for them.
type awaited struct {
	module *module
	block  *config.Block
	ref    config.Reference
}

// nodes evaluates the nodes, and lays the profile of each over the cloud.
func (r *resolver) nodes(m *model.Model, l *layers) {
	r.pools = map[addr.Object]*pool{}
	for _, b := range r.config.Nodes {
		leave := r.scope.within(b)
		if b.ForEach == nil {
			m.Nodes = append(m.Nodes, r.node(b, b.Address, m, l))
		} else {
			r.pool(b, m, l)
		}
		leave()
	}
	slices.SortFunc(m.Nodes, func(a, b model.Node) int { return a.Address.Compare(b.Address) })
	r.checkAwaited()
}

// pool evaluates a block for each element that it stands for.
func (r *resolver) pool(b *config.Block, m *model.Model, l *layers) {
	p := &pool{}
	r.pools[b.Address] = p
	elements, _, ok := r.forEach(b.ForEach)
	if r.objects += len(elements); ok && r.objects > maxObjects {
		r.scope.fail(codeTooLarge, b.Range, "too many objects", fmt.Sprintf("for_each and modules can make at most %d objects, all together", maxObjects), "divide them among several configurations")
		ok = false
	}
	if !ok {
		p.broken = true
		r.overEach(b.ForEach, b.Address, func(address addr.Object) { r.node(b, address, &model.Model{}, l) })
		return
	}
	defer func() { r.scope.each = cty.NilVal }()
	for _, key := range slices.Sorted(maps.Keys(elements)) {
		address := b.Address.WithKey(addr.StringKey(key))
		r.scope.each = eachObject(address, elements[key])
		n := r.node(b, address, m, l)
		m.Nodes = append(m.Nodes, n)
		if p.nodes = append(p.nodes, address); !n.Disabled {
			p.used = append(p.used, address)
		}
	}
}

// checkAwaited tells of keys in depends_on that no node has.
func (r *resolver) checkAwaited() {
	for _, a := range r.awaited {
		o, _ := a.ref.Object()
		p := r.pools[o.Block()]
		if p == nil || p.broken || slices.Contains(p.nodes, o) {
			continue
		}
		leave := r.scope.enter(a.module, a.block)
		key, _ := o.Key().Value()
		r.scope.unknownKey(a.ref, o.Block().String(), nodeKind, key, p.keys)
		leave()
	}
}

// withPools puts the nodes of a pool in the place of the pool. One that is disabled holds nothing back
// here, so that it can be taken out of service for a while.
func (r *resolver) withPools(edges []model.Edge) []model.Edge {
	if !slices.ContainsFunc(edges, func(e model.Edge) bool { return e.To.Kind() == nodeKind && r.pools[e.To] != nil }) {
		return edges
	}
	var all []model.Edge
	for _, e := range edges {
		p := r.pools[e.To]
		if p == nil {
			all = append(all, e)
			continue
		}
		for _, to := range p.used {
			if !r.tooManyWaits(e.Range) {
				r.waited++
				all = append(all, model.Edge{To: to, Attribute: e.Attribute, Range: e.Range})
			}
		}
	}
	return r.edges(all)
}

// keys yields the keys of the pool; there are none without one.
func (p *pool) keys(yield func(addr.Key) bool) {
	if p == nil {
		return
	}
	for _, o := range p.nodes {
		if !yield(o.Key()) {
			return
		}
	}
}

// nodeStanding is standing for the address of a node.
func (r *resolver) nodeStanding(from *module, a addr.Object, whole bool) standing {
	names := map[string]string{}
	for _, b := range r.config.Nodes {
		if b.Address != a.Block() {
			names[b.Label()] = b.Address.String()
			continue
		}
		p := r.pools[b.Address]
		return subject{
			name: b.Address.String(), where: b.Range, objects: "nodes", object: nodeKind, whole: whole, repeated: p != nil,
			there: p == nil && a == b.Address || p != nil && slices.Contains(p.nodes, a), broken: p != nil && p.broken, keys: p.keys,
		}.standing(a.Key())
	}
	return r.missing(from, a.Block(), func() string { return closest(a.Name(), names) })
}
