package resolve

import (
	"testing"
	"testing/fstest"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/model"
)

// TestAttemptsTellNoSecret has attempts fail, or not, by a value that is sensitive: what one can tell that by is
// sensitive, too. What does not depend on it is not.
func TestAttemptsTellNoSecret(t *testing.T) {
	secret := cty.StringVal("hunter2").Mark(model.Sensitive)
	values := map[string]cty.Value{
		"secret": secret,
		"object": cty.ObjectVal(map[string]cty.Value{
			"open": cty.StringVal("o"), "inner": cty.ObjectVal(map[string]cty.Value{"a": cty.StringVal("x")}).Mark(model.Sensitive),
			"list": cty.ListVal([]cty.Value{cty.StringVal("a"), secret}),
		}),
		"key":     cty.StringVal("open").Mark(model.Sensitive),
		"unknown": cty.UnknownVal(cty.String).Mark(model.Sensitive),
	}
	for expression, marked := range map[string]bool{
		`can(tonumber(secret))`:                          true,
		`can("${tonumber(secret)}")`:                     true,
		`can(secret + 1)`:                                true,
		`can(!secret)`:                                   true,
		`can(secret ? 1 : 2)`:                            true,
		`can({ hunter2 = 1 }[secret])`:                   true,
		`can({ hunter2 = { a = 1 } }[secret].b)`:         true,
		`can(object.inner.b)`:                            true,
		`can([object][0].inner.b)`:                       true,
		`can([for s in [1] : object.inner.b])`:           true,
		`can([for o in [object] : o.inner.b])`:           true,
		`can([object][*].inner.b)`:                       true,
		`can(tonumber(object.list[1]))`:                  true,
		`can(regex("^a", join("", object.list)))`:        true,
		`can(can(tonumber(secret)))`:                     true,
		`try(tonumber(secret), 5)`:                       true,
		`try(try(tonumber(secret)), 5)`:                  true,
		`try(tonumber("x"), tonumber(secret), 5)`:        true,
		`try({ a = 1 }[secret], 5)`:                      true,
		`try([1][secret], 5)`:                            true,
		`try(secret, 5)`:                                 true,
		`try(unknown, 5)`:                                true,
		`can(unknown)`:                                   true,
		`{ open = 1, other = 2 }[key]`:                   true,
		`[for k in ["open"] : { open = 1 }[key]][0]`:     true,
		`{ open = { a = 1 }, other = { a = 2 } }[key].a`: true,
		`[try(tonumber(secret), 5)][0]`:                  true,

		`can(object.inner)`:                                  false, // whether it is there is no secret
		`can([secret])`:                                      false,
		`can({ secret = 1 }.secret)`:                         false, // a bare name
		`can(secret)`:                                        false,
		`can(object.list[1])`:                                false,
		`can(tonumber("x"))`:                                 false,
		`try(object.nothing, 5)`:                             false,
		`try(tonumber("x"), 5)`:                              false,
		`try({ open = 1 }["open"], secret)`:                  false,
		`[try(object.nothing, 5), secret][0]`:                false,
		`{ open = 1 }[object.open == "o" ? "open" : "none"]`: false,
	} {
		v, err := evaluateIn(t, fstest.MapFS{}, expression, values)
		if err != nil || v.ContainsMarked() != marked {
			t.Errorf("%s = %#v, %v: want it sensitive: %t", expression, v, err, marked)
		}
	}
}
