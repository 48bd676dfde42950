package wire

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/driver/kube"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/request"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

var errDead = errors.New("the process is dead")

// place is what outlives processes: requests, annotations, and which of those were looked at.
type place struct {
	t       *testing.T
	text    []byte // the list
	version int
	fails   int // so many changes of the list fail
	board   *noticeboard
	looked  []string // names of requests, as often as all that they name was looked at
	polls   int

	points, kill int // a process is killed at that point
	dead         bool
}

// point is where a process may be killed, and tells whether it is dead.
func (p *place) point() bool {
	p.points++
	p.dead = p.dead || p.points == p.kill
	return p.dead
}

func (p *place) requests() []request.Request {
	list, err := request.Decode(p.text)
	if err != nil {
		p.t.Fatal(err)
	}
	return list
}

func (p *place) write(list []request.Request) {
	text, err := request.Encode(list)
	if err != nil {
		p.t.Fatal(err)
	}
	p.text, p.version = text, p.version+1
}

// process is one that is in charge of a place: all that its taker works with.
type process struct {
	*place
	taker *taker
	read  int // the version of the list that it has read
	wants bool
	begun map[string]int           // names of requests, as often as the engine took them
	open  map[string]chan struct{} // those that it has not looked at yet
}

func (p *place) start(wants bool) *process {
	p.dead, p.kill = false, 0
	one := &process{place: p, read: -1, wants: wants, begun: map[string]int{}, open: map[string]chan struct{}{}}
	m := &model.Model{Cloud: model.Cloud{Name: "edge", Services: []model.Service{{Name: "nova", Address: addr.MustParseObject("service.nova")}}}}
	one.taker = &taker{
		who: Follower{
			Poll: func() {
				if !p.point() {
					p.polls++
				}
			},
			Begun: func() int64 { return 0 },
			Outcome: func(context.Context, int64) (request.Outcome, bool) {
				return request.Outcome{Verdict: "converged"}, one.wants
			},
		},
		list: one, engine: func() asker { return one }, notes: newAnnotations(one, func() *model.Model { return m }, zerolog.Nop()),
		now: time.Now, log: zerolog.Nop(), awaited: map[string]int64{},
	}
	return one
}

func (p *process) Wants() bool { return p.wants }

func (p *process) Retry(_ context.Context, name string, _ ...addr.Address) (<-chan struct{}, error) {
	if p.point() {
		return nil, errDead
	}
	p.begun[name]++
	p.open[name] = make(chan struct{})
	return p.open[name], nil
}

// looks has the engine have looked at all that it was asked to.
func (p *process) looks() {
	for _, name := range slices.Sorted(maps.Keys(p.open)) {
		if p.point() {
			return
		}
		p.looked = append(p.looked, name)
		close(p.open[name])
		delete(p.open, name)
	}
}

func (p *process) news(context.Context) ([]request.Request, bool, error) {
	if p.point() {
		return nil, false, errDead
	}
	if p.read == p.version {
		return nil, false, nil
	}
	p.read = p.version
	return p.requests(), true, nil
}

func (p *process) unread() { p.read = -1 }

func (p *process) change(_ context.Context, change func([]request.Request) []request.Request) error {
	if p.point() {
		return errDead
	}
	if p.fails > 0 {
		p.fails--
		return errors.New("the server is away")
	}
	p.write(change(p.requests()))
	if p.point() { // after it was written
		return errDead
	}
	return nil
}

func (p *process) AskedAt(ctx context.Context, refs ...unit.ObjectRef) (map[unit.ObjectRef]kube.Asking, error) {
	if p.point() {
		return nil, errDead
	}
	return p.board.AskedAt(ctx, refs...)
}

func (p *process) NoteAsked(ctx context.Context, ref unit.ObjectRef, value string) error {
	if p.point() {
		return errDead
	}
	err := p.board.NoteAsked(ctx, ref, value)
	if p.point() {
		return errDead
	}
	return err
}

var novaShown = unit.ShownRef(unit.KindShownService, "nova")

// asked is a place where three have asked, and one by an annotation.
func asked(t *testing.T) *place {
	p := &place{t: t, board: &noticeboard{values: map[unit.ObjectRef]string{novaShown: "now"}, notes: map[unit.ObjectRef]string{}}}
	p.write([]request.Request{
		{ID: "nova", Targets: []addr.Address{addr.MustParseObject("service.nova")}, At: time.Now()},
		{ID: "nobody", Targets: []addr.Address{addr.MustParseObject("service.nobody")}, At: time.Now()},
		{ID: "repository", At: time.Now()},
	})
	return p
}

// TestRequestsOutliveAKill kills processes at every point while somebody asks: what is asked for is looked at at least once,
// and only what was looked at is noted; after that nobody looks again.
func TestRequestsOutliveAKill(t *testing.T) {
	t.Parallel()
	for _, times := range []int{1, 3} {
		for _, late := range []bool{false, true} { // the configuration comes late
			points := 0
			for n, hit := 1, true; hit && !t.Failed(); n++ {
				t.Run(fmt.Sprintf("%d times at point %d, late %t", times, n, late), func(t *testing.T) {
					hit = killedAsked(t, n, times, late)
				})
				points = n
			}
			if points < 15 {
				t.Errorf("there are only %d points", points)
			}
		}
	}
}

func killedAsked(t *testing.T, n, times int, late bool) (hit bool) {
	p := asked(t)
	names := []string{"annotation now", "nobody", "nova"}
	now := p.start(!late)
	p.kill = p.points + n
	for rounds := 0; len(p.requests()) > 0 || p.board.notes[novaShown] != "now"; rounds++ {
		if rounds > 20 {
			t.Fatalf("it has no end: %+v, noted is %v, looked at was %v", p.requests(), p.board.notes, p.looked)
		}
		_, err := now.taker.look(t.Context())
		if err != nil && !p.dead {
			t.Fatal(err)
		}
		for _, name := range names { // what is noted was looked at
			noted := !slices.ContainsFunc(p.requests(), func(r request.Request) bool { return r.ID == name })
			if name == names[0] {
				noted = p.board.notes[novaShown] == "now"
			}
			if noted && !slices.Contains(p.looked, name) {
				t.Fatalf("%s is noted, and was not looked at", name)
			}
		}
		now.wants = true
		now.looks()
		for name, often := range now.begun {
			if often > 1 {
				t.Errorf("one process took %s %d times", name, often)
			}
		}
		if p.dead {
			hit, times = true, times-1
			if now = p.start(!late); times > 0 {
				p.kill = p.points + n
			}
		}
	}
	for _, name := range names {
		if !slices.Contains(p.looked, name) {
			t.Errorf("%s was not looked at", name)
		}
	}
	if p.polls == 0 && !hit { // which begins with a look at the repository
		t.Error("nobody looked at the repository")
	}
	looked, polls := len(p.looked), p.polls
	for range 3 {
		next := p.start(true)
		for range 3 {
			if _, err := next.taker.look(t.Context()); err != nil {
				t.Error(err)
			}
			next.looks()
		}
	}
	if len(p.looked) != looked || p.polls != polls {
		t.Errorf("later processes looked again: %v, %d times at the repository", p.looked[looked:], p.polls-polls)
	}
	return hit
}

// TestRequestsAreTakenAtOnce: whoever asks hears at once that somebody has taken it, and that stays until it was looked at;
// what cannot be written is made up for, without a second look.
func TestRequestsAreTakenAtOnce(t *testing.T) {
	t.Parallel()
	p := asked(t)
	p.write(append(p.requests(), request.Request{ID: "pass", Targets: []addr.Address{addr.Module{}}, Awaited: true, At: time.Now()}))
	now := p.start(true)
	look := func(fails bool) {
		t.Helper()
		if _, err := now.taker.look(t.Context()); (err != nil) != fails {
			t.Fatalf("it fails: %v", err)
		}
	}
	list := func() string {
		var all []string
		for _, r := range p.requests() {
			all = append(all, fmt.Sprintf("%s taken %t open %t", r.ID, r.Taken, r.Open()))
		}
		return strings.Join(all, ", ")
	}
	p.fails = 2
	look(true)
	if want := "nova taken false open true, nobody taken false open true, repository taken false open true, pass taken false open true"; list() != want {
		t.Errorf("there are %s", list())
	}
	p.fails = 0
	look(false)
	if want := "nova taken true open true, nobody taken true open true, pass taken false open false"; list() != want || p.polls != 2 {
		t.Errorf("there are %s, and %d looks at the repository", list(), p.polls)
	}
	for range 3 {
		look(false)
	}
	// One is withdrawn, the annotation has another value, and the outcome is read.
	p.write(request.Without(p.requests(), "nobody", "pass"))
	p.board.values[novaShown] = "later"
	now.taker.notes.note(novaShown)
	look(false)
	now.looks()
	p.fails = 1
	look(true)
	look(false)
	if list() != "" || p.board.notes[novaShown] != "later" {
		t.Errorf("there are %s, and noted is %v", list(), p.board.notes)
	}
	if len(now.taker.taken) > 0 || len(now.taker.awaited) > 0 {
		t.Errorf("kept are %v and %v", now.taker.taken, now.taker.awaited)
	}
	if want := map[string]int{"nova": 1, "nobody": 1, "": 1, "annotation now": 1, "annotation later": 1}; !maps.Equal(now.begun, want) {
		t.Errorf("taken were %v", now.begun)
	}
}

// TestLookThatIsAskedForMeanwhile: as long as the list cannot say that a request was taken, whoever wants the repository looked
// at adds no other one: it is looked at once more when that is said, whatever the request names.
func TestLookThatIsAskedForMeanwhile(t *testing.T) {
	t.Parallel()
	p := &place{t: t, board: &noticeboard{values: map[unit.ObjectRef]string{}, notes: map[unit.ObjectRef]string{}}}
	p.write([]request.Request{{ID: "nova", Targets: []addr.Address{addr.MustParseObject("service.nova")}, At: time.Now()}})
	now := p.start(true)
	p.fails = 1
	for n, want := range []int{1, 2, 2} {
		if _, err := now.taker.look(t.Context()); (err != nil) != (n == 0) || p.polls != want {
			t.Errorf("after look %d the repository was looked at %d times, want %d: %v", n+1, p.polls, want, err)
		}
	}
	now.looks()
	p.fails = 1
	for range 3 { // to take it away is nobody's business
		_, _ = now.taker.look(t.Context())
	}
	if p.polls != 2 || len(p.requests()) > 0 {
		t.Errorf("in the end it was looked at %d times, and there are %v", p.polls, p.requests())
	}
}
