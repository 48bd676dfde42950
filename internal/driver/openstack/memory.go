package openstack

import (
	"encoding/json"
	"hash/maphash"
	"slices"
	"sync"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// longestTold is how long an answer about an object counts at most. The engine has everything asked anew far more often, see
// [unit.Target.Anew]: what is older is about a target that nobody looks at any more.
const longestTold = time.Hour

// memory keeps what services told of single objects, which no list says, so that an unchanged world does not cost a request
// for each of them at every look. An answer counts for as long as the object is in its list as it was then, the same is
// wanted of it, the same user asks, and we have not written to it. What somebody else changes without a trace in the list is
// seen once everything is asked anew. It lasts no longer than the process and has no more than what targets need. A nil
// memory keeps nothing.
type memory struct {
	now  func() time.Time
	seed maphash.Seed

	mutex sync.Mutex
	about map[addr.Object][]*told
}

// told is an answer, or stands for a question that is being asked.
type told struct {
	attribute string // that it is about
	keeper    string // the service that was asked
	at        time.Time
	basis     uint64 // a digest of what it goes by
	value     any    // nil as long as there is no answer
}

func newMemory() *memory {
	return &memory{now: time.Now, seed: maphash.MakeSeed(), about: map[addr.Object][]*told{}}
}

// remembered returns the answers of a service about an attribute of objects, in their order: those that it gave before, and
// for all other objects those that ask returns. What failed is not kept.
func remembered[T any](s *session, objects []found, attribute, keeper string, ask func([]found) []answer[T]) []answer[T] {
	answers := make([]answer[T], len(objects))
	var open []found
	var questions []*told
	var places []int
	for i, f := range objects {
		q := f.memory.question(s, f, attribute, keeper)
		if value, known := q.value.(T); known {
			answers[i].value, f.object.recalled = value, true
			continue
		}
		open, questions, places = append(open, f), append(questions, q), append(places, i)
	}
	if len(open) == 0 {
		return answers
	}
	for i, got := range ask(open) {
		answers[places[i]] = got
		if got.err == nil {
			open[i].memory.keep(open[i].address, questions[i], got.value)
		}
	}
	return answers
}

// question returns what was told, or the question that takes its place.
func (m *memory) question(s *session, f found, attribute, keeper string) *told {
	if m == nil {
		return &told{}
	}
	q := &told{attribute: attribute, keeper: keeper, at: m.now(), basis: m.basis(s, f, attribute)}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	known := m.about[f.address]
	i := slices.IndexFunc(known, func(k *told) bool { return k.attribute == attribute && k.keeper == keeper })
	switch {
	case i < 0:
		m.about[f.address] = append(known, q)
	case known[i].value != nil && known[i].basis == q.basis && q.at.Sub(known[i].at) < longestTold:
		return known[i]
	default:
		known[i] = q
	}
	return q
}

// basis is a digest of all that an answer about an object goes by.
func (m *memory) basis(s *session, f found, name string) uint64 {
	var digest maphash.Hash
	digest.SetSeed(m.seed)
	_ = json.NewEncoder(&digest).Encode([]any{s.login.credentials[:], s.login.project, s.administrates(), f.object.raw, f.set[name]}) // it came as JSON
	_, _ = digest.WriteString(unmarked(attribute(f.want, name)).GoString())                                                           // it never fails
	return digest.Sum64()
}

// keep takes the answer to a question, unless something was written meanwhile: it may be of before or of after.
func (m *memory) keep(address addr.Object, q *told, value any) {
	if m == nil {
		return
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if slices.Contains(m.about[address], q) {
		q.value = value
	}
}

// forget has everything about a target asked anew.
func (m *memory) forget(address addr.Object) {
	if m == nil {
		return
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	delete(m.about, address)
}

// refresh forgets what is to be seen anew of targets, and what is too old.
func (m *memory) refresh(targets []unit.Target) {
	if m == nil {
		return
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	for i := range targets {
		if targets[i].Anew {
			delete(m.about, targets[i].Address)
		}
	}
	now := m.now()
	for address, all := range m.about {
		all = slices.DeleteFunc(all, func(t *told) bool { return now.Sub(t.at) >= longestTold })
		if m.about[address] = all; len(all) == 0 {
			delete(m.about, address)
		}
	}
}
