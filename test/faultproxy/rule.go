package faultproxy

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

// Match selects requests. Every field that is set must agree; the zero value selects all.
type Match struct {
	Proxy *Proxy // one of the proxies that share the Control
	// Verb is an HTTP method or a verb of Options.Classify, in exactly that spelling: with
	// ClassifyKubernetes "GET" selects gets, lists and watches, "get" only the first.
	Verb string
	// Path is a glob for the URL's path or the path of Options.Classify: "*" stands for
	// anything within a segment, "**" for anything at all, "?" for one character.
	Path    string
	Regexp  *regexp.Regexp           // finds a match in the URL's path
	Request func(*http.Request) bool // anything else; must not read the body, but see Body
}

// Rule is a fault: what it concerns, how often, and what happens.
type Rule struct {
	Name  string // for Request.Faults; by default the action's name
	Match Match
	// Nth takes only the nth matching request since the rule was added, counted from 1;
	// 0 takes all.
	Nth int
	// Sequence takes only the request with this number (Request.Sequence); 0 takes all.
	Sequence int
	// First takes a request only if it is among the first so many matching ones about the same
	// thing since the rule was added; 0 takes all.
	First int
	// Probability is the chance with which a request that got this far is taken; 0 means
	// always. It must lie between 0 and 1.
	Probability float64
	// Latest has the matching request with this number taken whatever chance says, and all after
	// it; 0 means none.
	Latest int
	// Limit is how often the rule fires at most; 0 means without limit. With a Probability it
	// is up to the order of arrival which requests are left out: First is not.
	Limit int
	// Alone keeps a request that is taken from all rules that were added later: they still count it as seen.
	Alone bool
	// Action is what happens to a request that is taken. The zero Action lets it pass and
	// so merely counts.
	Action Action
}

// Fault is a rule in force. Its methods are safe for concurrent use.
type Fault struct {
	rule    Rule
	key     string         // tells this rule's chance from other rules'
	path    *regexp.Regexp // Rule.Match.Path, nil when empty
	control *Control

	// Guarded by control.mu.
	seen, fired int
	met         map[subject]int
}

// Remove ends the rule; requests that it took already are not affected. Removing twice is
// no error.
func (f *Fault) Remove() { f.control.remove(f) }

// Seen is how many requests the rule's Match selected so far.
func (f *Fault) Seen() int {
	f.control.mu.Lock()
	defer f.control.mu.Unlock()
	return f.seen
}

// Fired is how many requests the rule took so far.
func (f *Fault) Fired() int {
	f.control.mu.Lock()
	defer f.control.mu.Unlock()
	return f.fired
}

// take decides about one request; control.mu is held.
func (f *Fault) take(x *exchange, about subject) (step, bool) {
	if !selects(f.rule.Match, f.path, x) {
		return step{}, false
	}
	f.seen++
	f.met[about]++
	if f.rule.Nth != 0 && f.rule.Nth != f.seen || f.rule.Sequence != 0 && f.rule.Sequence != x.record.Sequence || f.rule.First != 0 && f.met[about] > f.rule.First {
		return step{}, false
	}
	chance := Rand(f.control.seed, f.key, about.proxy, about.verb, about.path, about.says, strconv.Itoa(f.met[about]))
	if drawn := chance.Float64(); f.rule.Probability > 0 && drawn >= f.rule.Probability && (f.rule.Latest == 0 || f.seen < f.rule.Latest) {
		return step{}, false
	}
	if x.alone || f.rule.Limit > 0 && f.fired >= f.rule.Limit {
		return step{}, false
	}
	x.alone = f.rule.Alone
	f.fired++
	return step{action: f.rule.Action, name: f.rule.Name, chance: chance}, true
}

func selects(m Match, path *regexp.Regexp, x *exchange) bool {
	switch {
	case m.Proxy != nil && m.Proxy != x.proxy,
		m.Verb != "" && m.Verb != x.record.Method && m.Verb != x.record.Verb,
		path != nil && !path.MatchString(x.record.URLPath) && !path.MatchString(x.record.Path),
		m.Regexp != nil && !m.Regexp.MatchString(x.record.URLPath),
		m.Request != nil && !m.Request(x.request):
		return false
	}
	return true
}

// compileGlob returns nil for the empty glob. It cannot fail: all but the wildcards is quoted.
func compileGlob(glob string) *regexp.Regexp {
	if glob == "" {
		return nil
	}
	wildcards := strings.NewReplacer(`\*\*`, `.*`, `\*`, `[^/]*`, `\?`, `[^/]`)
	return regexp.MustCompile(`^` + wildcards.Replace(regexp.QuoteMeta(glob)) + `$`)
}
