package config_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"

	"github.com/kupenstack/kupenstack-sync/internal/config"
)

var errRefused = errors.New("refused")

// refusing takes one argument and refuses it.
func refusing() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "x", Type: cty.DynamicPseudoType}},
		Type:   function.StaticReturnType(cty.String),
		Impl:   func([]cty.Value, cty.Type) (cty.Value, error) { return cty.NilVal, errRefused },
	})
}

// firstFault evaluates an expression and returns the first thing that goes wrong.
func firstFault(t *testing.T, text string) config.Fault {
	t.Helper()
	budget := config.NewBudget(config.DefaultCosts())
	template, err := config.ParseTemplate([]byte("${"+text+"}"), "t.tpl", config.DefaultLimits(), budget)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	values := map[string]cty.Value{"null_object": cty.NullVal(cty.EmptyObject), "object": cty.ObjectVal(map[string]cty.Value{"a": cty.MapVal(map[string]cty.Value{"b": cty.True})})}
	_, faults := template.Expr.Value(config.NewContext(values, map[string]function.Function{"refuse": refusing()}, budget))
	if len(faults) == 0 {
		t.Fatalf("%s can be evaluated", text)
	}
	return faults[0]
}

// TestFailures knows what went wrong by the words that the library has for it.
func TestFailures(t *testing.T) {
	for text, want := range map[string]config.Failure{
		`refuse(1)`:                          config.FailureCall,
		`[] + 1`:                             config.FailureOperand,
		`null + 1`:                           config.FailureOperand,
		`"a ${[]}"`:                          config.FailureInText,
		`true ? { a = 1 } : "x"`:             config.FailureResults,
		`"x" ? 1 : 2`:                        config.FailureCondition,
		`object.c`:                           config.FailureAttribute,
		`object.a["c"]`:                      config.FailureIndex,
		`object.a[null]`:                     config.FailureIndex,
		`{ (null) = 1 }`:                     config.FailureNullKey,
		`{ for x in [1] : null => x }`:       config.FailureForKey,
		`null_object.a`:                      config.FailureInNull,
		`null_object["a"]`:                   config.FailureInNull,
		`[for x in null_object : x]`:         config.FailureOverNull,
		`{ for x in [1] : refuse(x) => x }`:  config.FailureCall,
		`missing("x")`:                       config.FailureOther,
		`refuse()`:                           config.FailureOther,
		`{ for x in [1, 1] : "same" => "x"}`: config.FailureTwice,
	} {
		if f := firstFault(t, text); f.Failure() != want {
			t.Errorf("%s fails with %d, want %d: %v", text, f.Failure(), want, f)
		}
	}
	e, err := config.ParseValue(`upper("x")`, config.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	if _, faults := e.Value(config.NewContext(nil, nil, config.NewBudget(config.DefaultCosts()))); len(faults) != 1 || faults[0].Failure() != config.FailureNoCalls {
		t.Errorf("without functions: %v", faults)
	}
}

func TestFaultsOfCalls(t *testing.T) {
	f := firstFault(t, `refuse( 1)`)
	if name, refused := f.Function(); name != "refuse" || !errors.Is(refused, errRefused) {
		t.Errorf("the function is %q, and it returned %v", name, refused)
	}
	if where, is := f.Argument(0); !is || where.File != "t.tpl" || where.Start.Byte != len(`${refuse( `) {
		t.Errorf("the argument is at %v, %v", where, is)
	}
	if _, is := f.Argument(1); is {
		t.Error("there is no second argument")
	}
	f = firstFault(t, `refuse()`)
	if name, refused := f.Function(); name != "refuse" || refused != nil || !f.SaysNothing() {
		t.Errorf("too few arguments: the function is %q, and it returned %v", name, refused)
	}
	f = firstFault(t, `core::refuse(1)`)
	if name, is := f.UnknownFunction(); !is || name != "core::refuse" {
		t.Errorf("the unknown function is %q, %v", name, is)
	}
	if text := f.Error(); !strings.Contains(text, `t.tpl:1`) || !strings.Contains(text, `"core::refuse"`) || strings.Contains(text, "mean") {
		t.Errorf("said: %s", text)
	}
	if name, _ := f.Function(); name != "" {
		t.Errorf("%q refused what there is no function for", name)
	}
}

func TestLacking(t *testing.T) {
	for text, want := range map[string]string{`object.c`: "c", `object.a["c"]`: "c", `(object).c`: "c", `object[1]`: ""} {
		if in, name, is := firstFault(t, text).Lacking(); !is || name != want || in == cty.NilVal {
			t.Errorf("%s lacks %q in %#v, %v", text, name, in, is)
		}
	}
	if _, _, is := firstFault(t, `refuse(1)`).Lacking(); is {
		t.Error("a call lacks nothing")
	}
}
