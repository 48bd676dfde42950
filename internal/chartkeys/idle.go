package chartkeys

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// maxRenderings is how often a chart is rendered to learn which keys of one configuration change nothing. What is not
// decided then passes.
const maxRenderings = 96

// Render renders a chart with values, which it leaves as they are, and returns what comes out by the names of the templates.
type Render func(values map[string]any) (map[string]string, error)

// Idle returns which of the keys at the ends of paths change nothing of what the chart is rendered to with some values,
// in their order, so far as no template has them by their names. Paths that lead to no value are given one. A key is idle where all
// of this leaves every rendering as it is: to leave it away, to have another value there, and to have the same under
// another name beside it, each with the values as they are, and with all on that is off in them. It is not where the chart reads
// the map around, and that changes nothing either, as of a job that there is not even then. Once ctx has ended nothing more is
// rendered, and what was not decided by then is not among them.
func (k *Keys) Idle(ctx context.Context, paths [][]string, values map[string]any, render Render) []Unknown {
	var suspects []suspect
	for _, i := range k.doubtful(paths, values) {
		suspects = append(suspects, suspect{index: i, path: paths[i]})
	}
	if len(suspects) == 0 {
		return nil
	}
	p := &prober{ctx: ctx, render: render, left: maxRenderings}
	for _, s := range slices.Backward(suspects) { // what is further inside first, which makes the maps around it
		if _, there := at(values, s.path); !there {
			values = with(values, s.path, "probe")
		}
	}
	base, err := p.rendered(values)
	if err != nil {
		return nil
	}
	if suspects = p.idle(values, base, suspects); len(suspects) > 0 {
		on, _ := p.turnOn(state{values, base}, switches(k.defaults, values, nil), false)
		suspects = k.decided(p, on.values, on.result, p.idle(on.values, on.result, suspects))
	}
	var found []Unknown
	var last []string
	for _, s := range suspects {
		if last != nil && len(s.path) > len(last) && slices.Equal(s.path[:len(last)], last) {
			continue // of what is inside of an idle key nobody has to be told
		}
		last = s.path
		found = append(found, Unknown{Index: s.index, Hint: k.hintAt(s.path)})
	}
	return found
}

// decided leaves those suspects of which the map around is one that matters, or that nothing reads.
func (k *Keys) decided(p *prober, values map[string]any, base map[string]string, suspects []suspect) []suspect {
	known := map[string]bool{}
	return slices.DeleteFunc(suspects, func(s suspect) bool {
		around := s.path[:len(s.path)-1]
		if len(around) == 0 {
			return false
		}
		id := joined(around)
		if _, done := known[id]; !done {
			known[id] = k.outOfPlay(p, values, base, around)
		}
		return known[id]
	})
}

// outOfPlay tells whether a map that the chart reads may be one of which nothing is to be seen in what comes out. Of one that the
// chart has nothing in it may be where it is handed on as a whole.
func (k *Keys) outOfPlay(p *prober, values map[string]any, base map[string]string, path []string) bool {
	found, _ := at(k.defaults, path)
	defaults, _ := found.(map[string]any)
	var changed map[string]any
	if len(defaults) == 0 {
		if !covers(k.reads.handed, path, 2, len(path)) {
			return false
		}
		changed = without(values, path)
	} else {
		if !k.read(k.reads, path[:len(path)-1], path[len(path)-1], k.reads.top.lost) {
			return false
		}
		changed = with(values, path, other(defaults))
	}
	result, err := p.rendered(changed)
	return errors.Is(err, errEnough) || err == nil && maps.Equal(result, base)
}

// switches lead to what a chart has that is off, by its own values and those that it gets.
func switches(defaults, values map[string]any, above []string) [][]string {
	var found [][]string
	for _, key := range slices.Sorted(maps.Keys(defaults)) {
		v, path := defaults[key], append(slices.Clone(above), key)
		given, written := values[key]
		if inner, is := v.(map[string]any); is {
			below, _ := given.(map[string]any)
			found = append(found, switches(inner, below, path)...)
		} else if on, is := v.(bool); is && (written && given == false || !written && !on) {
			found = append(found, path)
		}
	}
	return found
}

// suspect is a key that may be idle.
type suspect struct {
	index int
	path  []string
}

// prober renders a chart with values that differ.
type prober struct {
	ctx    context.Context //nolint:containedctx // it lives for one call
	render Render
	left   int // renderings
}

var errEnough = errors.New("rendered often enough")

func (p *prober) rendered(values map[string]any) (map[string]string, error) {
	if p.left--; p.left < 0 || p.ctx.Err() != nil {
		return nil, errEnough
	}
	return p.render(values)
}

// state are values and what they are rendered to.
type state struct {
	values map[string]any
	result map[string]string
}

// turnOn returns a state with as many switches on as can be together, and whether all of them are. It is not tried with all where
// the caller knows that this fails.
func (p *prober) turnOn(from state, switches [][]string, fails bool) (state, bool) {
	if !fails {
		on := from.values
		for _, path := range switches {
			on = with(on, path, true)
		}
		result, err := p.rendered(on)
		switch {
		case err == nil:
			return state{on, result}, true
		case errors.Is(err, errEnough):
			return from, false
		}
	}
	if len(switches) < 2 {
		return from, false
	}
	half := len(switches) / 2
	some, all := p.turnOn(from, switches[:half], false)
	more, _ := p.turnOn(some, switches[half:], all) // with all of these the rest is what has failed here
	return more, false
}

// idle returns those of suspects that change nothing of what values are rendered to, which is base.
func (p *prober) idle(values map[string]any, base map[string]string, suspects []suspect) []suspect {
	return p.among(values, base, p.unnamed(values, suspects))
}

// unnamed leaves those suspects of which a key with the same value and another name beside them is not to be seen in what comes
// out: where it is, the chart takes any key.
func (p *prober) unnamed(values map[string]any, suspects []suspect) []suspect {
	more := values
	for _, s := range suspects {
		v, _ := at(values, s.path)
		more = with(more, beside(s), v)
	}
	result, err := p.rendered(more)
	if err != nil {
		return suspects // the other way to look finds what is idle as well
	}
	texts := decoded(result)
	return slices.DeleteFunc(slices.Clone(suspects), func(s suspect) bool { return strings.Contains(texts, mark(s)) })
}

// mark is what no chart and nobody else writes.
func mark(s suspect) string { return fmt.Sprintf("zqx%dxqz", s.index) }

func beside(s suspect) []string {
	other := slices.Clone(s.path)
	other[len(other)-1] += mark(s)
	return other
}

// among returns those of suspects that change nothing, half by half where some do.
func (p *prober) among(values map[string]any, base map[string]string, suspects []suspect) []suspect {
	switch {
	case len(suspects) == 0 || !p.matter(values, base, suspects):
		return suspects
	case len(suspects) == 1:
		return nil
	}
	half := len(suspects) / 2
	some, more := p.among(values, base, suspects[:half]), p.among(values, base, suspects[half:])
	if len(some) > 0 && len(more) > 0 && p.matter(values, base, slices.Concat(some, more)) {
		return p.apart(values, base, slices.Concat(some, more))
	}
	return slices.Concat(some, more)
}

// apart leaves those suspects that have nothing to do with what all of them together change, where each of some is enough for
// what others do: without one of these the rest changes nothing. There are none where that is so for several things, and the rest
// is not decided.
func (p *prober) apart(values map[string]any, base map[string]string, suspects []suspect) []suspect {
	left := slices.DeleteFunc(slices.Clone(suspects), func(s suspect) bool {
		return !p.matter(values, base, slices.DeleteFunc(slices.Clone(suspects), func(other suspect) bool { return other.index == s.index }))
	})
	if len(left) == len(suspects) || p.left < 0 {
		return nil
	}
	return left
}

// matter tells whether a rendering differs where suspects are left away or are something else.
func (p *prober) matter(values map[string]any, base map[string]string, suspects []suspect) bool {
	left, changed := values, values
	for _, s := range suspects {
		v, _ := at(values, s.path) // not what it is by now: a switch in a map that is something else would be as it was
		left, changed = without(left, s.path), with(changed, s.path, other(v))
	}
	for _, values := range []map[string]any{left, changed} {
		if result, err := p.rendered(values); err != nil || !maps.Equal(result, base) {
			return true
		}
	}
	return false
}

// other is a value of the same kind as another one.
func other(v any) any {
	switch v := v.(type) {
	case bool:
		return !v
	case int64:
		return v + 1
	case float64:
		return v + 1
	case string:
		return v + "x"
	case []any:
		changed := []any{}
		for _, element := range v {
			changed = append(changed, other(element))
		}
		return append(changed, "probe")
	case map[string]any:
		changed := map[string]any{"probe": "probe"}
		for key, element := range v {
			changed[key] = other(element)
		}
		return changed
	default:
		return "probe"
	}
}

// encoded finds what may be a text in base64, as in Secrets.
var encoded = regexp.MustCompile(`[A-Za-z0-9+/]{8,}={0,2}`)

// decoded joins what a chart is rendered to, with what is in it in base64.
func decoded(result map[string]string) string {
	var all strings.Builder
	for _, text := range result {
		all.WriteString(text)
		for _, word := range encoded.FindAllString(text, -1) {
			if inside, err := base64.StdEncoding.DecodeString(word); err == nil {
				all.Write(inside)
			}
		}
	}
	return all.String()
}

// at finds what values have at a path through maps.
func at(values map[string]any, path []string) (any, bool) {
	var found any = values
	for _, step := range path {
		m, _ := found.(map[string]any)
		inner, there := m[step]
		if !there {
			return nil, false
		}
		found = inner
	}
	return found, true
}

// with returns values that have something else at a path. They share with those before what is beside it.
func with(values map[string]any, path []string, v any) map[string]any {
	changed := maps.Clone(values)
	if changed == nil {
		changed = map[string]any{}
	}
	if len(path) == 1 {
		changed[path[0]] = v
		return changed
	}
	inner, _ := changed[path[0]].(map[string]any)
	changed[path[0]] = with(inner, path[1:], v)
	return changed
}

// without returns values that have nothing at a path.
func without(values map[string]any, path []string) map[string]any {
	if _, there := at(values, path); !there {
		return values
	}
	changed := maps.Clone(values)
	if len(path) == 1 {
		delete(changed, path[0])
		return changed
	}
	inner, _ := changed[path[0]].(map[string]any)
	changed[path[0]] = without(inner, path[1:])
	return changed
}
