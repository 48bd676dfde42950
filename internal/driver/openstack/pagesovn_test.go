package openstack_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestEmulatedPages has routers as Neutron lists them with the plugin of OVN, which knows no pages: behind a marker that is
// gone it answers with an empty page (neutron/api/api_common.py: PaginationEmulatedHelper).
func TestEmulatedPages(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		routers, limit int
		gone           []int // deleted after the first page
		absent         bool  // the last of them
		ends           string
		asked          int
	}{
		"nothing is deleted":             {routers: 5, limit: 2, asked: 3},
		"one is":                         {routers: 5, limit: 2, gone: []int{1}, asked: 4},
		"a whole page is":                {routers: 5, limit: 2, gone: []int{0, 1}, asked: 5},
		"all are":                        {routers: 4, limit: 2, gone: []int{0, 1, 2, 3}, absent: true, asked: 4},
		"more than a list knows of":      {routers: 90, limit: 40, gone: upTo(8, 40), ends: "is gone", asked: 33},
		"no page is the last":            {routers: 6, limit: 2, asked: 5},
		"one page alone":                 {routers: 2, limit: 2, asked: 3},
		"one page alone, and one is":     {routers: 3, limit: 3, gone: []int{1}, asked: 4},
		"pages of one":                   {routers: 3, limit: 1, asked: 5},
		"pages of one, and the first is": {routers: 3, limit: 1, gone: []int{0}, asked: 6},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ids := upTo(0, test.routers)
			asked, mark := 0, fmt.Sprint("r", test.routers-1)
			d := answering(t, map[string]func(*http.Request) any{"/v2.0/ports": listed("ports"), "/v2.0/routers": func(r *http.Request) any {
				if asked++; asked == 2 {
					ids = slices.DeleteFunc(ids, func(id int) bool { return slices.Contains(test.gone, id) })
				}
				from := 0
				if marker := r.URL.Query().Get("marker"); marker != "" {
					from = slices.IndexFunc(ids, func(id int) bool { return fmt.Sprint("r", id) == marker }) + 1
					if from == 0 {
						return map[string]any{"routers": []any{}}
					}
				}
				routers := []any{}
				for _, n := range ids[from:min(from+test.limit, len(ids))] {
					id := fmt.Sprint("r", n)
					routers = append(routers, map[string]any{"id": id, "name": id, "project_id": "p1", "description": "[kupenstack:" + id + "]"})
				}
				answer := map[string]any{"routers": routers}
				if len(routers) == test.limit {
					last := fmt.Sprint("r", ids[from+test.limit-1])
					answer["routers_links"] = []any{map[string]any{"rel": "next", "href": "http://inside.invalid:9696/v2.0/routers?limit=2&marker=" + last}}
				}
				return answer
			}})
			last := target(t, "router", "last", values{})
			last.Mark = "kupenstack:" + mark
			states, err := d.Observe(t.Context(), []unit.Target{last})
			st := states[last.Address]
			switch {
			case asked != test.asked:
				t.Errorf("%d requests, want %d: %+v, %v", asked, test.asked, st, err)
			case test.ends != "":
				if err == nil || !strings.Contains(err.Error(), test.ends) || st.Existence != unit.Unknown {
					t.Errorf("got %+v, %v", st, err)
				}
			case err != nil || st.Gone() != test.absent || !test.absent && st.ID != mark:
				t.Errorf("got %+v, %v", st, err)
			}
		})
	}
}

// upTo are the numbers from one up to another, which is not among them.
func upTo(from, end int) (numbers []int) {
	for n := from; n < end; n++ {
		numbers = append(numbers, n)
	}
	return numbers
}
