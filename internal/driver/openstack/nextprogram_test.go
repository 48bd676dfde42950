package openstack_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// program is what reads files, plans, deploys, explains and exports, all with one language, which has kinds besides those
// of the tree. Each of its passes is one of a new process.
type program struct {
	*installation
	t        *testing.T
	language *schema.Definition
}

func newProgram(t *testing.T) *program {
	t.Helper()
	p := &program{installation: newInstallation(t, "next"), t: t, language: schema.New(openstack.NextBlocks()...)}
	p.options.Language = p.language
	t.Cleanup(p.clear)
	return p
}

// clear deletes what is left of its own.
func (p *program) clear() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for _, at := range [][3]string{{"network", "v2.0/security-groups", "security_groups"}, {"network", "v2.0/address-groups", "address_groups"}, {"identity", "projects", "projects"}} {
		answer, err := ask(ctx, p.t, at[0], http.MethodGet, at[1], nil)
		if err != nil {
			p.t.Error(err)
		}
		all, _ := answer[at[2]].([]any)
		for _, raw := range all {
			if o, _ := raw.(map[string]any); strings.HasPrefix(fmt.Sprint(o["name"]), p.prefix) {
				if _, err := ask(ctx, p.t, at[0], http.MethodDelete, at[1]+"/"+fmt.Sprint(o["id"]), nil); err != nil {
					p.t.Error(err)
				}
			}
		}
	}
}

// read reads a configuration, in which PREFIX stands for what the names of all that is its own begin with.
func (p *program) read(hcl string) (*revision.Loaded, string) {
	p.t.Helper()
	hcl = strings.ReplaceAll("cloud \"lab\" {\n  openstack {\n    cloud = \"lab\"\n  }\n}\n"+hcl, "PREFIX", p.prefix)
	loaded, found := revision.Load(rand.Text(), fstest.MapFS{"main.hcl": {Data: []byte(hcl)}}, ".", revision.Options{Language: p.language})
	return loaded, found.Text(false)
}

// wanted is what a configuration without mistakes wants.
func (p *program) wanted(hcl string) *engine.Revision {
	p.t.Helper()
	loaded, said := p.read(hcl)
	if loaded == nil {
		p.t.Fatal(said)
	}
	wanted, diags := loaded.Compose(compose.Facts{})
	if wanted == nil {
		p.t.Fatal(diags)
	}
	return wanted
}

// process calls what works with an engine of a new process.
func (p *program) process(do func(*engine.Engine, *inventory.Inventory)) {
	p.t.Helper()
	kept, err := inventory.Open(p.t.Context(), p.store)
	if err != nil {
		p.t.Fatal(err)
	}
	options := p.options
	options.Grants = kept
	d := openstack.NewWithNext(options)
	defer d.Close()
	do(engine.New(engine.Options{
		Language: p.language, Drivers: map[unit.DriverName]engine.Driver{unit.OpenStack: d}, Inventory: kept, Marker: p.marker,
	}), kept)
}

// plans expects of a plan that it has these changes: an address, an action, and the attributes.
func (p *program) plans(hcl string, want ...string) {
	p.t.Helper()
	p.process(func(e *engine.Engine, _ *inventory.Inventory) {
		made, err := e.Plan(p.t.Context(), p.wanted(hcl))
		if err != nil {
			p.t.Fatal(err)
		}
		var got []string
		for i := range made.Changes {
			c := &made.Changes[i]
			if !c.Shown() {
				continue
			}
			words := []string{c.Address.String(), string(c.Action)}
			for _, f := range c.Fields {
				if c.Action != unit.ActionCreate { // which has all that is written
					words = append(words, f.Path)
				}
			}
			got = append(got, strings.Join(words, " "))
		}
		if !slices.Equal(got, want) || made.Refused.HasErrors() {
			var text bytes.Buffer
			_ = made.Text(&text)
			p.t.Errorf("the plan is %q, want %q:\n%s", got, want, text.String())
		}
	})
}

// applies makes one pass, which has to bring everything to rest, and another one, which has nothing to do.
func (p *program) applies(hcl string) {
	p.t.Helper()
	if err := p.tries(hcl); err != nil {
		p.t.Fatal(err)
	}
	before := p.fleet.Counts()
	if err := p.tries(hcl); err != nil {
		p.t.Fatal(err)
	}
	counts := p.fleet.Counts().Since(before)
	tokens := counts.Of(http.MethodPost, "/v3/auth/tokens")
	if changing := counts.Total(http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete); changing != tokens {
		p.t.Errorf("nothing is to be done, but this was sent:\n%v", counts)
	}
	for kind, path := range map[string]string{"address_group": "/address-groups", "group_type": "/group_types"} {
		want, lists := 0, 0
		if strings.Contains(hcl, kind+` "`) {
			want = 1
		}
		for operation, n := range counts {
			if strings.HasSuffix(operation.Path, path) {
				lists += n
			}
		}
		if lists != want {
			p.t.Errorf("%d lists of %s in a pass that has nothing to do, want %d:\n%v", lists, kind, want, counts)
		}
	}
}

// tries makes one pass. The error tells what is not as it is wanted.
func (p *program) tries(hcl string) (failure error) {
	p.t.Helper()
	wanted := p.wanted(hcl)
	p.process(func(e *engine.Engine, kept *inventory.Inventory) {
		ctx, cancel := context.WithTimeout(p.t.Context(), 3*time.Minute)
		defer cancel()
		if err := e.Converge(ctx, wanted, time.Second); err != nil {
			p.t.Fatal(err)
		}
		for _, d := range e.Snapshot().Refused {
			failure = errors.Join(failure, errors.New(d.Summary))
		}
		for _, u := range e.Snapshot().Units {
			if u.Phase != engine.PhaseReady && u.Phase != engine.PhaseGone {
				failure = errors.Join(failure, fmt.Errorf("%s is %s: %s", u.Address, u.Phase, u.Reason))
			}
		}
		if n := len(kept.Entries()); n > len(wanted.Units) && failure == nil {
			failure = fmt.Errorf("%d units are on record, %d are wanted", n, len(wanted.Units))
		}
	})
	return failure
}

// group is the one address group of its own with a name, past the proxies.
func (p *program) group(name string) map[string]any {
	p.t.Helper()
	var all []any
	answer := request(p.t, "network", http.MethodGet, "v2.0/address-groups?name="+url.QueryEscape(p.prefix+name), nil)
	if all, _ = answer["address_groups"].([]any); len(all) != 1 {
		p.t.Fatalf("there are %d address groups %q, want one: %v", len(all), name, all)
	}
	one, _ := all[0].(map[string]any)
	return one
}

// has asserts what an address group is like, and returns its id.
func (p *program) has(name, description string, ranges ...string) string {
	p.t.Helper()
	o := p.group(name)
	text, mark, _ := strings.Cut(fmt.Sprint(o["description"]), "[kupenstack:")
	var there []string
	for _, r := range o["addresses"].([]any) {
		there = append(there, fmt.Sprint(r))
	}
	slices.Sort(there)
	if strings.TrimSpace(text) != description || mark == "" || !slices.Equal(there, ranges) {
		p.t.Errorf("the address group is %v, want %q with %q and a mark", o, description, ranges)
	}
	return fmt.Sprint(o["id"])
}
