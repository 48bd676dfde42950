package openstack_test

import (
	"testing"

	"github.com/zclconf/go-cty/cty"
)

// TestALimitThatDiffersIsShownAlone: of a quota a difference shows the limits that are written. The others are nobody's change.
func TestALimitThatDiffersIsShownAlone(t *testing.T) {
	t.Parallel()
	l, targets := singles()["limits of Nova"].cloud(t, "a")
	tg := with(t, targets[0], values{"quota": cty.ObjectVal(map[string]cty.Value{"instances": number(6)})})
	states, err := l.Observe(t.Context(), append(targets[:0], tg))
	if err != nil {
		t.Fatal(err)
	}
	diff := l.Compare(tg, wantedOf(tg), states[tg.Address])
	if len(diff.Fields) != 1 || diff.Fields[0].Before != `{"instances":5}` || diff.Fields[0].After != `{"instances":6}` {
		t.Errorf("the differences are %+v", diff.Fields)
	}
}
