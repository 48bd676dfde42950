package openstack_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// crowd is a cloud in which others have very many networks.
type crowd struct {
	*openstack.Driver
	mu    sync.Mutex
	asked []string // the filters of the lists of networks
	last  func()   // called at the last page of all
}

// theirs is how many networks others have there, and pagesOfTheirs how many pages that are.
const (
	theirs        = 50000
	pagesOfTheirs = theirs/1000 + 1
)

// newCrowd has these networks beside those of others.
func newCrowd(t *testing.T, own ...map[string]any) *crowd {
	t.Helper()
	networks := slices.Clone(own)
	for i := range theirs {
		networks = append(networks, map[string]any{"id": fmt.Sprintf("t%05d", i), "name": fmt.Sprintf("theirs-%d", i), "project_id": "p2", "description": "", "mtu": 1400})
	}
	slices.SortFunc(networks, func(a, b map[string]any) int { return strings.Compare(a["id"].(string), b["id"].(string)) })
	c := &crowd{}
	lists := listsOf(map[string][]map[string]any{"networks": networks})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v2.0/networks" {
			query := r.URL.Query()
			query.Del("limit")
			query.Del("marker")
			c.mu.Lock()
			c.asked = append(c.asked, strings.Join(slices.Sorted(maps.Keys(query)), " "))
			c.mu.Unlock()
			if c.last != nil && r.URL.Query().Get("marker") >= fmt.Sprintf("t%05d", theirs-2000) {
				c.last()
			}
		}
		lists.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	c.Driver = openstack.New(openstack.Options{Language: language(), Connect: func(context.Context) (openstack.Credentials, error) {
		return openstack.FromVariables(map[string]string{
			"OS_AUTH_URL": server.URL, "OS_REGION_NAME": "RegionOne", "OS_USERNAME": "ops", "OS_PASSWORD": "pretended", "OS_USER_DOMAIN_ID": "default", "OS_PROJECT_ID": "p1",
		}), nil
	}})
	t.Cleanup(c.Close)
	return c
}

// see returns what is seen of targets, and which lists that took.
func (c *crowd) see(t *testing.T, targets ...unit.Target) (states []unit.State, asked []string) {
	t.Helper()
	c.asked = nil
	all, err := c.Observe(t.Context(), slices.Clone(targets))
	if err != nil {
		t.Fatal(err)
	}
	for _, tg := range targets {
		states = append(states, all[tg.Address])
	}
	return states, c.asked
}

func aNetwork(id, name, description string) map[string]any {
	return map[string]any{"id": id, "name": name, "project_id": "p1", "description": description, "mtu": 1400}
}

// networkOnRecord is a network on record, with a mark by its label.
func networkOnRecord(t *testing.T, label, id string, written values) unit.Target {
	t.Helper()
	tg := target(t, "network", label, written)
	tg.ID, tg.Mark, tg.Fresh = id, "kupenstack:"+label, false
	return tg
}

// lookedUp is what a data block looks up by what is written.
func lookedUp(t *testing.T, kind string, by values) unit.Target {
	t.Helper()
	block := language().Resource(kind).DataBlock()
	want := map[string]cty.Value{}
	for name, inner := range block.DesiredType().AttributeTypes() {
		if want[name] = cty.NullVal(inner); by[name] != cty.NilVal {
			want[name] = by[name]
		}
	}
	tg := target(t, kind, "data", values{})
	tg.Spec, tg.Mark = &unit.Resource{Kind: kind, Lookup: true, Block: block, Desired: cty.ObjectVal(want)}, ""
	return tg
}

// What is seen is the same however it is asked for.
func TestFewOfMany(t *testing.T) {
	c := newCrowd(t,
		aNetwork("n1", "web", "[kupenstack:web]"),
		aNetwork("n2", "renamed by hand", "[kupenstack:db]"),
		aNetwork("n3", "unmarked", "no more"),
		aNetwork("n4", "double", "Front [kupenstack:double]"), aNetwork("n5", "another name", "Front [kupenstack:double]"),
		aNetwork("n6", "moved", "[kupenstack:moved]"),
		aNetwork("n7", "same", ""), aNetwork("n8", "same", ""),
		aNetwork("n9", "alone", ""),
		aNetwork("n91", "somebody", "[kupenstack:other]"),
	)
	few, whole := []string{"", "id", "description"}, slices.Repeat([]string{""}, pagesOfTheirs)
	gone := append(slices.Clone(few), whole...)
	named := networkOnRecord(t, "intent", "", values{"name": text("alone")})
	twice := networkOnRecord(t, "intent", "", values{"name": text("same")})
	foreign := networkOnRecord(t, "intent", "", values{"name": text("somebody")})
	lost := networkOnRecord(t, "web", "", values{})
	lost.Fresh = true
	removed := networkOnRecord(t, "db", "n2", values{})
	removed.Spec = nil
	imported := networkOnRecord(t, "intent", "", values{})
	imported.Import = "n9"
	for _, test := range []struct {
		name   string
		target unit.Target
		asked  []string
		says   func(st unit.State) bool
	}{
		{"as it was made", networkOnRecord(t, "web", "n1", values{}), few, func(st unit.State) bool { return st.ID == "n1" && st.Owned && st.Notice == "" }},
		{"renamed by hand", networkOnRecord(t, "db", "n2", values{}), few, func(st unit.State) bool { return st.ID == "n2" && st.Owned }},
		{"the mark is lost", networkOnRecord(t, "api", "n3", values{}), few, func(st unit.State) bool { return st.ID == "n3" && st.Owned && st.Mark == "" }},
		{"another one bears the mark", networkOnRecord(t, "double", "n4", values{"description": text("Front")}), few, func(st unit.State) bool {
			return st.ID == "n4" && strings.Contains(st.Notice, "another name (n5)")
		}},
		{"no more wanted", removed, few, func(st unit.State) bool { return st.ID == "n2" && st.Owned }},
		{"another id", networkOnRecord(t, "moved", "n0", values{}), gone, func(st unit.State) bool { return st.ID == "n6" && st.Owned }},
		{"deleted", networkOnRecord(t, "gone", "n0", values{}), gone, func(st unit.State) bool { return st.Gone() }},
		{"deleted, and somebody has one of that name", networkOnRecord(t, "gone", "n0", values{"name": text("alone")}), gone, func(st unit.State) bool { return st.Gone() }},
		{"deleted, and another mark is on one of that name", networkOnRecord(t, "gone", "n0", values{"name": text("somebody")}), gone, func(st unit.State) bool {
			return st.Gone() && len(st.Marked) == 1
		}},
		{"the record is lost", lost, whole, func(st unit.State) bool { return st.ID == "n1" && st.Owned }},
		{"to adopt", named, whole, func(st unit.State) bool { return st.ID == "n9" && !st.Owned }},
		{"two of one name", twice, whole, func(st unit.State) bool { return st.ID == "" && len(st.Candidates) == 2 }},
		{"one that bears another mark", foreign, whole, func(st unit.State) bool { return st.Gone() && len(st.Marked) == 1 }},
		{"to import", imported, whole, func(st unit.State) bool { return st.ID == "n9" && !st.Owned }},
		{"looked up by its name", lookedUp(t, "network", values{"name": text("alone")}), []string{"", "name"}, func(st unit.State) bool { return st.ID == "n9" }},
		{"looked up by its id", lookedUp(t, "network", values{"id": text("n9")}), []string{"", "id"}, func(st unit.State) bool { return st.ID == "n9" }},
		{"looked up, and there are two", lookedUp(t, "network", values{"name": text("same")}), []string{"", "name"}, func(st unit.State) bool { return len(st.Candidates) == 2 }},
		{"looked up, and there is none", lookedUp(t, "network", values{"name": text("nowhere")}), []string{"", "name"}, func(st unit.State) bool { return st.Gone() && st.Message != "" }},
		{"looked up by something else", lookedUp(t, "network", values{"shared": cty.True}), whole, func(st unit.State) bool { return st.Gone() }},
	} {
		t.Run(test.name, func(t *testing.T) {
			states, asked := c.see(t, test.target)
			if !slices.Equal(asked, test.asked) {
				t.Errorf("%d lists were asked for, with the filters %v; want %d", len(asked), slices.Compact(asked), len(test.asked))
			}
			if st := states[0]; !test.says(st) {
				t.Errorf("got the id %q, owned %v, of the candidates %v: %.300s", st.ID, st.Owned, st.Candidates[:min(3, len(st.Candidates))], st.Message)
			}
		})
	}
}

// Together they are asked for as one, and more of them than are few by the whole list.
func TestFewAndMany(t *testing.T) {
	var networks []map[string]any
	var targets []unit.Target
	for i := range 21 {
		label := fmt.Sprintf("n%02d", i)
		networks = append(networks, aNetwork(label, label, "[kupenstack:"+label+"]"))
		targets = append(targets, networkOnRecord(t, label, label, values{"description": text(strings.Repeat("long ", 40))}))
	}
	c := newCrowd(t, networks...)
	for n, most := range map[int]int{2: 3 + 1, 20: 1 + 1 + 4, 21: pagesOfTheirs} {
		states, asked := c.see(t, targets[:n]...)
		if len(asked) > most {
			t.Errorf("%d took %d lists: %v", n, len(asked), slices.Compact(asked))
		}
		for i, st := range states {
			if st.ID != targets[i].ID || !st.Owned {
				t.Errorf("got the id %q, owned %v", st.ID, st.Owned)
			}
		}
	}
	// Neither what is seen of one nor what is read of many grows with what others have.
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	for _, n := range []int{1, 21} {
		before, read := heap(), uint64(0)
		c.last = func() { read = max(read, heap()) }
		states, asked := c.see(t, targets[:n]...)
		c.last = nil
		if n > 20 && read == 0 {
			t.Errorf("the last page was not asked for: %d lists", len(asked))
		}
		if after := max(read, heap()); after > before+8<<20 {
			t.Errorf("what is seen of %d takes %d MiB", n, (after-before)>>20)
		}
		runtime.KeepAlive(states)
	}
}
