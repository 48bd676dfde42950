package chartlock_test

import (
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/chartlock"
)

func TestParseGit(t *testing.T) {
	for address, want := range map[string]chartlock.Git{
		"git+https://git.example.org/group/repo.git":                                {URL: "https://git.example.org/group/repo.git", Directory: "."},
		"git+https://git.example.org/repo//charts/osh?ref=release/2026.1":           {URL: "https://git.example.org/repo", Directory: "charts/osh", Ref: "release/2026.1"},
		"git+https://git.example.org:8443/repo.git//?ref=v1.0%2Ba":                  {URL: "https://git.example.org:8443/repo.git", Directory: ".", Ref: "v1.0+a"},
		"git+https://git.example.org/repo.git//charts/?ref=refs%2Fheads%2Fmain":     {URL: "https://git.example.org/repo.git", Directory: "charts", Ref: "refs/heads/main"},
		"git+ssh://git@git.example.org:2222/group/repo.git//charts?ref=refs/tags/a": {URL: "ssh://git@git.example.org:2222/group/repo.git", Directory: "charts", Ref: "refs/tags/a"},
	} {
		got, err := chartlock.ParseGit(address)
		if err != nil || got != want {
			t.Errorf("%s: %+v, must be %v", address, got, err)
		}
	}
	for address, want := range map[string]string{
		"https://git.example.org/repo":                     "git+https://",
		"git+http://git.example.org/repo":                  "git+https://",
		"git+file:///srv/repo":                             "git+https://",
		"git+https:///repo":                                "host",
		"git+https://git.example.org":                      "path",
		"git+https://git.example.org//charts":              "path",
		"git+https://u:canary@git.example.org/repo":        "without user and password",
		"git+https://canary@git.example.org/repo":          "without user and password",
		"git+ssh://git:canary@git.example.org/repo":        "without a password",
		"git+https://git.example.org/repo#canary":          "?ref=NAME",
		"git+https://git.example.org/repo#":                "?ref=NAME",
		"git+https://git.example.org/repo?":                "?ref=NAME",
		"git+https://git.example.org/repo?tag=canary":      "?ref=NAME",
		"git+https://git.example.org/repo?ref=a&ref=b":     "?ref=NAME",
		"git+https://git.example.org/repo?ref=a&depth=1":   "?ref=NAME",
		"git+https://git.example.org/repo?ref=":            "branch or a tag",
		"git+https://git.example.org/repo?ref=--upload":    "branch or a tag",
		"git+https://git.example.org/repo?ref=a..b":        "branch or a tag",
		"git+https://git.example.org/repo?ref=a%0ab":       "branch or a tag",
		"git+https://git.example.org/repo?ref=v1+a":        "branch or a tag", // a + in a query is a blank
		"git+https://git.example.org/repo//../etc":         "no ..",
		"git+https://git.example.org/repo//a//b":           "written from the top",
		"git+https://git.example.org/%zz?password=canary":  "git+https://",
		"git+ssh://git@git.example.org:canary/repo?ref=hm": "git+https://",
	} {
		got, err := chartlock.ParseGit(address)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %+v, %v; want %q", address, got, err, want)
		}
	}
}
