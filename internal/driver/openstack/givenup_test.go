package openstack_test

import (
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestGivenUpForAnother: the record of an attempt to create what another object has the name of is given up while its block
// is there still, as that is moved to its address. Nothing is sent for that, and a request that may be under way is waited for.
func TestGivenUpForAnother(t *testing.T) {
	t.Parallel()
	answers := whole()
	answers["/v3/projects"] = listed("projects", map[string]any{
		"id": idOf("a7"), "name": "shop", "domain_id": "default", "enabled": true, "tags": []any{"kupenstack:another"}, "description": "", "options": map[string]any{},
	})
	for _, test := range []struct {
		name   string
		settle time.Duration
		gone   bool
	}{
		{"nothing can come of it", time.Nanosecond, true},
		{"something may", time.Hour, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := answeringTo(t, "u1", answers, func(o *openstack.Options) { o.Settle = test.settle })
			tg := target(t, "project", "new", values{"name": text("shop")})
			tg.Mark, tg.UID, tg.Attempted, tg.Fresh = "kupenstack:mine", "u7", true, false
			states, err := d.Observe(t.Context(), []unit.Target{tg})
			if err != nil || !states[tg.Address].Gone() {
				t.Fatalf("%+v, %v", states, err)
			}
			after, err := d.Delete(t.Context(), tg, unit.State{Existence: unit.Absent})
			if (err == nil) != test.gone || test.gone && !after.Gone() {
				t.Errorf("%+v, %v", after, err)
			}
		})
	}
}
