package openstack_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// partedRoles is a Keystone with a role of one name in the whole cloud and in two domains, and one of ours in the second. It
// counts what it is asked for.
type partedRoles struct {
	asked   []string
	failed  string // the domain of which the list fails
	refused string // the list that our user may not see, "domains" or of which domain
}

func (c *partedRoles) driver(t *testing.T) *openstack.Driver {
	t.Helper()
	type object = map[string]any
	clerk := func(id, domain string) object { return object{"id": id, "name": "clerk", "domain_id": domain} }
	in := map[string][]object{
		"":   {{"id": idOf("1"), "name": "clerk", "domain_id": nil}},
		"d1": {clerk(idOf("2"), "d1")},
		"d2": {clerk(idOf("3"), "d2"), {"id": idOf("4"), "name": "ours", "domain_id": "d2", "description": "[kupenstack:mark]"}},
	}
	list := func(r *http.Request) any {
		domain := r.URL.Query().Get("domain_id")
		c.asked = append(c.asked, "roles "+domain)
		if domain != "" && domain == c.failed {
			return http.StatusTeapot
		}
		if domain != "" && domain == c.refused {
			return http.StatusForbidden
		}
		return object{"roles": append([]object{}, in[domain]...)}
	}
	answers := map[string]func(*http.Request) any{
		"/v3/roles": list,
		"/v3/domains": func(*http.Request) any {
			c.asked = append(c.asked, "domains")
			if c.refused == "domains" {
				return http.StatusForbidden
			}
			return object{"domains": []object{{"id": "d1", "name": "one"}, {"id": "d2", "name": "two"}}}
		},
	}
	for domain, roles := range in {
		for _, role := range roles {
			id := role["id"].(string)
			answers["/v3/roles/"+id] = func(*http.Request) any {
				c.asked = append(c.asked, "role "+id)
				return object{"role": in[domain][slices.IndexFunc(in[domain], func(o object) bool { return o["id"] == id })]}
			}
		}
	}
	return answering(t, answers)
}

// TestRolesOfDomains: a role is found where it is written to be, and nowhere else, and no list is asked for but of the
// domains that are written.
func TestRolesOfDomains(t *testing.T) {
	t.Parallel()
	block := func(name string, written values, change ...func(*unit.Target)) unit.Target {
		tg := target(t, "role", name, written)
		tg.Mark, tg.Fresh = "kupenstack:mark", true
		for _, c := range change {
			c(&tg)
		}
		return tg
	}
	gone := func(tg *unit.Target) { tg.Spec, tg.Fresh = nil, false }
	for name, test := range map[string]struct {
		target unit.Target
		id     string // of what is found
		owned  bool
		asked  []string
	}{
		"of the whole cloud":                         {block("clerk", values{}), idOf("1"), false, []string{"roles "}},
		"of a domain":                                {block("clerk", values{"domain": text("d2")}, func(tg *unit.Target) { tg.Mark = "kupenstack:another" }), idOf("3"), false, []string{"roles ", "roles d2"}},
		"nothing is on record of ours":               {block("renamed", values{"domain": text("d2")}), idOf("4"), true, []string{"roles ", "roles d2"}},
		"in another domain":                          {block("clerk", values{"domain": text("d3")}), "", false, []string{"roles ", "roles d3"}},
		"to be imported":                             {block("any", values{"domain": text("d1")}, func(tg *unit.Target) { tg.Import = idOf("2") }), idOf("2"), false, []string{"roles ", "roles d1"}},
		"an attempt in another domain":               {block("ours", values{"domain": text("d1")}, func(tg *unit.Target) { tg.Fresh, tg.Attempted = false, true }), idOf("4"), true, []string{"roles ", "domains", "roles d1", "roles d2"}},
		"an attempt before the domain was taken out": {block("ours", values{}, func(tg *unit.Target) { tg.Fresh, tg.Attempted = false, true }), idOf("4"), true, []string{"roles ", "domains", "roles d1", "roles d2"}},
		"an attempt of what is not wanted":           {block("ours", values{}, gone, func(tg *unit.Target) { tg.Attempted = true }), idOf("4"), true, []string{"roles ", "domains", "roles d1", "roles d2"}},
		"on record and not wanted": {block("ours", values{}, gone, func(tg *unit.Target) {
			tg.ID, tg.Outputs = idOf("4"), cty.ObjectVal(map[string]cty.Value{"domain": text("d2")})
		}), idOf("4"), true, []string{"roles ", "roles d2"}},
		"looked up in the whole cloud": {lookedUp(t, "role", values{"name": text("clerk")}), idOf("1"), false, []string{"roles "}},
		"looked up in a domain":        {lookedUp(t, "role", values{"name": text("clerk"), "domain": text("d1")}), idOf("2"), false, []string{"roles ", "roles d1"}},
		"looked up by its id":          {lookedUp(t, "role", values{"id": text(idOf("2"))}), idOf("2"), false, []string{"roles ", "role " + idOf("2")}},
		"looked up by an id of all":    {lookedUp(t, "role", values{"id": text(idOf("1"))}), idOf("1"), false, []string{"roles "}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cloud := &partedRoles{}
			states, err := cloud.driver(t).Observe(t.Context(), []unit.Target{test.target})
			if st := states[test.target.Address]; err != nil || st.ID != test.id || st.Owned != test.owned {
				t.Errorf("%+v, %v", st, err)
			}
			slices.Sort(cloud.asked[1:])
			slices.Sort(test.asked[1:])
			if !slices.Equal(cloud.asked, test.asked) {
				t.Errorf("asked for %q, want %q", cloud.asked, test.asked)
			}
		})
	}
}

// TestRolesOfADomainThatCannotBeListed are unknown, as are those of the same kind: they are absent nowhere.
func TestRolesOfADomainThatCannotBeListed(t *testing.T) {
	t.Parallel()
	cloud := &partedRoles{failed: "d1"}
	tg := target(t, "role", "clerk", values{"domain": text("d1")})
	states, err := cloud.driver(t).Observe(t.Context(), []unit.Target{tg})
	if st := states[tg.Address]; err == nil || st.Existence != unit.Unknown {
		t.Errorf("%+v, %v", st, err)
	}
}

// TestRolesWhoseBlockNamesNoDomain are blocked where they are in one, as they would not be found there again, but made a
// second time.
func TestRolesWhoseBlockNamesNoDomain(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		written values
		change  func(*unit.Target)
		want    unit.Action
	}{
		"taken out":              {values{}, func(tg *unit.Target) { tg.ID, tg.Fresh = idOf("4"), false }, unit.ActionBlocked},
		"taken out, attempted":   {values{}, func(tg *unit.Target) { tg.Fresh, tg.Attempted = false, true }, unit.ActionBlocked},
		"imported":               {values{}, func(tg *unit.Target) { tg.Import = idOf("3") }, unit.ActionBlocked},
		"written":                {values{"domain": text("d2")}, func(tg *unit.Target) { tg.ID, tg.Fresh = idOf("4"), false }, unit.ActionNone},
		"one of the whole cloud": {values{"name": text("clerk")}, func(tg *unit.Target) { tg.Import = idOf("1") }, unit.ActionAdopt},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := (&partedRoles{}).driver(t)
			tg := target(t, "role", "ours", test.written)
			tg.Mark, tg.Fresh = "kupenstack:mark", true
			test.change(&tg)
			states, err := d.Observe(t.Context(), []unit.Target{tg})
			diff := d.Compare(tg, wantedOf(tg), states[tg.Address])
			if err != nil || diff.Action != test.want || (test.want == unit.ActionBlocked) != strings.Contains(diff.Reason, `write domain = "d2"`) {
				t.Errorf("got %+v of %+v, %v", diff, states[tg.Address], err)
			}
		})
	}
}

// TestRolesOfDomainsThatMayNotBeListed: what an attempt left there is unknown, and who lists what is there goes on with the
// rest.
func TestRolesOfDomainsThatMayNotBeListed(t *testing.T) {
	t.Parallel()
	for _, refused := range []string{"domains", "d2"} {
		t.Run(refused, func(t *testing.T) {
			t.Parallel()
			d := (&partedRoles{refused: refused}).driver(t)
			tg := target(t, "role", "ours", values{})
			tg.Spec, tg.Mark, tg.Fresh, tg.Attempted = nil, "kupenstack:mark", false, true
			states, err := d.Observe(t.Context(), []unit.Target{tg})
			if st := states[tg.Address]; err == nil || !strings.Contains(err.Error(), "403") || st.Existence != unit.Unknown {
				t.Errorf("%+v, %v", st, err)
			}
			live, without, err := d.Live(t.Context(), []string{"role"})
			if err != nil || len(without) > 0 || !slices.ContainsFunc(live, func(o unit.Live) bool { return o.ID == idOf("1") }) {
				t.Errorf("%+v without %q, %v", live, without, err)
			}
		})
	}
}
