package request

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
)

// The bounds of what the cluster keeps.
const (
	maxKept    = 50 // requests
	maxTargets = 100
	maxLength  = 1 << 20
)

// version is that of the document. It grows when a field changes its meaning or goes.
const version = 1

// stale is how old a request is that nobody waits for any more, though it was answered, or taken and what it names could
// not be looked at since.
const stale = 2 * time.Hour

// Request is one call.
type Request struct {
	ID      string         // nobody else's
	Targets []addr.Address // what is looked at besides the repository
	By      string
	At      time.Time
	// Awaited says that whoever asks waits for the outcome: the request is kept until that was read.
	Awaited bool
	// Taken says that somebody in charge has taken it, and takes it away once all that it names was looked at. Who is in
	// charge after that one takes it again.
	Taken   bool
	Outcome *Outcome // nil until it is known
}

// Open tells whether a request is still to be taken, looked at, or answered.
func (r *Request) Open() bool { return r.Outcome == nil }

// Outcome is how things stand once all that was asked for is done.
type Outcome struct {
	Commit  string `json:"commit"` // that this is about
	Path    string `json:"path"`   // of the configuration in it
	Verdict string `json:"verdict"`
	Units   string `json:"units"` // how many there are, by their phases
	// Variables is a keyed digest of the values that variables have; "" while they are not known, as the commit has mistakes.
	Variables string `json:"variables,omitempty"`
	// Refused says that the commit has no mistakes, and its plan must not be applied all the same.
	Refused bool `json:"refused,omitempty"`
}

type document struct {
	Version  int    `json:"version"`
	Requests []kept `json:"requests"`
}

type kept struct {
	ID string `json:"id"`
	// Targets are addresses, "" for the whole cloud.
	Targets []string  `json:"targets"`
	By      string    `json:"by,omitempty"`
	At      time.Time `json:"at"`
	Awaited bool      `json:"awaited,omitempty"`
	Taken   bool      `json:"taken,omitempty"`
	Outcome *Outcome  `json:"outcome,omitempty"`
}

// ErrTooMany says that nobody takes any requests.
var ErrTooMany = fmt.Errorf("%d requests wait already that no daemon has taken", maxKept)

// With returns the list with one more, and without those that were answered or taken long before that. Where it is full,
// the oldest that was taken gives way: whoever has taken it knows of it, and only a process after that one would not.
func With(list []Request, r Request) []Request {
	list = lasting(list, r.At)
	if len(list) >= maxKept {
		if at := slices.IndexFunc(list, func(r Request) bool { return r.Taken }); at >= 0 {
			list = slices.Delete(list, at, at+1)
		}
	}
	return append(list, r)
}

// Taken returns the list with those marked as taken that have these ids.
func Taken(list []Request, ids ...string) []Request {
	list = slices.Clone(list)
	for i := range list {
		list[i].Taken = list[i].Taken || slices.Contains(ids, list[i].ID)
	}
	return list
}

// Without returns the list without those with these ids.
func Without(list []Request, ids ...string) []Request {
	return slices.DeleteFunc(slices.Clone(list), func(r Request) bool { return slices.Contains(ids, r.ID) })
}

// Answered returns the list with the outcome of a request, and without those that were answered or taken long ago. One that
// was withdrawn is not there any more, and is not answered.
func Answered(list []Request, id string, outcome Outcome, now time.Time) []Request {
	list = lasting(list, now)
	for i := range list {
		if list[i].ID == id {
			list[i].Outcome = &outcome
		}
	}
	return list
}

// lasting returns a list without those that were answered long ago, where whoever asked has ended without reading that,
// and without those that were taken long ago.
func lasting(list []Request, now time.Time) []Request {
	return slices.DeleteFunc(slices.Clone(list), func(r Request) bool { return (!r.Open() || r.Taken) && now.Sub(r.At) > stale })
}

// Encode returns the document that the cluster keeps. The error is [ErrTooMany], or says that a request has too many
// targets.
func Encode(list []Request) ([]byte, error) {
	if len(list) > maxKept {
		return nil, ErrTooMany
	}
	d := document{Version: version, Requests: []kept{}}
	for _, r := range list {
		if len(r.Targets) > maxTargets {
			return nil, fmt.Errorf("a request names at most %d addresses: name a module, or everything", maxTargets)
		}
		k := kept{ID: r.ID, By: r.By, At: r.At.UTC().Truncate(time.Second), Targets: []string{}, Awaited: r.Awaited, Taken: r.Taken, Outcome: r.Outcome}
		for _, target := range r.Targets {
			k.Targets = append(k.Targets, target.String())
		}
		d.Requests = append(d.Requests, k)
	}
	return json.MarshalIndent(d, "", "  ")
}

// Decode reads that document, nil for none. An error says what is wrong with it.
func Decode(data []byte) ([]Request, error) {
	if data == nil {
		return nil, nil
	}
	if len(data) > maxLength {
		return nil, fmt.Errorf("it is longer than %d bytes", maxLength)
	}
	var d document
	if err := json.Unmarshal(data, &d); err != nil {
		return nil, fmt.Errorf("it cannot be read: %w", err)
	}
	if d.Version != version {
		return nil, fmt.Errorf("it has the version %d, and this program knows %d: use the program that wrote it", d.Version, version)
	}
	var list []Request
	for _, k := range d.Requests[max(0, len(d.Requests)-maxKept):] {
		r := Request{ID: k.ID, By: k.By, At: k.At, Awaited: k.Awaited, Taken: k.Taken, Outcome: k.Outcome}
		for _, text := range k.Targets[:min(len(k.Targets), maxTargets)] {
			target, err := addr.ParseTarget(text)
			if err != nil {
				return nil, err
			}
			r.Targets = append(r.Targets, target)
		}
		list = append(list, r)
	}
	return list, nil
}
