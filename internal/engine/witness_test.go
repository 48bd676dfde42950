package engine_test

import (
	"strings"
	"sync"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// columns are what is being done to an object.
var columns = [4]string{"install", "upgrade", "delete", "replace"}

// between is what may come between an object and what is being done to it.
type between string

const (
	hasToWait    between = "waits for others"
	runsBeside   between = "is worked on beside others of its kind"
	waitsInVain  between = "waits for what failed"
	fails        between = "fails"
	rests        between = "rests as it fails again and again"
	seesACommit  between = "is worked on as another commit comes"
	isSuspended  between = "is suspended"
	isBraked     between = "is held back as the brake holds"
	isDisplaced  between = "is worked on by who is not in charge any more"
	restingAfter         = 5 // failures in a row
)

// witness notes to which objects what came between, by what was being done to them, and to which that was done in the
// end. It knows only what drivers are called for and what the engine tells; nil notes nothing.
type witness struct {
	mutex     sync.Mutex
	came      map[between]map[string]map[addr.Object]bool // by columns
	done      map[string]map[addr.Object]bool
	running   map[string]map[addr.Object]bool
	failures  map[string]map[addr.Object]int
	replacing map[addr.Object]bool // deleted, and not made again so far
}

func newWitness() *witness {
	return &witness{
		came: map[between]map[string]map[addr.Object]bool{}, done: map[string]map[addr.Object]bool{}, running: map[string]map[addr.Object]bool{},
		failures: map[string]map[addr.Object]int{}, replacing: map[addr.Object]bool{},
	}
}

func put[V any](in map[string]map[addr.Object]V, doing string, a addr.Object, v V) {
	if in[doing] == nil {
		in[doing] = map[addr.Object]V{}
	}
	in[doing][a] = v
}

// doing tells what a call is about to do. What was deleted to be made anew is being replaced until it is there.
func (w *witness) doing(op string, t unit.Target, exists bool) string {
	if w == nil {
		return ""
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	switch {
	case op == "delete" && t.Spec == nil:
		return "delete"
	case op == "delete" || !exists && w.replacing[t.Address]:
		return "replace"
	case exists:
		return "upgrade"
	default:
		return "install"
	}
}

// begins notes a call.
func (w *witness) begins(doing string, a addr.Object) {
	if w == nil {
		return
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	put(w.running, doing, a, true)
	if len(w.running[doing]) > 1 {
		for other := range w.running[doing] {
			w.note(runsBeside, doing, other)
		}
	}
}

// outcome is what came of a call.
type outcome int

const (
	failed outcome = iota
	made
	deleted
)

// ends notes that a call has ended.
func (w *witness) ends(doing string, a addr.Object, how outcome) {
	if w == nil {
		return
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	delete(w.running[doing], a)
	switch {
	case how == failed:
	case doing == "replace" && how == deleted:
		w.replacing[a] = true
	default:
		delete(w.replacing, a)
		put(w.done, doing, a, true)
	}
}

// fails notes that a call fails.
func (w *witness) fails(doing string, a addr.Object) {
	if w == nil {
		return
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	n := w.failures[doing][a] + 1
	put(w.failures, doing, a, n)
	w.note(fails, doing, a)
}

// submits notes that a revision comes after another one.
func (w *witness) submits(before, id string) {
	if w == nil || before == "" || before == id {
		return
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	for doing, running := range w.running {
		for a := range running {
			w.note(seesACommit, doing, a)
		}
	}
}

// notes is for what the drivers see themselves.
func (w *witness) notes(what between, doing string, a addr.Object) {
	if w == nil {
		return
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.note(what, doing, a)
}

func (w *witness) note(what between, doing string, a addr.Object) {
	if w.came[what] == nil {
		w.came[what] = map[string]map[addr.Object]bool{}
	}
	put(w.came[what], doing, a, true)
}

// looks notes what an engine tells of its units.
func (w *witness) looks(e *engine.Engine) {
	if w == nil {
		return
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	snapshot := e.Snapshot()
	braked := false
	for _, u := range snapshot.Units {
		braked = braked || u.Phase == engine.PhaseBlocked && strings.Contains(u.Reason, "is the limit: allow it with")
	}
	for _, u := range snapshot.Units {
		doing := w.wanted(u)
		switch {
		case doing == "":
			continue
		case u.Phase == engine.PhaseSuspended:
			w.note(isSuspended, doing, u.Address)
		case u.Phase == engine.PhaseBlocked && braked:
			w.note(isBraked, doing, u.Address)
		case u.Phase == engine.PhaseFailed && snapshot.Settled && w.failures[doing][u.Address] >= restingAfter && u.Attempts >= restingAfter:
			w.note(rests, doing, u.Address)
		case len(u.Causes) > 0:
			w.note(waitsInVain, doing, u.Address)
		case len(u.Waits) > 0:
			w.note(hasToWait, doing, u.Address)
		}
	}
}

// wanted tells what is to be done to a unit, "" for nothing.
func (w *witness) wanted(u engine.UnitStatus) string {
	switch u.Action {
	case unit.ActionCreate:
		if w.replacing[u.Address] {
			return "replace"
		}
		return "install"
	case unit.ActionUpdate:
		return "upgrade"
	case unit.ActionDelete:
		return "delete"
	case unit.ActionReplace:
		return "replace"
	default:
		return ""
	}
}
