package faultproxy

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Request is the record of one request that reached a proxy.
type Request struct {
	Sequence  int // from 1, over all proxies of one Control, in order of arrival
	Time      time.Time
	Proxy     string // the proxy's name
	Verb      string // as Options.Classify has it: the HTTP method unless told otherwise
	Path      string // as Options.Classify has it: the URL's path unless told otherwise
	Method    string
	URLPath   string
	Query     string
	UserAgent string
	Faults    []string // names of the rules that fired, in the order in which they act
	Forwarded bool     // the target got it, or at least the proxy tried
	Upstream  int      // status of the target's answer; 0 when there was none
	Status    int      // status that the client was sent; 0 when it was sent none (yet)
	Err       string   // why forwarding failed, if it did
}

// String is one line for logs and failures.
func (r Request) String() string {
	line := fmt.Sprintf("%d %s %s %s", r.Sequence, r.Proxy, r.Method, r.URLPath)
	if r.Query != "" {
		line += "?" + r.Query
	}
	line += fmt.Sprintf(" upstream=%d status=%d", r.Upstream, r.Status)
	if len(r.Faults) > 0 {
		line += " faults=" + strings.Join(r.Faults, ",")
	}
	if r.Err != "" {
		line += " error=" + r.Err
	}
	return line
}

// Operation is what requests are counted by.
type Operation struct {
	Proxy, Verb, Path string
}

// Counts says how often each operation was asked for.
type Counts map[Operation]int

// Since returns what was added after the snapshot before; operations without a change are
// left out.
func (c Counts) Since(before Counts) Counts {
	added := Counts{}
	for operation, count := range c {
		if count != before[operation] {
			added[operation] = count - before[operation]
		}
	}
	for operation, count := range before {
		if _, known := c[operation]; !known {
			added[operation] = -count
		}
	}
	return added
}

// Total adds up the counts of the given verbs, or of all when none is given.
func (c Counts) Total(verbs ...string) int {
	total := 0
	for operation, count := range c {
		if len(verbs) == 0 || slices.Contains(verbs, operation.Verb) {
			total += count
		}
	}
	return total
}

// Of adds up the counts of one verb on one path over all proxies.
func (c Counts) Of(verb, path string) int {
	total := 0
	for operation, count := range c {
		if operation.Verb == verb && operation.Path == path {
			total += count
		}
	}
	return total
}

// String lists one operation a line, sorted, the same for the same counts.
func (c Counts) String() string {
	lines := make([]string, 0, len(c))
	for operation, count := range c {
		lines = append(lines, fmt.Sprintf("%s %s %s %d", operation.Proxy, operation.Verb, operation.Path, count))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
