package e2e_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
)

const (
	// fewRounds are those of a test. They have each kind of fault once before each server.
	fewRounds = 4
	// Each kind of fault comes with a chance to the first few requests about each thing. Git is asked about few things.
	faultChance, gitChance, faultFirst = 0.008, 0.05, 2
	// A kind that is dealt comes with this chance to each request, and for sure to one of the first few.
	dealtChance = 0.25
)

// kind is a kind of fault before one of the servers.
type kind struct {
	server string
	match  faultproxy.Match
	action faultproxy.Action
	chance float64
	dealt  dealt
}

// dealt is how a kind comes for sure: to one of the first few requests of those that every round has that many of. None does
// nothing to these.
type dealt struct {
	match  faultproxy.Match
	action faultproxy.Action
	latest int
}

func (k kind) String() string { return k.server + " " + k.action.String() }

// kindsOf are all kinds of faults. Where two of them in one round would want the same few requests, the first has them.
func kindsOf(kubernetes, git *faultproxy.Proxy) []kind {
	everywhere := []faultproxy.Action{
		faultproxy.Answer(http.StatusBadGateway, nil, []byte("<html><body>Bad Gateway</body></html>")),
		faultproxy.Answer(http.StatusGatewayTimeout, nil, []byte("<html><body>Gateway Timeout</body></html>")),
		faultproxy.ResetBefore(), faultproxy.ResetAfter(), faultproxy.Truncate(20), faultproxy.DelayBetween(100*time.Millisecond, 3*time.Second),
	}
	var all []kind
	add := func(server string, chance float64, match, sure faultproxy.Match, latest int, actions ...faultproxy.Action) {
		for _, action := range actions {
			all = append(all, kind{server, match, action, chance, dealt{sure, action, latest}})
		}
	}
	writes := faultproxy.Match{Proxy: kubernetes, Request: func(q *http.Request) bool { return q.Method != http.MethodGet }}
	add("kubernetes", faultChance, writes, writes, 2, faultproxy.AnswerKubernetes(http.StatusConflict, metav1.StatusReasonConflict, "the object has been modified", 0))
	watches := faultproxy.Match{Proxy: kubernetes, Verb: "watch"}
	add("kubernetes", faultChance, watches, watches, 3, faultproxy.AnswerKubernetes(http.StatusGone, metav1.StatusReasonExpired, "too old resource version", 0))
	all = append(all, // a watch may have no event for long
		kind{"kubernetes", watches, faultproxy.ExpireWatchAfter(1), faultChance, dealt{watches, faultproxy.ExpireWatchAfter(0), 3}},
		kind{"kubernetes", watches, faultproxy.EndWatchAfter(2), faultChance, dealt{watches, faultproxy.EndWatchAfter(0), 3}})
	ends := faultproxy.Match{Proxy: kubernetes, Request: func(q *http.Request) bool { return !q.URL.Query().Has("watch") }}
	add("kubernetes", faultChance, faultproxy.Match{Proxy: kubernetes}, ends, 10, everywhere...)
	add("kubernetes", faultChance, faultproxy.Match{Proxy: kubernetes}, ends, 10,
		faultproxy.AnswerKubernetes(http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests, "slow down", time.Second),
		faultproxy.AnswerKubernetes(http.StatusInternalServerError, metav1.StatusReasonInternalError, "no quorum", 0),
		faultproxy.AnswerKubernetes(http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable, "later", 0),
		faultproxy.AnswerKubernetes(http.StatusUnauthorized, metav1.StatusReasonUnauthorized, "the token ran out", 0))

	// Logins are left out: what a Keystone that turns them down means is another matter. Each look has many reads.
	openstack := faultproxy.Match{Request: func(q *http.Request) bool { return q.Header.Get("X-Auth-Token") != "" }}
	reads := faultproxy.Match{Request: func(q *http.Request) bool { return openstack.Request(q) && q.Method == http.MethodGet }}
	add("openstack", faultChance, openstack, reads, 10, everywhere...)
	add("openstack", faultChance, openstack, reads, 10,
		faultproxy.AnswerOpenStack(http.StatusTooManyRequests, "slow down", time.Second),
		faultproxy.AnswerOpenStack(http.StatusInternalServerError, "the database is away", 0),
		faultproxy.AnswerOpenStack(http.StatusServiceUnavailable, "later", 0),
		faultproxy.AnswerOpenStack(http.StatusUnauthorized, "expired", 0))
	// A conflict is one of changes, of which each round has two at least, one of them beside that which a daemon is killed at. Where
	// both are dealt to a round, the change that the first has turned down is sent again.
	changes := faultproxy.Match{Request: func(q *http.Request) bool { return openstack.Request(q) && q.Method != http.MethodGet }}
	add("openstack", faultChance, openstack, changes, 1,
		faultproxy.AnswerOpenStack(http.StatusConflict, "something else is going on", 0),
		faultproxy.After(faultproxy.AnswerOpenStack(http.StatusConflict, "it is there already", 0)))

	polls := faultproxy.Match{Proxy: git}
	add("git", gitChance, polls, polls, 2, everywhere...)
	add("git", gitChance, polls, polls, 2,
		faultproxy.Answer(http.StatusTooManyRequests, http.Header{"Retry-After": {"1"}}, nil),
		faultproxy.Answer(http.StatusUnauthorized, http.Header{"Www-Authenticate": {`Basic realm="git"`}}, nil), // a token that ran out
		faultproxy.Answer(http.StatusInternalServerError, nil, nil),
		faultproxy.Answer(http.StatusServiceUnavailable, nil, nil))
	return all
}

// hand are the kinds that are dealt to a round, in their order. So many rounds after one another have all of them, each once,
// and as many of each server as can be.
func hand(all []kind, seed uint64, round, rounds int) (dealt []kind) {
	deal := faultproxy.Rand(seed, "deal", fmt.Sprint(round/rounds))
	has := map[int]bool{}
	for _, server := range []string{"kubernetes", "openstack", "git"} {
		var cards []int
		for i, k := range all {
			if k.server == server {
				cards = append(cards, i)
			}
		}
		deal.Shuffle(len(cards), func(i, j int) { cards[i], cards[j] = cards[j], cards[i] })
		for i := round % rounds; i < len(cards); i += rounds {
			has[cards[i]] = true
		}
	}
	for _, i := range slices.Sorted(maps.Keys(has)) {
		dealt = append(dealt, all[i])
	}
	return dealt
}

// TestKindsAreDealt: rounds in a row have each kind before each server once, none has many more than another, and they are the
// same for one seed and others for another.
func TestKindsAreDealt(t *testing.T) {
	all := kindsOf(new(faultproxy.Proxy), new(faultproxy.Proxy))
	names := func(kinds []kind) (names []string) {
		for _, k := range kinds {
			names = append(names, k.String())
		}
		return names
	}
	want := slices.Sorted(slices.Values(names(all)))
	if len(slices.Compact(slices.Clone(want))) != len(want) {
		t.Errorf("two kinds have one name among %q", want)
	}
	seen := map[string]bool{}
	for range 100 {
		seed := rand.Uint64()
		for deck := range 2 {
			var got []string
			for i := range fewRounds {
				round := deck*fewRounds + i
				dealt := names(hand(all, seed, round, fewRounds))
				if !slices.Equal(dealt, names(hand(all, seed, round, fewRounds))) {
					t.Fatalf("seed %d: round %d has other kinds the second time", seed, round)
				}
				if least := len(all)/fewRounds - 1; len(dealt) < least || len(dealt) > least+3 {
					t.Errorf("seed %d: round %d has %d kinds", seed, round, len(dealt))
				}
				got = append(got, dealt...)
			}
			seen[fmt.Sprint(got)] = true
			if slices.Sort(got); !slices.Equal(got, want) {
				t.Errorf("seed %d: %d rounds have\n%q, want\n%q", seed, fewRounds, got, want)
			}
		}
	}
	if len(seen) < 200 {
		t.Errorf("200 decks are dealt in %d ways", len(seen))
	}
}
