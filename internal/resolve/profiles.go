package resolve

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
)

// maxLayers bounds how many profiles one profile can consist of, itself included. What laying them
// over each other costs grows with it.
const maxLayers = 32

// layers are the profiles with what they build on.
type layers struct {
	profiles map[string]*model.Profile
	orders   map[string][]*model.Profile // of each profile: itself, last, and all that it builds on
	fallback []*model.Profile            // those of the default profile
	// nodes are the services that a profile configures for the nodes that have it.
	nodes map[string][]model.NodeService
	// budget is what merging may cost.
	budget *config.Budget
	// spare is set where nothing is made of the result, so that a spent budget is nobody's mistake.
	spare bool
}

// profiles evaluates the profiles and puts what each builds on in order.
func (r *resolver) profiles(m *model.Model) *layers {
	l := &layers{
		profiles: map[string]*model.Profile{}, orders: map[string][]*model.Profile{},
		nodes: map[string][]model.NodeService{}, budget: config.NewBudget(config.DefaultCosts()),
	}
	for _, b := range r.config.Profiles {
		m.Profiles = append(m.Profiles, r.profile(b))
	}
	slices.SortFunc(m.Profiles, func(a, b model.Profile) int { return cmp.Compare(a.Name, b.Name) })
	for i := range m.Profiles {
		l.profiles[m.Profiles[i].Name] = &m.Profiles[i]
	}
	from := map[string]*config.Attribute{}
	for _, b := range r.config.Profiles {
		a := b.Attribute("from")
		if a == nil {
			continue
		}
		from[b.Label()] = a
		p := l.profiles[b.Label()]
		leave := r.scope.within(b)
		p.From = slices.DeleteFunc(p.From, func(name string) bool { return !r.profileExists(l, a, name) })
		leave()
	}
	o := ordering{r: r, l: l, from: from, state: map[string]progress{}}
	for i := range m.Profiles {
		o.visit(&m.Profiles[i])
	}
	return l
}

func (r *resolver) profile(b *config.Block) model.Profile {
	defer r.scope.within(b)()
	p := model.Profile{Name: b.Label(), Address: b.Address, Slot: r.slot(b), Range: b.Range, Ranges: ranges(b)}
	if a := b.Attribute("from"); a != nil && !r.root.blocks[b.Address].broken {
		p.From = r.names(a) // with those of which it is looked at later whether they are there
	}
	for _, service := range b.Nested("service") {
		p.Services = append(p.Services, model.ProfileService{
			Name: service.Label(), Settings: r.written(service, b.Address.String()), Range: service.Range,
		})
	}
	return p
}

// slot evaluates the slot of a profile; 0 where it has none, or one that is refused.
func (r *resolver) slot(b *config.Block) int {
	a := b.Attribute("slot")
	if a == nil {
		return 0
	}
	v, ok := r.shown(a)
	if !ok || v.IsNull() || !v.IsKnown() {
		return 0
	}
	n, _ := v.AsBigFloat().Int64()
	return int(n)
}

// names evaluates an attribute that is a string or a list of strings. A name that is there twice
// counts where it is first. Of a list with mistakes it returns the names that are known.
func (r *resolver) names(a *config.Attribute) []string {
	v, _, ok := r.scope.decodePartly(a)
	if ok && r.tooSensitive(a, v) || v.ContainsMarked() || v.IsNull() || !v.IsKnown() {
		return nil
	}
	elements := []cty.Value{v}
	if isSequence(v.Type()) {
		elements = v.AsValueSlice()
	}
	var names []string
	seen := map[string]bool{}
	for _, e := range elements {
		switch {
		case e.IsNull():
			r.scope.wrong(codeValue, a, "value is missing", fmt.Sprintf("each element of %s must be a profile, and one is null", a.Name), "take it out of the list")
		case e.Type() == cty.String && e.IsKnown() && !seen[e.AsString()]:
			seen[e.AsString()] = true
			names = append(names, e.AsString())
		}
	}
	return names
}

func (r *resolver) profileExists(l *layers, a *config.Attribute, name string) bool {
	if name == "" || l.profiles[name] != nil {
		return name != ""
	}
	if !r.config.Partial {
		var names []string
		for known := range l.profiles {
			names = append(names, known)
		}
		where, _ := a.Part(a.Written(name))
		r.scope.fail(codeReference, where, "unknown profile", fmt.Sprintf("there is no profile %q in this configuration", name),
			orHint(config.OneOf(name, slices.Sorted(slices.Values(names))), fmt.Sprintf("write: profile %q {}, or take the name away", name)))
	}
	return false
}

// progress is how far the order of a profile is found.
type progress uint8

const (
	unseen progress = iota
	open            // those that it builds on are at work
	done
	tooMany // it builds on too many, or on itself, which was told
)

// ordering finds the order of the profiles that each one consists of.
type ordering struct {
	r     *resolver
	l     *layers
	from  map[string]*config.Attribute // by profile
	state map[string]progress
	path  []*model.Profile // from the first one to the one at work
}

// visit finds the order of a profile: depth first, those that it builds on from left to right, each
// where it is reached first, and the profile itself at the end. So the later of two counts
// more, and a profile always counts more than what it builds on.
func (o *ordering) visit(p *model.Profile) {
	o.state[p.Name] = open
	o.path = append(o.path, p)
	var order []*model.Profile
	seen := map[*model.Profile]bool{p: true}
	below := done
	for _, name := range p.From {
		base := o.l.profiles[name]
		if o.state[name] == unseen {
			o.visit(base)
		}
		switch o.state[name] {
		case open:
			o.circle(base)
			below = tooMany // a long circle is no second mistake
			continue
		case tooMany:
			below = tooMany
			continue
		default:
		}
		for _, q := range o.l.orders[name] {
			if !seen[q] {
				seen[q] = true
				order = append(order, q)
			}
		}
		if len(order) >= maxLayers {
			break
		}
	}
	if len(order) >= maxLayers && below == done {
		o.r.scope.add(diag.Diagnostic{
			Code: codeTooLarge, Subject: &o.from[p.Name].Range, Address: p.Address, Summary: "too many layers",
			Detail: fmt.Sprintf("%s builds on more than %d other profiles, directly or through others", p.Address, maxLayers-1),
			Hint:   "join some of the profiles",
		})
		below = tooMany
	}
	if below == done {
		order = append(order, p)
		o.l.orders[p.Name] = order
		for _, q := range order {
			p.Layers = append(p.Layers, q.Name)
		}
	}
	o.state[p.Name] = below
	o.path = o.path[:len(o.path)-1]
}

// circle tells that a profile on the path builds on itself. References in a circle were told
// before; names that are written as text make a circle that nobody has seen yet.
func (o *ordering) circle(p *model.Profile) {
	circle := o.path[slices.Index(o.path, p):]
	first := 0 // to tell the same wherever it is entered
	for i, q := range circle {
		if q.Address.Compare(circle[first].Address) < 0 {
			first = i
		}
	}
	circle = slices.Concat(circle[first:], circle[:first])
	names, places := make([]string, len(circle)), make([]string, len(circle))
	for i, q := range circle {
		names[i], places[i] = q.Address.String(), place(o.from[q.Name].Range)
	}
	o.r.scope.add(diag.Diagnostic{
		Code: codeCycle, Subject: &o.from[circle[0].Name].Range, Address: circle[0].Address, Summary: "profiles in a circle",
		Detail: "these build on each other, so none can come first: " + config.Circle(names, places),
		Hint:   "take one of the references away",
	})
}
