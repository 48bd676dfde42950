package wire

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/driver/kube"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// annotated is where objects are that show how things stand.
type annotated interface {
	// AskedAt returns what their annotations ask for; those that are not there are missing.
	AskedAt(ctx context.Context, refs ...unit.ObjectRef) (map[unit.ObjectRef]kube.Asking, error)
	// NoteAsked has every process know from now on that this value was seen. It is [unit.ErrNoPlace] where that cannot be noted yet.
	NoteAsked(ctx context.Context, ref unit.ObjectRef, value string) error
}

// annotations are those by which somebody asks for another look, on objects that show how things stand. A value counts
// once, for whichever process sees it first: that it was seen is noted at the object.
type annotations struct {
	objects annotated
	model   func() *model.Model
	log     zerolog.Logger
	mutex   sync.Mutex
	changed map[unit.ObjectRef]bool

	// Only who reads them uses what follows.
	begun bool                      // all that a configuration shows were read, those included that nothing was heard of
	seen  map[unit.ObjectRef]string // what each said last
	owed  map[unit.ObjectRef]note   // what is not noted yet of that
	again time.Time                 // when it may be again, where there was no place for it
}

func newAnnotations(objects annotated, model func() *model.Model, log zerolog.Logger) *annotations {
	return &annotations{
		objects: objects, model: model, log: log,
		changed: map[unit.ObjectRef]bool{}, seen: map[unit.ObjectRef]string{}, owed: map[unit.ObjectRef]note{},
	}
}

// asking is what one request is about. name is the same for every process that finds it, and "" for a pass, which wants what
// was given up no more than any other look does.
type asking struct {
	name    string
	targets []addr.Address
	object  unit.ObjectRef // that an annotation is of, and what that says
	value   string
}

// note is what is to be noted of an annotation.
type note struct {
	value string
	waits bool // until what it asks for was looked at
}

// note notes that an object has changed. It returns at once.
func (a *annotations) note(ref unit.ObjectRef) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.changed[ref] = true
}

func (a *annotations) take() []unit.ObjectRef {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	refs := slices.Collect(maps.Keys(a.changed))
	clear(a.changed)
	return refs
}

// asked returns what the annotations ask for that are new, each with the name of the request, in order. Those that
// cannot be read are read again with the next call. Before a configuration is known nothing is.
func (a *annotations) asked(ctx context.Context) []asking {
	m := a.model()
	if m == nil {
		return nil
	}
	if !a.begun { // a watch that was there before has told others of them
		a.begun = true
		for ref := range showing(m) {
			a.note(ref)
		}
	}
	refs := a.take()
	if len(refs) == 0 {
		return nil
	}
	now, err := a.objects.AskedAt(ctx, refs...)
	if err != nil {
		for _, ref := range refs {
			a.note(ref)
		}
		a.log.Debug().Err(err).Msg("what annotations ask for is noticed later")
		return nil
	}
	var found []asking
	shows := showing(m)
	for ref, says := range now {
		target := shows[ref]
		if target == nil {
			continue // the configuration does not have it any more
		}
		last, known := a.seen[ref]
		if a.seen[ref] = says.Value; says.Noted {
			delete(a.owed, ref)
			continue
		}
		asks := says.Value != "" && (!known || says.Value != last)
		if owed, there := a.owed[ref]; !there || asks || owed.value != says.Value {
			a.owed[ref] = note{says.Value, asks}
		}
		if asks {
			found = append(found, asking{name: "annotation " + says.Value, targets: []addr.Address{target}, object: ref, value: says.Value})
		}
	}
	for _, ref := range refs {
		if _, there := now[ref]; !there {
			delete(a.seen, ref)
			delete(a.owed, ref)
		}
	}
	slices.SortFunc(found, func(a, b asking) int { return addr.Compare(a.targets[0], b.targets[0]) })
	return found
}

// looked says that what a value of an annotation asks for was looked at.
func (a *annotations) looked(ref unit.ObjectRef, value string) {
	if a.owed[ref] == (note{value, true}) {
		a.owed[ref] = note{value, false}
	}
}

// settle notes what was seen, once that was looked at which it asks for: a process that ends in between has the next one do
// it once more. What could not be noted is tried again with the next call.
func (a *annotations) settle(ctx context.Context) error {
	if time.Now().Before(a.again) {
		return nil
	}
	var errs []error
	for ref, owed := range a.owed {
		if owed.waits {
			continue
		}
		switch err := a.objects.NoteAsked(ctx, ref, owed.value); {
		case err == nil:
			delete(a.owed, ref)
		case errors.Is(err, unit.ErrNoPlace): // until the definition is applied, which nobody tells
			a.again = time.Now().Add(keepRetry)
		default:
			errs = append(errs, fmt.Errorf("note that the annotation of %s was seen: %w", ref, err))
		}
	}
	return errors.Join(errs...)
}

// showing is what objects show the standing of, but for what nothing can be done about.
func showing(m *model.Model) map[unit.ObjectRef]addr.Address {
	shows := map[unit.ObjectRef]addr.Address{unit.ShownRef(unit.KindShownCloud, m.Cloud.Name): addr.Module{}}
	for i := range m.Cloud.Services {
		one := &m.Cloud.Services[i]
		shows[unit.ShownRef(unit.KindShownService, one.Name)] = one.Address
	}
	for i := range m.Nodes {
		one := &m.Nodes[i]
		shows[unit.ShownRef(unit.KindShownNode, one.Name)] = one.Address
	}
	return shows
}
