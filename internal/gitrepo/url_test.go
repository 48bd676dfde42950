package gitrepo_test

import (
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
)

func TestMasksURLs(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"https://user:pass@git.example.org/a/b.git":  "https://git.example.org/a/b.git",
		"https://token@git.example.org:8443/a b.git": "https://git.example.org:8443/a%20b.git",
		"HTTP://u:p@[::1]:80/x":                      "http://[::1]:80/x",
		"ssh://git@git.example.org:2222/~me/x":       "ssh://git.example.org:2222/~me/x",
		"git@git.example.org:a/b.git":                "git.example.org:a/b.git",
		"git@[2001:db8::1]:a":                        "[2001:db8::1]:a",
		"file:///srv/git/x.git":                      "file:///srv/git/x.git",
		"/srv/config":                                "/srv/config",
		"https://user:pa ss@%zz/":                    "(unreadable URL)",
		"https://user:p%zz@git.example.org/x":        "(unreadable URL)",
		"user:canary@git.example.org:x":              "(unreadable URL)",
		"ftp://user:canary@git.example.org/x":        "(unreadable URL)",
		"":                                           "(unreadable URL)",
	} {
		if got := gitrepo.MaskURL(raw); got != want {
			t.Errorf("%q is shown as %q, want %q", raw, got, want)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"":                                      "empty",
		"https://u:canary@git.example.org/x?a":  "query",
		"https://u:canary@git.example.org/x#a":  "fragment",
		"https://u:canary@git.example.org":      "no path",
		"https://u:canary@/x":                   "no host",
		"https://u:canary@git.example.org:0/x":  "port",
		"git://u:canary@git.example.org/x":      "scheme",
		"ssh://-oProxyCommand=canary/x":         "no host",
		"git@git.example.org:--upload-pack=x":   "dash",
		"https://u:canary@git.example.org/\x00": "control",
		"https://git.example.org/%0acanary":     "control",
		"file://host/x":                         "three slashes",
		"file:///":                              "no path",
		"http://u:canary@git.example.org/x":     "plain http",
		"http://localhost.example.org/x":        "plain http",
	} {
		_, err := gitrepo.Open(t.Context(), gitrepo.Options{URL: raw, CacheDir: t.TempDir()})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "canary") || strings.HasPrefix(err.Error(), ":") {
			t.Errorf("%q gives %v, want %q", raw, err, want)
		}
		if kind := gitrepo.KindOf(err); kind != gitrepo.Invalid {
			t.Errorf("%q gives an error of the kind %d", raw, kind)
		}
	}
	for name, options := range map[string]gitrepo.Options{
		"no cache":             {URL: "https://git.example.org/x"},
		"ref of a directory":   {URL: t.TempDir(), Ref: "main"},
		"ref with a wild card": {URL: "https://git.example.org/x", Ref: "refs/heads/*", CacheDir: t.TempDir()},
		"ref like an option":   {URL: "https://git.example.org/x", Ref: "-x", CacheDir: t.TempDir()},
	} {
		if _, err := gitrepo.Open(t.Context(), options); gitrepo.KindOf(err) != gitrepo.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, options := range []gitrepo.Options{
		{URL: "http://127.0.0.1/x", CacheDir: t.TempDir()},
		{URL: "http://[::1]/x", CacheDir: t.TempDir()},
	} {
		if _, err := gitrepo.Open(t.Context(), options); err != nil {
			t.Error(err)
		}
	}
}
