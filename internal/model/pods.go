package model

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/schema"
)

// Pods is what the settings of a service say of its pods. What is empty was not written.
type Pods struct {
	Resources     map[string]Resources // by piece
	Tolerations   []Toleration         // nil when nothing was written
	PriorityClass string
	AntiAffinity  string // preferred or required
	TopologyKey   string
	Budgets       map[string]int // copies that have to go on, by part
	LogLevel      string
}

// Resources are what the containers of a piece ask for and may use.
type Resources struct{ Requests, Limits Amounts }

// Amounts are quantities of Kubernetes; "" for what was not written.
type Amounts struct{ CPU, Memory string }

// Toleration is a taint that pods stand.
type Toleration struct{ Key, Operator, Value, Effect string }

// PodsOf lays what several settings say of the pods of a service over each other, the later over the earlier. What is
// wrong is left away: [Model.Check] tells.
func PodsOf(service schema.Service, settings []Setting) Pods {
	var p Pods
	for _, s := range settings {
		v, _ := s.Value.UnmarkDeep()
		switch s.Name {
		case schema.Resources:
			p.addResources(v)
		case schema.Tolerations:
			p.Tolerations, _ = TolerationsOf(v)
		case schema.PriorityClass:
			p.PriorityClass = text(v)
		case schema.AntiAffinity:
			p.AntiAffinity = text(v)
		case schema.TopologyKey:
			p.TopologyKey = text(v)
		case schema.LogLevel:
			p.LogLevel = text(v)
		case schema.DisruptionBudget:
			counts, _ := Counts(service.Budgets, v)
			p.Budgets = merged(p.Budgets, counts)
		}
	}
	return p
}

// addResources lays resources over those that are there, amount by amount.
func (p *Pods) addResources(v cty.Value) {
	for piece, of := range elements(v) {
		r := p.Resources[piece]
		r.Requests, r.Limits = amountsOf(of, "requests", r.Requests), amountsOf(of, "limits", r.Limits)
		p.Resources = merged(p.Resources, map[string]Resources{piece: r})
	}
}

// merged lays one map over another one, which may be nil; so is the result when there is nothing in both.
func merged[V any](below, over map[string]V) map[string]V {
	if below == nil && len(over) > 0 {
		below = map[string]V{}
	}
	maps.Copy(below, over)
	return below
}

func amountsOf(v cty.Value, name string, below Amounts) Amounts {
	amounts, _ := Part(v, name)
	return Amounts{CPU: cmp.Or(textOf(amounts, "cpu"), below.CPU), Memory: cmp.Or(textOf(amounts, "memory"), below.Memory)}
}

// TolerationsOf reads the value of the attribute of that name.
func TolerationsOf(v cty.Value) ([]Toleration, error) {
	list := []Toleration{}
	if v == cty.NilVal || v.IsNull() || !v.IsKnown() {
		return list, nil
	}
	for i, of := range v.AsValueSlice() {
		t := Toleration{Key: textOf(of, "key"), Operator: textOf(of, "operator"), Value: textOf(of, "value"), Effect: textOf(of, "effect")}
		if problem := t.check(); problem != "" {
			return nil, fmt.Errorf("element %d: %s", i, problem)
		}
		list = append(list, t)
	}
	return list, nil
}

// check says why Kubernetes would not take a toleration, or why it would tolerate nothing that anybody has.
func (t Toleration) check() string {
	switch {
	case t.Operator != "" && !slices.Contains(schema.Operators(), t.Operator):
		return fmt.Sprintf("the operator is one of %s, and not %q", strings.Join(schema.Operators(), ", "), t.Operator)
	case t.Effect != "" && !slices.Contains(schema.Effects(), t.Effect):
		return fmt.Sprintf("the effect is one of %s, and not %q", strings.Join(schema.Effects(), ", "), t.Effect)
	case t.Operator == schema.OperatorExists && t.Value != "":
		return "a value means nothing to the operator Exists, which takes any"
	case t.Operator != schema.OperatorExists && t.Value == "":
		return `without a value the operator is Exists: write operator = "Exists"`
	case t.Operator != schema.OperatorExists && t.Key == "":
		return `a value is one of a key: write key = "…"`
	case t.Key != "" && schema.FormatLabelKey.Check(t.Key) != nil:
		return fmt.Sprintf("%q is not the key of a taint", t.Key)
	}
	return ""
}

// Counts reads numbers of parts: a number, which is meant for the first of them, or a map from part to number.
func Counts(parts []string, v cty.Value) (map[string]int, error) {
	plain, err := Plain(v)
	if err != nil || len(parts) == 0 {
		return nil, err
	}
	counts := map[string]int{}
	switch plain := plain.(type) {
	case nil:
		return nil, nil
	case int64:
		counts[parts[0]] = int(plain)
	case map[string]any:
		for part, n := range plain {
			if !slices.Contains(parts, part) {
				return nil, fmt.Errorf("there is no part %q; there are %s", part, strings.Join(parts, ", "))
			}
			whole, ok := n.(int64)
			if !ok {
				return nil, fmt.Errorf("%s must be a whole number", part)
			}
			counts[part] = int(whole)
		}
	default:
		return nil, fmt.Errorf("expected a whole number, or a map from part to number")
	}
	return counts, nil
}

// WithoutNulls leaves away what is null of the objects inside a value: what was not written there.
func WithoutNulls(v cty.Value) cty.Value {
	switch t := v.Type(); {
	case v.IsMarked() || v.IsNull() || !v.IsKnown():
	case (t.IsObjectType() || t.IsMapType()) && v.LengthInt() > 0:
		kept := map[string]cty.Value{}
		for key, element := range v.AsValueMap() {
			if !element.IsNull() {
				kept[key] = WithoutNulls(element)
			}
		}
		return cty.ObjectVal(kept)
	case (t.IsListType() || t.IsTupleType()) && v.LengthInt() > 0:
		kept := v.AsValueSlice()
		for i := range kept {
			kept[i] = WithoutNulls(kept[i])
		}
		return cty.TupleVal(kept)
	}
	return v
}

// exceeding tells which request is more than the limit beside it: its name, "" when none is.
func (r Resources) exceeding() string {
	for _, of := range [][3]string{{"cpu", r.Requests.CPU, r.Limits.CPU}, {"memory", r.Requests.Memory, r.Limits.Memory}} {
		request, limit := amount(of[1]), amount(of[2])
		if request != nil && limit != nil && request.Cmp(limit) > 0 {
			return of[0]
		}
	}
	return ""
}

// amount is a quantity as a number; nil for none.
func amount(quantity string) *big.Rat {
	digits := strings.TrimRight(quantity, "KMGTikm")
	n, ok := new(big.Rat).SetString(digits)
	factor, known := factors()[quantity[len(digits):]]
	if !ok || !known {
		return nil
	}
	return n.Mul(n, factor)
}

func factors() map[string]*big.Rat {
	all := map[string]*big.Rat{"": big.NewRat(1, 1), "m": big.NewRat(1, 1000), "k": big.NewRat(1000, 1)}
	for power, name := range []string{"K", "M", "G", "T"} {
		all[name+"i"] = new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(10*(power+1))))
		if power > 0 {
			all[name] = new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(1000), big.NewInt(int64(power+1)), nil))
		}
	}
	return all
}

// elements are those of a map or an object that is known, by key.
func elements(v cty.Value) map[string]cty.Value {
	if v == cty.NilVal || !mergeable(v) || v.LengthInt() == 0 {
		return nil
	}
	return v.AsValueMap()
}

// textOf is a text inside of an object, "" without.
func textOf(v cty.Value, name string) string {
	if v == cty.NilVal {
		return ""
	}
	inner, _ := Part(v, name)
	return text(inner)
}

// text is a value as a text, "" for what is none.
func text(v cty.Value) string {
	if v == cty.NilVal || v.IsNull() || !v.IsKnown() || v.Type() != cty.String {
		return ""
	}
	return v.AsString()
}
