package wire

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/driver/kube"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// noticeboard has objects with annotations and what is noted at them, as a cluster keeps both.
type noticeboard struct {
	values, notes map[unit.ObjectRef]string
	fail          error // of the next notes
	wrote         int
}

func (n *noticeboard) AskedAt(_ context.Context, refs ...unit.ObjectRef) (map[unit.ObjectRef]kube.Asking, error) {
	found := map[unit.ObjectRef]kube.Asking{}
	for _, ref := range refs {
		if value, there := n.values[ref]; there {
			found[ref] = kube.Asking{Value: value, Noted: n.notes[ref] == value}
		}
	}
	return found, nil
}

func (n *noticeboard) NoteAsked(_ context.Context, ref unit.ObjectRef, value string) error {
	n.wrote++
	if n.fail == nil {
		n.notes[ref] = value
	}
	return n.fail
}

// TestAnnotationsCountOnce: a value of an annotation counts for the first daemon that sees it, whatever others were seen
// before and after, and for none that starts later.
func TestAnnotationsCountOnce(t *testing.T) {
	t.Parallel()
	services := []string{"nova", "glance", "cinder"}
	m := &model.Model{Cloud: model.Cloud{Name: "edge"}}
	refs := map[string]unit.ObjectRef{"edge": unit.ShownRef(unit.KindShownCloud, "edge"), "node-1": unit.ShownRef(unit.KindShownNode, "node-1")}
	for _, name := range services {
		m.Cloud.Services = append(m.Cloud.Services, model.Service{Name: name, Address: addr.MustParseObject("service." + name)})
		refs[name] = unit.ShownRef(unit.KindShownService, name)
	}
	m.Nodes = []model.Node{{Name: "node-1", Address: addr.MustParseObject("node.node-1")}}
	board := &noticeboard{values: map[unit.ObjectRef]string{}, notes: map[unit.ObjectRef]string{}}
	var now *annotations
	var known *model.Model
	fault := errors.New("the server is away")
	steps := []struct {
		name    string
		starts  bool              // another daemon
		blind   bool              // which has no configuration
		writes  map[string]string // annotations; "" takes one away
		gone    string            // an object that is made anew without annotation or status
		fail    error
		want    string
		unnoted bool
	}{
		{name: "nothing was asked for", starts: true},
		{name: "one asks", writes: map[string]string{"nova": "1"}, want: "annotation 1: service.nova"},
		{name: "others ask after that", writes: map[string]string{"glance": "1", "edge": "2"}, want: "annotation 2: all; annotation 1: service.glance"},
		{name: "a start with several old ones", starts: true},
		{name: "and once more", starts: true},
		{name: "another value for one of them", writes: map[string]string{"nova": "3"}, want: "annotation 3: service.nova"},
		{name: "one was written while no daemon ran", starts: true, writes: map[string]string{"node-1": "4"}, want: "annotation 4: node.node-1"},
		{name: "and while none knew a configuration", starts: true, blind: true, writes: map[string]string{"cinder": "5"}},
		{name: "which then came", want: "annotation 5: service.cinder"},
		{name: "one is taken away", writes: map[string]string{"nova": ""}},
		{name: "and comes back while no daemon runs", starts: true, writes: map[string]string{"nova": "3"}, want: "annotation 3: service.nova"},
		{name: "nothing can be noted", writes: map[string]string{"nova": "6"}, fail: fault, want: "annotation 6: service.nova", unnoted: true},
		{name: "which does not have it done again", writes: map[string]string{"nova": "6"}, fail: fault, unnoted: true},
		{name: "and is made up for", writes: map[string]string{}},
		{name: "so that it does not count later", starts: true},
		{name: "an object is made anew", gone: "nova"},
		{name: "and asks for what it did before", writes: map[string]string{"nova": "6"}, want: "annotation 6: service.nova"},
		{name: "a note of an older program has no place", writes: map[string]string{"nova": "7"}, fail: unit.ErrNoPlace, want: "annotation 7: service.nova", unnoted: true},
		{name: "and what was asked by then counts at the next start", starts: true, want: "annotation 7: service.nova"},
		{name: "but only then", starts: true},
	}
	for _, step := range steps {
		if step.starts {
			now = newAnnotations(board, func() *model.Model { return known }, zerolog.Nop())
		}
		if known = m; step.blind {
			known = nil
		}
		for name, value := range step.writes {
			board.values[refs[name]] = value
			now.note(refs[name])
		}
		if ref := refs[step.gone]; step.gone != "" {
			delete(board.values, ref)
			delete(board.notes, ref)
			now.note(ref)
		}
		board.fail = step.fail
		var got []string
		var asked []asking
		for _, one := range now.asked(t.Context()) {
			name := one.targets[0].String()
			if name == "" {
				name = "all"
			}
			got = append(got, one.name+": "+name)
			asked = append(asked, one)
		}
		if wrote := board.wrote; now.settle(t.Context()) == nil && len(asked) > 0 && board.wrote != wrote {
			t.Errorf("%s: it is noted before that was looked at", step.name)
		}
		for _, one := range asked {
			now.looked(one.object, one.value)
		}
		err := now.settle(t.Context())
		if fails := errors.Is(step.fail, fault); fails != (err != nil) {
			t.Errorf("%s: %v", step.name, err)
		}
		if text := strings.Join(got, "; "); text != step.want {
			t.Errorf("%s: asked was for %q, not %q", step.name, text, step.want)
		}
		if !step.blind && maps.Equal(board.notes, board.values) == step.unnoted {
			t.Errorf("%s: noted is %v of %v", step.name, board.notes, board.values)
		}
		wrote := board.wrote
		if now.asked(t.Context()); now.settle(t.Context()) == nil && board.wrote != wrote {
			t.Errorf("%s: it is noted once more", step.name)
		}
	}
}
