package chartkeys

import (
	"encoding/base64"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// maxRenderings is how often a chart is rendered to learn which keys of one configuration change nothing. What is not
// decided then passes.
const maxRenderings = 48

// Render renders a chart with values, which it leaves as they are, and returns what comes out by the names of the templates.
type Render func(values map[string]any) (map[string]string, error)

// Idle returns which of the keys at the ends of paths change nothing of what the chart is rendered to with some values,
// in their order, so far as no template has them by their names. Paths that lead to no value are given one. A key is idle where all
// of this leaves every rendering as it is: to leave it away, to have another value there, and to have the same under
// another name beside it, each with the values as they are and with all switches of manifests on.
func (k *Keys) Idle(paths [][]string, values map[string]any, render Render) []Unknown {
	doubts := k.doubtful(paths, values)
	if len(doubts) == 0 {
		return nil
	}
	p := &prober{render: render, left: maxRenderings}
	var suspects []suspect
	for _, i := range doubts {
		suspects = append(suspects, suspect{index: i, path: paths[i]})
	}
	p.begin(values, suspects, k.switchesOn())
	suspects = p.idle(p.unnamed(suspects))
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

// switchesOn are the switches of a chart's manifests, all on.
func (k *Keys) switchesOn() map[string]any {
	on := map[string]any{}
	switches, _ := k.defaults["manifests"].(map[string]any)
	for name, is := range switches {
		if _, plain := is.(bool); plain {
			on[name] = true
		}
	}
	return on
}

// suspect is a key that may be idle.
type suspect struct {
	index int
	path  []string
}

// prober renders a chart with values that differ.
type prober struct {
	render Render
	left   int // renderings
	bases  []base
}

// base are values to begin with, and what they are rendered to.
type base struct {
	values map[string]any
	result map[string]string
}

// begin renders the values as they are, and with switches on. What cannot be rendered tells nothing.
func (p *prober) begin(values map[string]any, suspects []suspect, switches map[string]any) {
	whole := values
	for _, s := range slices.Backward(suspects) { // what is further inside first, which makes the maps around it
		if _, there := at(whole, s.path); !there {
			whole = with(whole, s.path, "probe")
		}
	}
	on := whole
	for _, name := range slices.Sorted(maps.Keys(switches)) {
		on = with(on, []string{"manifests", name}, true)
	}
	for _, v := range []map[string]any{whole, on} {
		result, err := p.rendered(v)
		if err == nil {
			p.bases = append(p.bases, base{v, result})
		} else if len(p.bases) == 0 {
			return
		}
	}
}

func (p *prober) rendered(values map[string]any) (map[string]string, error) {
	p.left--
	return p.render(values)
}

// unnamed leaves those suspects of which a key with the same value and another name beside them is not to be seen in what comes
// out: where it is, the chart takes any key.
func (p *prober) unnamed(suspects []suspect) []suspect {
	if len(suspects) == 0 {
		return nil
	}
	for _, b := range p.bases {
		if p.left <= 0 {
			return nil
		}
		values := b.values
		for _, s := range suspects {
			v, _ := at(b.values, s.path)
			values = with(values, beside(s), v)
		}
		result, err := p.rendered(values)
		if err != nil {
			continue // the other way to look finds what is idle as well
		}
		texts := decoded(result)
		suspects = slices.DeleteFunc(slices.Clone(suspects), func(s suspect) bool { return strings.Contains(texts, mark(s)) })
	}
	return suspects
}

// mark is what no chart and nobody else writes.
func mark(s suspect) string { return fmt.Sprintf("zqx%dxqz", s.index) }

func beside(s suspect) []string {
	other := slices.Clone(s.path)
	other[len(other)-1] += mark(s)
	return other
}

// idle returns those of suspects that change nothing, however they are grouped.
func (p *prober) idle(suspects []suspect) []suspect {
	if len(suspects) == 0 || p.matter(suspects) {
		if len(suspects) < 2 {
			return nil
		}
		half := len(suspects) / 2
		return append(p.idle(suspects[:half]), p.idle(suspects[half:])...)
	}
	return suspects
}

// matter tells whether any rendering may differ where suspects are left away or are something else.
func (p *prober) matter(suspects []suspect) bool {
	for _, b := range p.bases {
		left, changed := b.values, b.values
		for _, s := range suspects {
			v, there := at(changed, s.path)
			if !there {
				return true // the switches have taken its place
			}
			left, changed = without(left, s.path), with(changed, s.path, other(v))
		}
		for _, values := range []map[string]any{left, changed} {
			if p.left <= 0 {
				return true
			}
			if result, err := p.rendered(values); err != nil || !maps.Equal(result, b.result) {
				return true
			}
		}
	}
	return len(p.bases) == 0
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
