package explain

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// ErrQuestion says that the question makes no sense, whatever the configuration is.
var ErrQuestion = errors.New("not something to explain")

// Configuration tells what was written for the blocks of a model.
type Configuration interface {
	// Origin returns where the block of an address was written, with everything in it; nil when
	// there is none.
	Origin(a addr.Object) *model.Origin
	// Written returns the values that the block of the cloud or of a node has.
	Written(a addr.Object) map[string]cty.Value
}

// Explanation is where the values of one thing come from.
type Explanation struct {
	Address addr.Object
	Service string  // "" unless it is about the settings of a service on a node or in a profile
	Layers  []Layer // the lowest first; none for what has no layers
	Values  []Value // in the order of the schema, within a map by key
	Notes   []string
}

// Layer is one place where settings are written.
type Layer struct {
	Name  string // "cloud" or the address of a profile
	Range diag.Range
}

// Value is one effective value.
type Value struct {
	Path      string // such as conf.nova.DEFAULT.cpu_allocation_ratio
	Effective Shown
	Set       Source
	Lower     []Lower // what lies below it, the highest first
}

// Lower is what a lower layer has, or the default.
type Lower struct {
	Shown  Shown
	Set    Source
	Counts bool // the value above it was added to it, and did not take its place
}

// The kinds of sources.
const (
	SourceWritten = "written" // in a file
	SourceLabel   = "label"   // the label of the block
	SourceDefault = "default" // of the language
)

// Source is where a value was set.
type Source struct {
	Kind  string
	Layer string     // for settings of services
	Range diag.Range // zero for a default
	Adds  string     // "append" or "prepend" for what was written so
}

// Explain answers for an address, which may be just "cloud", and of a node or profile perhaps for
// one service alone. The settings of a node or profile come as one explanation for each service;
// those of a block with for_each as one for each object. The error tells what is probably meant
// when there is no such thing; it is [ErrQuestion] when there could be none.
func Explain(m *model.Model, c Configuration, address, service string) ([]Explanation, error) {
	e := explainer{m: m, c: c, definition: m.Language}
	if address == "cloud" {
		address = e.cloudAddress().String()
	}
	a, err := addr.ParseObject(address)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrQuestion, err)
	}
	kind := a.Kind()
	if service != "" && kind != "node" && kind != "profile" {
		return nil, fmt.Errorf("%w: the settings of a service are those of the cloud, of a node or of a profile: ask for service.%s, or for node.<label> %s", ErrQuestion, service, service)
	}
	answers, err := e.answer(a, service)
	if err == nil && e.isFull() {
		return nil, fmt.Errorf("the answer about %s has more than %d lines%s", a, maxLines, narrower(kind, service))
	}
	return answers, err
}

// maxLines is how many lines an answer can have. A repository may be written by somebody who wishes us ill:
// each layer of a profile can have each of many thousand values anew.
const maxLines = 50_000

// narrower says how to ask for less.
func narrower(kind, service string) string {
	if (kind == "node" || kind == "profile") && service == "" {
		return "; ask for one service of it"
	}
	return "; ask for one object, or write fewer values in fewer layers"
}

// isFull tells that the answer is longer than it may be, and needs nothing more.
func (e *explainer) isFull() bool { return e.lines > maxLines }

func (e *explainer) answer(a addr.Object, service string) ([]Explanation, error) {
	switch {
	case a.Mode() == addr.Data:
		return e.resources(a)
	case a.Kind() == "cloud":
		return e.cloud(a)
	case a.Kind() == "service":
		return e.ofCloud(a)
	case a.Kind() == "profile":
		return e.profile(a, service)
	case a.Kind() == "node":
		return e.node(a, service)
	default:
		return e.resources(a)
	}
}

type explainer struct {
	m          *model.Model
	c          Configuration
	definition *schema.Definition
	lines      int // of the answer so far
}

func (e *explainer) cloudAddress() addr.Object { return fixed("cloud", e.m.Cloud.Name) }

// fixed is an address that is known to be one.
func fixed(kind, name string) addr.Object {
	a, err := addr.NewObject(addr.Module{}, addr.Managed, kind, name, addr.Key{})
	if err != nil {
		return addr.Object{}
	}
	return a
}

func (e *explainer) cloud(a addr.Object) ([]Explanation, error) {
	if a != e.cloudAddress() {
		return nil, e.unknown(a)
	}
	answer := Explanation{Address: a, Values: e.block(a, e.definition.Block("cloud"), e.c.Written(a))}
	var names []string
	for i := range e.m.Cloud.Services {
		names = append(names, e.m.Cloud.Services[i].Address.String())
	}
	if len(names) > 0 {
		answer.Notes = append(answer.Notes, "The services have settings of their own: "+strings.Join(names, ", ")+".")
	}
	return []Explanation{answer}, nil
}

// ofCloud explains a service as it is configured for the whole cloud.
func (e *explainer) ofCloud(a addr.Object) ([]Explanation, error) {
	s := e.m.Service(a.Name())
	if s == nil || s.Address != a {
		return nil, e.unknown(a)
	}
	answer := Explanation{Address: a, Layers: e.layers(s.Name, true, e.ofDefault()), Values: append(e.settings(s.Name, true, s.Settings), e.backends(s)...)}
	for i := range e.m.Nodes {
		n := &e.m.Nodes[i]
		if slices.ContainsFunc(n.Services, func(own model.NodeService) bool { return own.Name == s.Name }) {
			answer.Notes = append(answer.Notes, fmt.Sprintf("%s has settings of its own for it, from %s.", n.Address, fixed("profile", n.Profile)))
		}
	}
	return []Explanation{answer}, nil
}

// ofDefault are the profiles that the default profile consists of.
func (e *explainer) ofDefault() []string { return e.ofProfile(e.m.Cloud.Profile) }

func (e *explainer) ofProfile(name string) []string {
	if p := e.m.Profile(name); p != nil {
		return p.Layers
	}
	return nil
}

// layers are the cloud's block, if it counts, and the profiles, as far as they write something for
// the service.
func (e *explainer) layers(service string, cloud bool, profiles []string) []Layer {
	var layers []Layer
	if s := e.m.Service(service); cloud && s != nil {
		layers = append(layers, Layer{Name: cloudLayer, Range: s.Range})
	}
	for _, name := range profiles {
		p := e.m.Profile(name)
		for _, s := range p.Services {
			if s.Name == service {
				layers = append(layers, Layer{Name: p.Address.String(), Range: s.Range})
			}
		}
	}
	return layers
}

func (e *explainer) node(a addr.Object, service string) ([]Explanation, error) {
	var answers []Explanation
	for i := range e.m.Nodes {
		n := &e.m.Nodes[i]
		if !a.Contains(n.Address) || e.isFull() {
			continue
		}
		answer, err := e.oneNode(n, service)
		if err != nil {
			return nil, err
		}
		answers = append(answers, answer...)
	}
	if len(answers) == 0 {
		return nil, e.unknown(a)
	}
	return answers, nil
}

func (e *explainer) oneNode(n *model.Node, service string) ([]Explanation, error) {
	a := n.Address
	profiles := slices.Clone(e.ofDefault())
	for _, name := range e.ofProfile(n.Profile) {
		if !slices.Contains(profiles, name) {
			profiles = append(profiles, name)
		}
	}
	answer := func(name string, settings []model.Setting) Explanation {
		return Explanation{Address: a, Service: name, Layers: e.layers(name, true, profiles), Values: e.settings(name, true, settings)}
	}
	own := map[string][]model.Setting{}
	for _, s := range n.Services {
		own[s.Name] = s.Settings
	}
	if service != "" {
		s := e.m.Service(service)
		switch {
		case s == nil:
			return nil, e.unknownService(service)
		case own[service] == nil:
			return []Explanation{answer(service, s.Settings)}, nil
		}
		return []Explanation{answer(service, own[service])}, nil
	}
	answers := []Explanation{{Address: a, Values: append(e.block(a, e.definition.Block("node"), e.c.Written(a)), slot(e.m.Profile(n.Profile))...)}}
	for _, s := range n.Services {
		answers = append(answers, answer(s.Name, s.Settings))
	}
	last := &answers[len(answers)-1]
	if len(n.Services) == 0 {
		last.Notes = append(last.Notes, "Services are configured here as in the whole cloud.")
	} else {
		last.Notes = append(last.Notes, "The other services are configured here as in the whole cloud.")
	}
	return answers, nil
}

// profile explains what a profile and those that it builds on have by themselves.
func (e *explainer) profile(a addr.Object, service string) ([]Explanation, error) {
	p := e.m.Profile(a.Name())
	if p == nil || p.Address != a {
		return nil, e.unknown(a)
	}
	settings := map[string][]model.Setting{}
	var names []string
	for _, name := range p.Layers {
		for _, s := range e.m.Profile(name).Services {
			if settings[s.Name] == nil {
				names = append(names, s.Name)
			}
			settings[s.Name] = append(settings[s.Name], s.Settings...)
		}
	}
	slices.Sort(names)
	if service != "" {
		if settings[service] == nil {
			return nil, fmt.Errorf("%s has no settings of %s%s", a, service, nearest(service, names))
		}
		names = []string{service}
	}
	var answers []Explanation
	if values := slot(p); service == "" && len(values) > 0 {
		answers = append(answers, Explanation{Address: a, Values: values})
	}
	for _, name := range names {
		answers = append(answers, Explanation{
			Address: a, Service: name, Layers: e.layers(name, false, p.Layers), Values: e.settings(name, false, settings[name]),
		})
	}
	if len(names) == 0 {
		if len(answers) == 0 {
			answers = []Explanation{{Address: a}}
		}
		answers[0].Notes = append(answers[0].Notes, "The profile has no settings.")
	}
	return answers, nil
}

// slot is the place of the nodes with a profile among those that differ. That of a profile it builds on is not its own.
func slot(p *model.Profile) []Value {
	if p == nil || p.Slot == 0 {
		return nil
	}
	return []Value{{Path: "slot", Effective: Shown{Value: p.Slot}, Set: Source{Kind: SourceWritten, Layer: p.Address.String(), Range: p.Ranges["slot"]}}}
}

// unknown tells that there is no such thing, and what was probably meant.
func (e *explainer) unknown(a addr.Object) error {
	if became := e.became(a); became != "" {
		return fmt.Errorf("there is no %s in this configuration%s", a, became)
	}
	all := []addr.Object{e.cloudAddress()}
	for i := range e.m.Cloud.Services {
		all = append(all, e.m.Cloud.Services[i].Address)
	}
	for i := range e.m.Profiles {
		all = append(all, e.m.Profiles[i].Address)
	}
	for i := range e.m.Nodes {
		all = append(all, e.m.Nodes[i].Address)
	}
	for i := range e.m.Resources {
		all = append(all, e.m.Resources[i].Address)
	}
	var texts, similar, blocks []string
	for _, other := range all {
		texts = append(texts, other.String())
		if other.Kind() == a.Kind() && other.Mode() == a.Mode() {
			similar = append(similar, other.String())
			blocks = append(blocks, other.Block().String())
		}
	}
	hint := nearest(a.String(), texts)
	if len(similar) > 0 {
		hint = nearestAfter(strings.TrimSuffix(a.Block().String(), a.Name()), a.String(), similar, blocks...)
	}
	return fmt.Errorf("there is no %s in this configuration%s", a, hint)
}

func (e *explainer) unknownService(name string) error {
	var names []string
	for i := range e.m.Cloud.Services {
		names = append(names, e.m.Cloud.Services[i].Name)
	}
	return fmt.Errorf("the cloud has no service %q%s", name, nearest(name, names))
}

const few = 12 // so many can be listed

// nearestAfter compares only what follows the prefix that all of them have. The others are as good
// as the candidates, but not listed.
func nearestAfter(prefix, name string, candidates []string, others ...string) string {
	var rest []string
	for _, candidate := range slices.Concat(candidates, others) {
		rest = append(rest, strings.TrimPrefix(candidate, prefix))
	}
	if found := config.Nearest(strings.TrimPrefix(name, prefix), rest); found != "" {
		return "; did you mean " + prefix + found + "?"
	}
	if len(candidates) <= few {
		return "; there are: " + strings.Join(candidates, ", ")
	}
	return ""
}

func nearest(name string, candidates []string) string {
	if len(candidates) == 0 {
		return ""
	}
	return nearestAfter("", name, candidates)
}
