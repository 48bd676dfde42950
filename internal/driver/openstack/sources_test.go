package openstack

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

func TestWhereImagesMayComeFrom(t *testing.T) {
	sources, err := ParseSources([]string{"https://images.example.org/debian/", "https://mirror.example.org", "http://10.0.0.5:8080/a"})
	if err != nil {
		t.Fatal(err)
	}
	for address, allowed := range map[string]bool{
		"https://images.example.org/debian":                 true,
		"https://images.example.org/debian/13.img":          true,
		"https://IMAGES.example.org:443/debian/13.img?a=b":  true,
		"https://mirror.example.org/":                       true,
		"https://mirror.example.org":                        true,
		"https://mirror.example.org/any.img":                true,
		"http://10.0.0.5:8080/a/b":                          true,
		"https://images.example.org/debian-evil/13.img":     false,
		"https://images.example.org/":                       false,
		"https://images.example.org/debian/../etc":          false,
		"https://images.example.org/debian/%2e%2e/etc":      false,
		"https://images.example.org/debian%2f13.img":        false,
		"https://images.example.org/debian/..%5cetc":        false,
		"https://images.example.org:8443/debian/13.img":     false,
		"https://images.example.org.example.net/debian/a":   false,
		"https://images.example.org@example.net/debian/a":   false,
		"https://me:secret@images.example.org/debian/a":     false,
		"http://images.example.org/debian/13.img":           false,
		"http://10.0.0.5/a/b":                               false,
		"http://169.254.169.254/latest/meta-data/":          false,
		"https://evil.mirror.example.org/any.img":           false,
		"https://mirror.example.org\\@evil.example/any.img": false,
		"file:///etc/passwd":                                false,
	} {
		problem := sources.problem(address)
		if (problem == "") != allowed {
			t.Errorf("%s: %q", address, problem)
		}
		if strings.Contains(problem, "secret") || strings.Contains(problem, "13.img") {
			t.Errorf("%s: more of the address is told than its host: %q", address, problem)
		}
	}
	if problem := (Sources{}).problem("https://mirror.example.org/any.img"); !strings.Contains(problem, "https://mirror.example.org, which --image-sources does not allow") {
		t.Errorf("without any: %q", problem)
	}
}

func TestHowSourcesOfImagesAreWritten(t *testing.T) {
	for _, prefix := range []string{
		"", "images.example.org", "ftp://images.example.org", "https://", "https:///debian", "https://me:secret@images.example.org", "https://images.example.org/?a",
		"https://images.example.org/?", "https://images.example.org/#a", "https://images.example.org/../a", "https://images.example.org/a%2fb",
	} {
		_, err := ParseSources([]string{prefix})
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", prefix, err)
		}
	}
}

func TestImageIsBlockedUnlessItsSourceIsAllowed(t *testing.T) {
	sources, err := ParseSources([]string{"http://a"})
	if err != nil {
		t.Fatal(err)
	}
	k := imageKind{schema.New().Resource("image"), newUploads(nil, nil, sources, nil)}
	t.Cleanup(k.uploads.close)
	from := func(source string) unit.Diff {
		all := wantValue("image", nil)
		value := all.AsValueMap()
		value["source"] = scalar(source, value["source"].Type())
		made := k.read(map[string]any{"id": "i1", "name": "debian", "status": "active", keySource: digestOf("http://old")})
		target := unit.Target{Address: addr.MustParseObject("image.debian")}
		desired, m := outputs(all.Type(), value), match{object: made, owned: true}
		return makes(k, desired, m, due(k, &unit.Resource{Kind: "image", Block: k.schema}, target, desired, m))
	}
	if diff := from("http://a/new"); diff.Action != unit.ActionReplace {
		t.Errorf("a source that is allowed: %+v", diff)
	}
	if diff := from("http://b/new"); diff.Action != unit.ActionBlocked || !strings.Contains(diff.Reason, "--image-sources") {
		t.Errorf("what is there would go for an image that cannot be made: %+v", diff)
	}
	// Though it is as it should be, nobody may have it made anew.
	if diff := from("http://old"); diff.Action != unit.ActionNone || !strings.Contains(diff.Unmakeable, "--image-sources") {
		t.Errorf("what cannot be made any more: %+v", diff)
	}
}

func TestRedirectOfAnImageIsFollowedOnlyToWhereItMayComeFrom(t *testing.T) {
	asked := 0
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	t.Cleanup(elsewhere.Close)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/out":
			http.Redirect(w, r, elsewhere.URL+"/token", http.StatusFound)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/in":
			http.Redirect(w, r, "/missing", http.StatusFound)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	sources, err := ParseSources([]string{server.URL})
	if err != nil {
		t.Fatal(err)
	}
	u := newUploads(nil, nil, sources, nil)
	t.Cleanup(u.close)
	s := &session{masker: redact.NewMasker()}
	for path, want := range map[string]struct {
		text    string
		blocked bool
	}{
		"/out":  {"its source sends on: the image would be fetched from " + elsewhere.URL + ", which --image-sources does not allow", true},
		"/loop": {"its source sends on and on", false},
		"/in":   {"its source answered 404", true},
	} {
		err := u.run(t.Context(), s, upload{image: "i1", source: server.URL + path})
		if err == nil || !strings.Contains(err.Error(), want.text) || unit.IsBlocked(err) != want.blocked {
			t.Errorf("%s: %v", path, err)
		}
	}
	if err := u.run(t.Context(), s, upload{image: "i1", source: elsewhere.URL}); !unit.IsBlocked(err) {
		t.Errorf("elsewhere: %v", err)
	}
	if asked != 0 {
		t.Errorf("elsewhere was asked %d times", asked)
	}
}
