package openstack_test

import (
	"net/http"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// What is adopted and differs in nothing is not written: some of it may be what a service takes once.
func TestAdoptionOfWhatIsTheSame(t *testing.T) {
	type object = map[string]any
	writes := 0
	scope := object{"id": idOf("1"), "name": "inner", "project_id": "p1", "ip_version": 4, "shared": false}
	d := answering(t, map[string]func(*http.Request) any{
		"/v2.0/address-scopes":                  listed("address_scopes", scope),
		"/v2.0/address-scopes/" + idOf("1"):     func(*http.Request) any { return object{"address_scope": scope} },
		"PUT /v2.0/address-scopes/" + idOf("1"): func(*http.Request) any { writes++; return http.StatusBadRequest },
	})
	tg := target(t, "address_scope", "inner", values{"ip_version": number(4)})
	tg.Fresh = true
	states, err := d.Observe(t.Context(), []unit.Target{tg})
	if err != nil {
		t.Fatal(err)
	}
	if diff := d.Compare(tg, wantedOf(tg), states[tg.Address]); diff.Action != unit.ActionAdopt {
		t.Fatalf("the diff is %+v", diff)
	}
	st, err := d.Apply(t.Context(), tg, wantedOf(tg), states[tg.Address])
	if err != nil || !st.Owned || st.ID != idOf("1") || writes != 0 {
		t.Errorf("%v, ours %t, id %q, written %d times", err, st.Owned, st.ID, writes)
	}
}
