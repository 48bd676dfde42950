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

// Request is one call.
type Request struct {
	ID      string // nobody else's
	Targets []addr.Address
	By      string
	At      time.Time
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
}

// ErrTooMany says that nobody takes any requests.
var ErrTooMany = fmt.Errorf("%d requests wait already that no daemon has taken", maxKept)

// With returns the list with one more.
func With(list []Request, r Request) []Request { return append(slices.Clone(list), r) }

// Without returns the list without those with these ids.
func Without(list []Request, ids ...string) []Request {
	return slices.DeleteFunc(slices.Clone(list), func(r Request) bool { return slices.Contains(ids, r.ID) })
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
		k := kept{ID: r.ID, By: r.By, At: r.At.UTC().Truncate(time.Second), Targets: []string{}}
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
		r := Request{ID: k.ID, By: k.By, At: k.At}
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
