package openstack_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestImportedInstancesThatTakeNoMark: an instance that is put away, rescued, resized by somebody or broken takes no metadata. It is
// imported all the same, by its record, and no pass waits for what only people end. It gets the mark once it takes one, and until then
// it is not deleted.
func TestImportedInstancesThatTakeNoMark(t *testing.T) {
	t.Parallel()
	for status, health := range map[string]unit.Health{
		"SHELVED": unit.HealthReady, "SHELVED_OFFLOADED": unit.HealthReady, "RESCUE": unit.HealthReady, "VERIFY_RESIZE": unit.HealthReady, "ERROR": unit.HealthFailed,
	} {
		t.Run(status, func(t *testing.T) {
			t.Parallel()
			server := map[string]any{"id": "s1", "name": "web", "tenant_id": "p1", "status": status, "metadata": map[string]any{}, "fault": map[string]any{"message": "No disk."}}
			marked, deleted := false, false
			d := answering(t, map[string]func(*http.Request) any{
				"/v2.1/servers/detail": func(r *http.Request) any { return listed("servers", server)(r) },
				"/v2.1/servers/s1":     func(*http.Request) any { return map[string]any{"server": server} },
				"/v2.0/ports":          listed("ports"),
				"POST /v2.1/servers/s1/metadata": func(*http.Request) any {
					if server["status"] != "ACTIVE" {
						return http.StatusConflict
					}
					marked, server["metadata"] = true, map[string]any{"kupenstack_mark": "kupenstack:web"}
					return map[string]any{"metadata": server["metadata"]}
				},
				"DELETE /v2.1/servers/s1": func(*http.Request) any { deleted = true; return http.StatusNoContent },
			})
			tg := target(t, "instance", "web", values{})
			tg.Mark, tg.Import = "kupenstack:web", "s1"
			st := see(t, d, tg)
			if diff := d.Compare(tg, wantedOf(tg), st); diff.Action != unit.ActionAdopt || diff.Waits {
				t.Fatalf("to import it: %+v", diff)
			}
			st, err := d.Apply(t.Context(), tg, wantedOf(tg), st)
			if err != nil || st.Health != health || marked {
				t.Fatalf("imported: %+v, %v", st, err)
			}
			tg.ID, tg.Fresh, tg.Import, tg.Imported = "s1", false, "", true
			if diff := d.Compare(tg, wantedOf(tg), see(t, d, tg)); diff.Action != unit.ActionNone || diff.Waits {
				t.Errorf("on record: %+v", diff)
			}
			if _, err := d.Delete(t.Context(), tg, see(t, d, tg)); !unit.IsBlocked(err) || !strings.Contains(err.Error(), "it is in the state "+status+", in which Nova takes no mark of ours; keep its block until") || deleted {
				t.Errorf("taken out: %v", err)
			}
			server["status"] = "ACTIVE"
			st = see(t, d, tg)
			if diff := d.Compare(tg, wantedOf(tg), st); diff.Action != unit.ActionUpdate || diff.Reason != "our mark is missing" {
				t.Errorf("it takes one: %+v", diff)
			}
			if _, err := d.Apply(t.Context(), tg, wantedOf(tg), st); err != nil || !marked {
				t.Errorf("marked: %t, %v", marked, err)
			}
		})
	}
}

// TestWhatSomebodyElseHasResized: a change of an instance that somebody else has resized waits for that person, which no pass does.
func TestWhatSomebodyElseHasResized(t *testing.T) {
	t.Parallel()
	server := map[string]any{"id": "s1", "name": "web", "tenant_id": "p1", "status": "VERIFY_RESIZE", "metadata": map[string]any{"kupenstack_mark": "kupenstack:web"}}
	d := answering(t, map[string]func(*http.Request) any{"/v2.1/servers/detail": listed("servers", server), "/v2.0/ports": listed("ports")})
	tg := target(t, "instance", "web", values{"name": text("shop")})
	tg.Mark, tg.ID, tg.Fresh = "kupenstack:web", "s1", false
	diff := d.Compare(tg, wantedOf(tg), see(t, d, tg))
	if diff.Action != unit.ActionBlocked || diff.Waits || !diff.Differs || !strings.Contains(diff.Reason, "somebody else has resized it, and has to confirm or to revert that; it takes the change once that is over") {
		t.Errorf("got %+v", diff)
	}
}

func see(t *testing.T, d *openstack.Driver, tg unit.Target) unit.State {
	t.Helper()
	states, err := d.Observe(t.Context(), []unit.Target{tg})
	if err != nil {
		t.Fatal(err)
	}
	return states[tg.Address]
}

// TestImportedInstancesThatHaveFailed: what Nova refuses of an instance that has failed is not tried, as that would be refused for
// good: it is said why it cannot be imported as it is written.
func TestImportedInstancesThatHaveFailed(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		written values
		action  unit.Action
		says    string
	}{
		"as it is":         {values{"metadata": cty.MapVal(map[string]cty.Value{"role": text("web")})}, unit.ActionAdopt, "is the object to import"},
		"other metadata":   {values{"metadata": cty.MapVal(map[string]cty.Value{"role": text("db")})}, unit.ActionBlocked, "web (s1) is not taken over while it differs: Nova changes no metadata of an instance in the state ERROR (No disk.); write in the block what it has"},
		"a tag besides":    {values{"tags": cty.SetVal([]cty.Value{text("shop")})}, unit.ActionBlocked, "Nova changes no tags"},
		"another name":     {values{"name": text("shop")}, unit.ActionAdopt, "is the object to import"},
		"a name and a tag": {values{"name": text("shop"), "tags": cty.SetVal([]cty.Value{text("shop")})}, unit.ActionBlocked, "Nova changes no tags"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := map[string]any{
				"id": "s1", "name": "web", "tenant_id": "p1", "status": "ERROR", "metadata": map[string]any{"role": "web"}, "tags": []any{}, "fault": map[string]any{"message": "No disk."},
			}
			d := answering(t, map[string]func(*http.Request) any{
				"/v2.1/servers/detail": listed("servers", server), "/v2.1/servers/s1": func(*http.Request) any { return map[string]any{"server": server} }, "/v2.0/ports": listed("ports"),
			})
			tg := target(t, "instance", "web", test.written)
			tg.Mark, tg.Import = "kupenstack:web", "s1"
			st := see(t, d, tg)
			diff := d.Compare(tg, wantedOf(tg), st)
			if diff.Action != test.action || !strings.Contains(diff.Reason, test.says) {
				t.Errorf("got %+v", diff)
			}
			if diff.Action == unit.ActionBlocked {
				if _, err := d.Apply(t.Context(), tg, wantedOf(tg), st); !unit.IsBlocked(err) {
					t.Errorf("it was tried: %v", err)
				}
			}
		})
	}
}
