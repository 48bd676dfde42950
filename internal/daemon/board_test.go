package daemon_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// canary is what boards know to be secret. Nothing else has its characters.
const canary = "QX-QXQX-QX"

// board shows things in a map.
type board struct {
	mutex  sync.Mutex
	there  []string
	shown  map[unit.ObjectRef]unit.Shown
	writes int
	told   []unit.Told
	fail   map[string]error
}

// newBoard is one on which things of a kind have these statuses.
func newBoard(kind string, there []string, statuses map[string]string) *board {
	b := &board{there: there, shown: map[unit.ObjectRef]unit.Shown{}, fail: map[string]error{}}
	for name, status := range statuses {
		b.shown[unit.ShownRef(kind, name)] = unit.Shown{Status: status}
	}
	return b
}

// statuses are those of the things of a kind.
func (b *board) statuses(kind string) map[string]string {
	statuses := map[string]string{}
	for ref, says := range b.shown {
		if ref.Kind == kind {
			statuses[ref.Name] = says.Status
		}
	}
	return statuses
}

// condition is what a condition of something says: its status and its reason.
func (b *board) condition(ref unit.ObjectRef, name string) string {
	for _, c := range b.shown[ref].Conditions {
		if c.Type == name {
			return c.Status + " " + c.Reason
		}
	}
	return ""
}

// locked has a test look at the board while a daemon may write to it later.
func (b *board) locked(look func()) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	look()
}

func (b *board) Nodes(context.Context) ([]string, error) { return b.there, b.fail["list"] }

func (b *board) Shown(_ context.Context, refs ...unit.ObjectRef) (map[unit.ObjectRef]unit.Shown, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	shown := maps.Clone(b.shown)
	maps.DeleteFunc(shown, func(ref unit.ObjectRef, _ unit.Shown) bool { return !slices.Contains(refs, ref) })
	return shown, b.fail["read"]
}

func (b *board) AllShown(context.Context) (map[unit.ObjectRef]unit.Shown, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return maps.Clone(b.shown), b.fail["list"]
}

func (b *board) Show(_ context.Context, ref unit.ObjectRef, says unit.Shown) error {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.writes++
	if b.fail[ref.Name] == nil {
		b.shown[ref] = says
	}
	return b.fail[ref.Name]
}

func (b *board) Mask(text string) string { return strings.ReplaceAll(text, canary, "(sensitive)") }

func (b *board) SubscribeShown(func()) func() { return func() {} }

func (b *board) Tell(_ context.Context, told unit.Told) error {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.told = append(b.told, told)
	return nil
}
