package openstack

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// paging is a session whose service "things" gives the pages that a function makes.
func paging(t *testing.T, page func(w http.ResponseWriter, r *http.Request)) (*nextCloud, *session) {
	t.Helper()
	c := newNextCloud(t, map[string]string{"things": "/things"})
	c.mux.HandleFunc("/things/v3/list", page)
	d := c.driver(t, schema.New(shareLife().block), shareKind{schema.New(shareLife().block).Resource("share")})
	s, err := d.connector.session(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return c, s
}

func idsOf(raws []map[string]any) string {
	var ids []string
	for _, raw := range raws {
		ids = append(ids, textAt(raw, "name"))
	}
	return strings.Join(ids, " ")
}

func named(names ...string) []any {
	list := []any{}
	for _, name := range names {
		list = append(list, map[string]any{"name": name})
	}
	return list
}

// TestNumberedPages has objects come and go between pages that begin at a number: none that is there all the time is missed,
// and none is had twice.
func TestNumberedPages(t *testing.T) {
	for name, test := range map[string]struct {
		then []string // what there is from the second page on
		want string
	}{
		"nothing moves":           {[]string{"a", "b", "c", "d", "e"}, "a b c d e"},
		"one goes before it":      {[]string{"b", "c", "d", "e"}, "b c d e"},
		"one comes before it":     {[]string{"0", "a", "b", "c", "d", "e"}, "0 a b c d e"},
		"the last of a page goes": {[]string{"a", "c", "d", "e"}, "a c d e"},
		"all go":                  {nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			there := []string{"a", "b", "c", "d", "e"}
			_, s := paging(t, func(w http.ResponseWriter, r *http.Request) {
				offset, _ := strconv.Atoi(r.URL.Query().Get("offset"))
				offset = min(offset, len(there))
				tell(w, http.StatusOK, map[string]any{"list": named(there[offset:min(offset+2, len(there))]...)})
				there = test.then
			})
			got, err := s.all(t.Context(), call{service: "things", path: "list", known: "name", turns: byNumber}, "list")
			if err != nil || idsOf(got) != test.want {
				t.Errorf("got %q, want %q: %v", idsOf(got), test.want, err)
			}
		})
	}
}

// TestNumberedPagesThatNeverRest: a list that moves all the time is an error, and not one that is cut short.
func TestNumberedPagesThatNeverRest(t *testing.T) {
	var n atomic.Int64
	_, s := paging(t, func(w http.ResponseWriter, _ *http.Request) {
		at := n.Add(2)
		tell(w, http.StatusOK, map[string]any{"list": named(fmt.Sprint(at), fmt.Sprint(at+1))})
	})
	if got, err := s.all(t.Context(), call{service: "things", path: "list", known: "name", turns: byNumber}, "list"); err == nil {
		t.Errorf("got %q", idsOf(got))
	}
	if _, err := s.single().all(t.Context(), call{service: "things", path: "list", known: "name", turns: byNumber}, "list"); err == nil {
		t.Error("a list of several pages was taken for one of a single one")
	}
}

// TestPagesBehindNames are those of an answer that is the list itself.
func TestPagesBehindNames(t *testing.T) {
	for name, test := range map[string]struct {
		answer func(marker string) any
		want   string
		fails  bool
	}{
		"three pages":              {answer: pagesOf("a", "b", "c", "d", "e"), want: "a b c d e"},
		"the last one is full":     {answer: pagesOf("a", "b", "c", "d"), want: "a b c d"},
		"none":                     {answer: pagesOf(), want: ""},
		"a marker that is ignored": {answer: func(string) any { return named("a", "b") }, fails: true},
		"without names":            {answer: func(string) any { return []any{map[string]any{}, map[string]any{}} }, fails: true},
		"an object":                {answer: func(string) any { return map[string]any{"name": "a"} }, fails: true},
		"none of objects":          {answer: func(string) any { return []any{"a"} }, fails: true},
		"nothing":                  {answer: func(string) any { return nil }, fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			_, s := paging(t, func(w http.ResponseWriter, r *http.Request) {
				tell(w, http.StatusOK, test.answer(r.URL.Query().Get("marker")))
			})
			got, err := s.all(t.Context(), call{service: "things", path: "list", known: "name", turns: byMarker}, "")
			if (err != nil) != test.fails || idsOf(got) != test.want {
				t.Errorf("got %q, %v", idsOf(got), err)
			}
		})
	}
}

// pagesOf are pages of two.
func pagesOf(names ...string) func(marker string) any {
	return func(marker string) any {
		behind := names[slices.Index(names, marker)+1:]
		return named(behind[:min(2, len(behind))]...)
	}
}

// TestLinksOfHeat: its links are a list beside the objects, and of all else only the query counts.
func TestLinksOfHeat(t *testing.T) {
	_, s := paging(t, func(w http.ResponseWriter, r *http.Request) {
		page := pagesOf("a", "b", "c")(r.URL.Query().Get("marker")).([]any)
		body := map[string]any{"list": page}
		if len(page) == 2 {
			body["links"] = []any{map[string]any{"rel": "next", "href": "http://inside.invalid:8004/list?limit=2&marker=b"}}
		}
		tell(w, http.StatusOK, body)
	})
	if got, err := s.all(t.Context(), call{service: "things", path: "list", known: "name"}, "list"); err != nil || idsOf(got) != "a b c" {
		t.Errorf("got %q, %v", idsOf(got), err)
	}
}

// TestBareAnswers are those without a key around what was asked for.
func TestBareAnswers(t *testing.T) {
	for body, fails := range map[string]bool{`{"id": "a"}`: false, `[]`: true, `null`: true, ``: true, `<html>`: true} {
		_, s := paging(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) })
		c := call{service: "things", method: http.MethodGet, path: "list"}
		if raw, err := s.one(t.Context(), c, ""); (err != nil) != fails || !fails && textAt(raw, "id") != "a" {
			t.Errorf("%s gives %v, %v", body, raw, err)
		}
		c.mute = true
		if _, err := s.send(t.Context(), c); err != nil {
			t.Errorf("%s says nothing, and fails: %v", body, err)
		}
	}
}

// TestMessagesOfOthers: of an answer that says no, people are told the same each time, and what helps.
func TestMessagesOfOthers(t *testing.T) {
	for body, want := range map[string]string{
		`{"faultcode": "Client", "faultstring": "Load Balancer is immutable.", "debuginfo": null}`:                                                          "Load Balancer is immutable.",
		`{"code": 409, "title": "Conflict", "description": "Secret already has data."}`:                                                                     "Secret already has data.",
		`{"title": "Conflict", "explanation": "There was a conflict.", "code": 409, "error": {"message": "Stack has an action in progress.", "type": "X"}}`: "Stack has an action in progress.",
		`<html><h1>Conflict</h1><p>There was a conflict.</p></html>`:                                                                                        "Conflict There was a conflict.",
	} {
		for range 20 { // as what a map has comes in any order
			if _, message := readMessage([]byte(body)); shorten(message) != want {
				t.Fatalf("%s gives %q, want %q", body, shorten(message), want)
			}
		}
	}
}

// TestPutsThatCreate: a PUT that makes something is one of unknown outcome where no answer comes, and one that changes
// something is not.
func TestPutsThatCreate(t *testing.T) {
	for _, creates := range []bool{true, false} {
		var told leftOpen
		_, s := paging(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
		ctx := context.WithValue(t.Context(), outcomeKey{}, &told)
		if _, err := s.send(ctx, call{service: "things", method: http.MethodPut, path: "list", creates: creates}); err == nil || told.unknown.Load() != creates || !told.maybe.Load() {
			t.Errorf("it creates: %t, unknown: %t, may have been done: %t, %v", creates, told.unknown.Load(), told.maybe.Load(), err)
		}
	}
}

// TestConflictsThatPass: a kind knows of an answer that it is one of timing.
func TestConflictsThatPass(t *testing.T) {
	conflict := &apiError{status: http.StatusConflict, service: serviceBalancer}
	if err := judge(conflict, updating); !unit.IsBlocked(err) {
		t.Errorf("a conflict gives %v", err)
	}
	if err := judge(&unit.RetryError{After: balancerPause, Err: conflict}, updating); unit.IsBlocked(err) || unit.RetryAfter(err) != balancerPause {
		t.Errorf("one that passes gives %v", err)
	}
}

// TestKindsKeepProjects: what is of a kind that brings that along keeps its project, whoever made it.
func TestKindsKeepProjects(t *testing.T) {
	l := loadBalancerLife()
	language := schema.New(l.block)
	c := newNextCloud(t, l.services)
	playOctavia(c)
	d := c.driver(t, language, loadBalancerKind{language.Resource("load_balancer")})
	s, err := d.connector.session(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for project, kept := range map[string]bool{"own": true, "shop": false} {
		var why error
		for _, content := range s.projectContents(func(service string) bool { return service == serviceBalancer }, project) {
			if content.call.service == serviceBalancer {
				why = errors.Join(why, content.mustBeEmpty(t.Context(), s, "the project"))
			}
		}
		if unit.IsBlocked(why) != kept {
			t.Errorf("%s: %v", project, why)
		}
	}
	for _, content := range s.projectContents(func(string) bool { return false }, "own") {
		if content.call.service == serviceBalancer {
			t.Error("a cloud without load balancers is asked for them")
		}
	}
}

// TestWalledKindsGiveNoRoles: an administrator that has no role in a project is not given one to look, and what is on record
// there, looked up or to be imported is unknown, not absent.
func TestWalledKindsGiveNoRoles(t *testing.T) {
	l := containerLife()
	language := schema.New(l.block)
	c := newNextCloud(t, l.services)
	playSwift(c)
	d := c.driver(t, language, containerKind{language.Resource("container")})
	tg := l.target(t, language.Resource("container"), l.first)
	recorded, imported := tg, tg
	recorded.ID, recorded.Fresh, recorded.Locator.Project = "web", false, "shop"
	imported.Import = "web"
	for name, tg := range map[string]unit.Target{"fresh": tg, "recorded": recorded, "imported": imported} {
		states, err := d.Observe(t.Context(), []unit.Target{tg})
		st := states[tg.Address]
		if fresh := name == "fresh"; fresh != (err == nil) || fresh != st.Gone() || !fresh && st.Existence != unit.Unknown {
			t.Errorf("%s: %+v, %v", name, st, err)
		}
	}
	if c.member {
		t.Error("a look has given our user a role")
	}
	tg.Anew = true
	if st, err := d.Apply(t.Context(), tg, desiredOf(tg), unit.State{Existence: unit.Absent, Observed: match{open: true}}); err != nil || st.ID != "web" || !c.member {
		t.Errorf("it was made: %+v, %v", st, err)
	}
}

// TestContainersWithObjectsStay: what has no mark goes by its id alone, and what is in it is not lost.
func TestContainersWithObjectsStay(t *testing.T) {
	l := containerLife()
	language := schema.New(l.block)
	c := newNextCloud(t, l.services)
	playSwift(c)
	c.member = true
	c.byID(somebodys(1)).header.Set(headerContained, "3")
	d := c.driver(t, language, containerKind{language.Resource("container")})
	tg := l.target(t, language.Resource("container"), map[string]cty.Value{"name": cty.StringVal(somebodys(1))})
	tg.ID, tg.Fresh, tg.Locator.Project = somebodys(1), false, "shop"
	if _, err := d.Delete(t.Context(), tg, unit.State{Existence: unit.Present}); !unit.IsBlocked(err) {
		t.Errorf("got %v", err)
	}
}

// TestEveryKindIsListed: what the language has of OpenStack the driver has, and nothing else.
func TestEveryKindIsListed(t *testing.T) {
	language := schema.New()
	var want, got []string
	for _, kind := range language.Kinds(schema.ClassResource) {
		if !language.Resource(kind).Cluster {
			want = append(want, kind)
		}
	}
	for _, k := range kinds(language, nil, nil) {
		got = append(got, k.name())
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(want, got) {
		t.Errorf("the kinds are %q, and the resources %q", got, want)
	}
}
