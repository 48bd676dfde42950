package model_test

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
)

func fields(pairs ...any) cty.Value {
	m := map[string]cty.Value{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1].(cty.Value)
	}
	return cty.ObjectVal(m)
}

func numbers(list ...int64) cty.Value {
	if len(list) == 0 {
		return cty.EmptyTupleVal
	}
	var elements []cty.Value
	for _, n := range list {
		elements = append(elements, cty.NumberIntVal(n))
	}
	return cty.TupleVal(elements)
}

func TestMerge(t *testing.T) {
	one, two, null := cty.NumberIntVal(1), cty.NumberIntVal(2), cty.NullVal(cty.DynamicPseudoType)
	add := model.AdditionsType()
	after := func(list ...int64) cty.Value { return model.Append(add, numbers(list...)) }
	before := func(list ...int64) cty.Value { return model.Prepend(add, numbers(list...)) }
	for name, c := range map[string]struct {
		layers []cty.Value // the lowest first
		want   cty.Value
	}{
		"nothing over":                {[]cty.Value{fields("a", one), cty.NilVal}, fields("a", one)},
		"nothing below":               {[]cty.Value{cty.NilVal, one}, one},
		"deep":                        {[]cty.Value{fields("m", fields("a", one, "b", one)), fields("m", fields("b", two))}, fields("m", fields("a", one, "b", two))},
		"lists are replaced":          {[]cty.Value{fields("l", numbers(1, 2)), fields("l", numbers())}, fields("l", numbers())},
		"a map and an object":         {[]cty.Value{cty.MapVal(map[string]cty.Value{"a": one}), fields("b", two)}, fields("a", one, "b", two)},
		"null stands":                 {[]cty.Value{fields("a", one), fields("a", null)}, fields("a", null)},
		"null ends a map":             {[]cty.Value{fields("a", fields("x", one)), fields("a", null), fields("a", fields("y", two))}, fields("a", fields("y", two))},
		"null ends a list":            {[]cty.Value{fields("a", numbers(1)), fields("a", null), fields("a", after(2))}, fields("a", numbers(2))},
		"a map over a number":         {[]cty.Value{fields("a", one), fields("a", fields("x", one))}, fields("a", fields("x", one))},
		"append":                      {[]cty.Value{fields("l", numbers(1)), fields("l", after(2)), fields("l", after(3, 4))}, fields("l", numbers(1, 2, 3, 4))},
		"prepend":                     {[]cty.Value{fields("l", numbers(3)), fields("l", before(2)), fields("l", before(0, 1))}, fields("l", numbers(0, 1, 2, 3))},
		"both":                        {[]cty.Value{fields("l", numbers(2)), fields("l", before(1)), fields("l", after(3))}, fields("l", numbers(1, 2, 3))},
		"append to nothing":           {[]cty.Value{fields(), fields("l", after(1))}, fields("l", numbers(1))},
		"append and prepend, no list": {[]cty.Value{fields("l", after(2)), fields("l", before(1))}, fields("l", numbers(1, 2))},
		"a list over an append":       {[]cty.Value{fields("l", after(2)), fields("l", numbers(9))}, fields("l", numbers(9))},
		"append to a set":             {[]cty.Value{fields("l", cty.SetVal([]cty.Value{one})), fields("l", after(2))}, fields("l", numbers(1, 2))},
		"marks of maps":               {[]cty.Value{fields("a", one).Mark(model.Sensitive), fields("b", two)}, fields("a", one, "b", two).Mark(model.Sensitive)},
		"marks of lists":              {[]cty.Value{fields("l", numbers(1).Mark(model.Sensitive)), fields("l", after(2))}, fields("l", numbers(1, 2).Mark(model.Sensitive))},
		"marks of additions":          {[]cty.Value{fields("l", numbers(1)), fields("l", after(2).Mark(model.Sensitive))}, fields("l", numbers(1, 2).Mark(model.Sensitive))},
		"marks of what is replaced":   {[]cty.Value{fields("a", one.Mark(model.Sensitive)), fields("a", two)}, fields("a", two)},
	} {
		v := cty.NilVal
		for _, layer := range c.layers {
			var conflicts [][]string
			if v, conflicts = model.Merge(v, layer); len(conflicts) > 0 {
				t.Errorf("%s: %v is no list", name, conflicts)
			}
		}
		if got := model.Settle(v); !got.RawEquals(c.want) {
			t.Errorf("%s: %#v, want %#v", name, got, c.want)
		}
	}
	for name, below := range map[string]cty.Value{"number": one, "map": fields("x", one), "text": cty.StringVal("x").Mark(model.Sensitive)} {
		v, conflicts := model.Merge(fields("m", fields("l", below)), fields("m", fields("l", after(1), "k", two)))
		if len(conflicts) != 1 || !slices.Equal(conflicts[0], []string{"m", "l"}) {
			t.Errorf("append to a %s: conflicts %v", name, conflicts)
		}
		if !v.RawEquals(fields("m", fields("l", below, "k", two))) {
			t.Errorf("append to a %s changed it: %#v", name, v)
		}
	}
}

// TestMergeIsAssociative lays random layers over each other in both groupings.
func TestMergeIsAssociative(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	add := model.AdditionsType()
	var value func(depth int) cty.Value
	value = func(depth int) cty.Value {
		v := cty.NullVal(cty.DynamicPseudoType)
		switch n := random.Intn(10); {
		case n < 5 && depth > 0:
			m := map[string]cty.Value{}
			for range random.Intn(4) {
				m[string(rune('a'+random.Intn(3)))] = value(depth - 1)
			}
			v = cty.ObjectVal(m)
		case n < 6:
			v = numbers(slices.Repeat([]int64{random.Int63n(9)}, random.Intn(3))...)
		case n < 7:
			v = model.Append(add, numbers(random.Int63n(9)))
		case n < 8:
			v = model.Prepend(add, numbers(random.Int63n(9)))
		case n < 9:
			v = cty.NumberIntVal(random.Int63n(9))
		}
		if random.Intn(8) == 0 {
			v = v.Mark(model.Sensitive)
		}
		return v
	}
	compared := 0
	for range 20_000 {
		a, b, c := value(3), value(3), value(3)
		low, wrong := model.Merge(a, b)
		left, more := model.Merge(low, c)
		if len(wrong)+len(more) > 0 {
			continue // told as a mistake, in the order of the layers
		}
		high, wrong := model.Merge(b, c)
		right, more := model.Merge(a, high)
		if len(wrong)+len(more) > 0 {
			t.Fatalf("%#v, %#v, %#v: no list in one grouping only", a, b, c)
		}
		if x, y := model.Settle(left), model.Settle(right); !x.RawEquals(y) {
			t.Fatalf("%#v, %#v, %#v:\n%#v\n%#v", a, b, c, x, y)
		}
		compared++
	}
	if compared < 5_000 {
		t.Errorf("only %d were compared", compared)
	}
}

func TestSettledValuesArePlain(t *testing.T) {
	add := model.AdditionsType()
	v, _ := model.Merge(fields("a", cty.NullVal(cty.String)), fields("a", fields("l", model.Append(add, numbers(1)))))
	if plain, err := model.Plain(model.Settle(v)); err != nil || fmt.Sprint(plain) != "map[a:map[l:[1]]]" {
		t.Errorf("%v, %v", plain, err)
	}
	if _, err := model.Plain(model.Append(add, numbers(1))); err == nil {
		t.Error("an addition is taken for a value")
	}
	for _, c := range []struct {
		v    cty.Value
		want []cty.Path
	}{
		{fields("a", model.Append(add, numbers(1))), nil},
		{cty.MapVal(map[string]cty.Value{"a": model.Append(add, numbers(1))}), nil},
		{fields("a", cty.TupleVal([]cty.Value{numbers(1), model.Append(add, numbers(1))})), []cty.Path{cty.GetAttrPath("a").IndexInt(1)}},
		{cty.TupleVal([]cty.Value{fields("a", model.Prepend(add, numbers(1)))}), []cty.Path{cty.IndexIntPath(0)}},
		{cty.ListVal([]cty.Value{model.Append(add, numbers(1))}), []cty.Path{nil}},
		{fields("b", cty.TupleVal([]cty.Value{model.Append(add, numbers(1))}), "a", fields("c", cty.TupleVal([]cty.Value{model.Append(add, numbers(1))}))), []cty.Path{
			cty.GetAttrPath("a").GetAttr("c").IndexInt(0), cty.GetAttrPath("b").IndexInt(0),
		}},
	} {
		got := model.AddsWithin(c.v.Type())
		if !slices.EqualFunc(got, c.want, cty.Path.Equals) {
			t.Errorf("%#v: %#v", c.v, got)
		}
	}
}

func TestOrigin(t *testing.T) {
	s := model.Setting{Range: at(1), Origin: &model.Origin{Range: at(2), Inside: map[string]*model.Origin{"a": {Range: at(3)}}}}
	for _, c := range []struct {
		path []string
		want diag.Range
	}{{nil, at(2)}, {[]string{"a"}, at(3)}, {[]string{"a", "b"}, at(3)}, {[]string{"b"}, at(2)}} {
		if got := s.At(c.path...); got != c.want {
			t.Errorf("%v: %v, want %v", c.path, got, c.want)
		}
	}
	if s.Origin = nil; s.At("a") != at(1) {
		t.Error("without an origin, the place is not that of the setting")
	}
}
