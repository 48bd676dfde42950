package resolve

import (
	"fmt"
	"regexp"
	"testing"
	"testing/fstest"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/model"
)

// TestUniform gives functions lists and maps that are long and short: what they return is of the same kind.
func TestUniform(t *testing.T) {
	list, set, mapped := cty.List(cty.String), cty.Set(cty.String), cty.Map(cty.String)
	values := map[string]cty.Value{"unknown": cty.UnknownVal(cty.String), "secret": cty.StringVal("s").Mark(model.Sensitive)}
	for expression, want := range map[string]cty.Type{
		`tolist([for i in range(N) : "n${i}"])`:                          list,
		`toset([for i in range(N) : "n${i}"])`:                           set,
		`tomap({ for i in range(N) : "n${i}" => "v" })`:                  mapped,
		`distinct([for i in range(N) : "n${i}"])`:                        list,
		`sort([for i in range(N) : i])`:                                  list,
		`compact([for i in range(N) : "n"])`:                             list,
		`setunion([for i in range(N) : "n${i}"], ["x"])`:                 set,
		`join("", [for i in range(N) : i])`:                              cty.String,
		`tolist([for i in range(N) : i == 3 ? "x" : i])`:                 list,
		`tolist([for i in range(N) : i == 3 ? null : "x"])`:              list,
		`tolist([for i in range(N) : i == 3 ? unknown : "x"])`:           list,
		`tolist([for i in range(N) : i == 3 ? secret : "x"])`:            list,
		`tolist(concat([for i in range(N) : "x"], [1]))`:                 list,
		`tolist([for i in range(N) : { a = "x" }])`:                      cty.List(cty.Object(map[string]cty.Type{"a": cty.String})),
		`tolist([for i in range(N) : i == 3 ? ["x"] : []])[3]`:           list,
		`setproduct(toset([for i in range(N) : "n${i}"]), toset(["a"]))`: cty.Set(cty.Tuple([]cty.Type{cty.String, cty.String})),
	} {
		for _, n := range []int{10, 200} {
			text := fmt.Sprintf(`[for N in [%d] : %s][0]`, n, expression)
			v, err := evaluateIn(t, fstest.MapFS{}, text, values)
			if err != nil || !v.Type().Equals(want) {
				t.Errorf("%s for %d is of the type %#v, want %#v, error %v", expression, n, v.Type(), want, err)
			}
		}
	}
	for text, want := range map[string]string{
		`jsonencode(tolist(concat([for i in range(100) : "x"], [1, true, null])))`:         `1.*true.*null`,
		`join(",", sort(toset(concat([1.5, true], [for i in range(100) : "x${i}"]))))`:     `^1\.5,true,x0,`,
		`jsonencode(tomap(merge({ for i in range(100) : "k${i}" => i }, { a = "text" })))`: `"a":"text","k0":"0"`,
	} {
		v, err := evaluateIn(t, fstest.MapFS{}, text, nil)
		if err != nil || !regexp.MustCompile(want).MatchString(v.AsString()) {
			t.Errorf("%s is %#v, %v", text, v, err)
		}
	}
	for _, wrong := range []string{
		`tolist({ for i in range(N) : "n${i}" => "v" })`, `tomap([for i in range(N) : "v"])`, `toset(concat([for i in range(N) : "x"], [["x"]]))`,
		`tomap({ for i in range(N) : "n${i}" => [i, i == 3 ? {} : "x"] })`,
	} {
		var told []string
		for _, n := range []int{100, 10} {
			_, err := evaluateIn(t, fstest.MapFS{}, fmt.Sprintf(`[for N in [%3d] : %s][0]`, n, wrong), nil)
			told = append(told, fmt.Sprint(err))
		}
		if told[0] != told[1] || told[0] == "<nil>" {
			t.Errorf("%s is told as %q, when it is long as %q", wrong, told[0], told[1])
		}
	}
	v, err := evaluateIn(t, fstest.MapFS{}, `toset([for i in range(200) : sensitive("n${i}")])`, nil)
	if err != nil || !v.IsMarked() {
		t.Errorf("a set of what is sensitive is %#v, %v", v, err)
	}
}

// BenchmarkToSet makes a set of a long list, and one of half as many; x-half is what the whole costs in terms of
// the half.
func BenchmarkToSet(b *testing.B) {
	functions := conversionFunctions()
	e := expression(b, `toset([for s in all : "n${s}"])`)
	all := make([]cty.Value, 10_000)
	for i := range all {
		all[i] = cty.StringVal(fmt.Sprint(i))
	}
	spent := map[int]time.Duration{}
	for b.Loop() {
		for _, n := range []int{len(all) / 2, len(all)} {
			began := time.Now()
			values := map[string]cty.Value{"all": cty.ListVal(all[:n])}
			if v, faults := e.Value(config.NewContext(values, functions, config.NewBudget(config.DefaultCosts()))); len(faults) > 0 || v.LengthInt() != n {
				b.Fatal(v, faults)
			}
			spent[n] += time.Since(began)
		}
	}
	b.ReportMetric(float64(spent[len(all)])/float64(spent[len(all)/2]), "x-half")
}
