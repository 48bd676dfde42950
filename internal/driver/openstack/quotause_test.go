package openstack_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestQuotasInUse: each service is asked once for each project, for what somebody wants to know, and what it does not tell
// is not known. One that does not answer costs at most what is asked of it at the same time.
func TestQuotasInUse(t *testing.T) {
	t.Parallel()
	two := map[string][]string{"a": {"cores", "networks", "volumes"}, "b": {"cores"}}
	a := []string{"/v2.0/quotas/a/details.json", "/v2.1/os-quota-sets/a/detail", "/volume/v3/os-quota-sets/a"}
	both := []string{a[0], a[1], "/v2.1/os-quota-sets/b/detail", a[2]}
	for name, c := range map[string]struct {
		limits map[string][]string
		status map[string]int
		asked  []string
		known  int
		why    string
	}{
		"all":             {two, nil, both, 4, ""},
		"no right":        {two, map[string]int{both[1]: http.StatusForbidden}, both, 3, "the quotas of 1 of 2 projects could not be read"},
		"no quotas":       {two, map[string]int{both[0]: http.StatusNotFound}, both, 3, ""},
		"does not answer": {map[string][]string{"a": two["a"]}, map[string]int{a[1]: http.StatusServiceUnavailable}, a, 2, "the quotas of 1 of 1 projects could not be read, such as: the compute service answered 503"},
		"nothing":         {nil, nil, nil, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLimiter(t)
			l.status = c.status
			got, err := l.Quotas(t.Context(), c.limits)
			known := 0
			for _, limits := range got {
				for limit, q := range limits {
					if known++; q != (unit.Quota{Limit: 4, Used: 3}) {
						t.Errorf("%s: %+v", limit, q)
					}
				}
			}
			if known != c.known || (err == nil) != (c.why == "") || err != nil && !strings.Contains(err.Error(), c.why) {
				t.Errorf("%v, %v", got, err)
			}
			slices.Sort(l.asked)
			if l.asked = slices.Compact(l.asked); !slices.Equal(l.asked, c.asked) { // what gives no answer is asked again
				t.Errorf("asked: %q", l.asked)
			}
		})
	}
}

// TestQuotasOfAMember: who is no administrator asks for the quota of a project in that project.
func TestQuotasOfAMember(t *testing.T) {
	t.Parallel()
	for role, tokens := range map[string]map[string]string{
		"member": {"p1": tokenOf("p1"), "p2": tokenOf("p2")},
		"admin":  {"p1": tokenOf("p1"), "p2": tokenOf("p1")},
	} {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			answers, limits := map[string]func(*http.Request) any{}, map[string][]string{}
			for project, token := range tokens {
				limits[project] = []string{"cores"}
				answers["/v2.1/os-quota-sets/"+project+"/detail"] = func(r *http.Request) any {
					if r.Header.Get("X-Auth-Token") != token {
						return http.StatusForbidden
					}
					return map[string]any{"quota_set": map[string]any{"cores": map[string]any{"limit": 4, "in_use": 3, "reserved": 0}}}
				}
			}
			got, err := answering(t, answers, role).Quotas(t.Context(), limits)
			for project := range tokens {
				if err != nil || got[project]["cores"] != (unit.Quota{Limit: 4, Used: 3}) {
					t.Errorf("%v, %v", got, err)
				}
			}
		})
	}
}

// What is not wanted any more tells how large it is, so that a plan knows how much room there is once it is gone.
func TestDepartedTellsItsSize(t *testing.T) {
	t.Parallel()
	gone := target(t, "volume", "data", values{})
	gone.Spec, gone.Fresh, gone.ID, gone.Locator.Project = nil, false, "v1", "p1"
	d := answering(t, map[string]func(*http.Request) any{
		"/v3/p1": func(*http.Request) any { return http.StatusOK },
		"/v3/p1/volumes/detail": listed("volumes", map[string]any{
			"id": "v1", "name": "data", "status": "available", "size": 7, "os-vol-tenant-attr:tenant_id": "p1", "metadata": map[string]any{},
		}),
	}, "admin")
	states, err := d.Observe(t.Context(), []unit.Target{gone})
	st := states[gone.Address]
	if err != nil || st.Existence != unit.Present || st.Project != "p1" || st.Outputs == cty.NilVal {
		t.Fatalf("%+v, %v", st, err)
	}
	if size := st.Outputs.GetAttr("size"); !size.RawEquals(cty.NumberIntVal(7)) {
		t.Errorf("%#v", size)
	}
}

// TestQuotasOfAServiceThatIsDown: it is not asked for every project, all of these count as not known, and the other services tell
// theirs.
func TestQuotasOfAServiceThatIsDown(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusInternalServerError, http.StatusServiceUnavailable} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			t.Parallel()
			l := newLimiter(t)
			limits := map[string][]string{"only networks": {"networks"}}
			for i := range 20 {
				id := fmt.Sprint("p", i)
				limits[id] = []string{"cores", "networks"}
				l.status["/v2.1/os-quota-sets/"+id+"/detail"] = status
			}
			got, err := l.Quotas(t.Context(), limits)
			if want := "the quotas of 20 of 21 projects could not be read"; err == nil || !strings.Contains(err.Error(), want) {
				t.Error(err)
			}
			if len(got) != 21 {
				t.Errorf("known of %d projects", len(got))
			}
			asked := map[string]bool{}
			for _, path := range l.asked {
				if strings.HasPrefix(path, "/v2.1/") {
					asked[path] = true
				}
			}
			if len(asked) == 0 || len(asked) > 8 {
				t.Errorf("asked for %d projects", len(asked))
			}
		})
	}
}
