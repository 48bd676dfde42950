package gitrepo_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
)

// What servers say of whom they refuse may hold the token that they were given in place of a user.
func TestTokensInPlaceOfUsers(t *testing.T) {
	const token = "tokencanary0123456789"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, _, _ := r.BasicAuth()
		line := "ERR the account " + user + " may not read this\n"
		w.Header().Set("Content-Type", "application/x-git-upload-pack-advertisement")
		_, _ = fmt.Fprintf(w, "001e# service=git-upload-pack\n0000%04x%s", len(line)+4, line)
	}))
	defer server.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	for user, want := range map[string]string{
		token:                    "the account (sensitive) may not",
		token + ":":              "the account (sensitive) may not",
		token + ":x-oauth-basic": "the account (sensitive) may not",
		"ada-lovelace:" + token:  "the account ada-lovelace may not",
	} {
		source, err := gitrepo.Open(t.Context(), gitrepo.Options{URL: "http://" + user + "@" + host + "/x.git", CacheDir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		if _, err = source.Head(t.Context()); err == nil || strings.Contains(err.Error(), token) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", user, err)
		}
	}
}

// A user in the URL is no token where there is a password for it, and nothing of the repository's name is masked for it.
func TestUsersBesideAPassword(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		line := "ERR " + r.URL.Path + " is archived\n"
		w.Header().Set("Content-Type", "application/x-git-upload-pack-advertisement")
		_, _ = fmt.Fprintf(w, "001e# service=git-upload-pack\n0000%04x%s", len(line)+4, line)
	}))
	defer server.Close()
	source, err := gitrepo.Open(t.Context(), gitrepo.Options{
		URL: "http://acme@" + strings.TrimPrefix(server.URL, "http://") + "/acme/x.git", CacheDir: t.TempDir(),
		Credentials: func(context.Context) (gitrepo.Credentials, error) {
			return gitrepo.Credentials{Password: redact.NewSecret("passwordcanary0123")}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = source.Head(t.Context()); err == nil || !strings.Contains(err.Error(), "/acme/x.git/info/refs is archived") {
		t.Errorf("got %v", err)
	}
}
