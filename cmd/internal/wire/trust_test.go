package wire

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
)

const adas = "ada@example.org ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ9HzY0bPRTrDSvkMEnSHwGKMxVKLiwcG2TvcUtBzD8W\n"

// Lists of signers are files and directories of files, as a mounted Secret has them, and are read anew each time.
func TestTrust(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, content string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	list, bad, key := write("lists/people", adas), write("bad", "nonsense\n"), write("key", "-----BEGIN OPENSSH PRIVATE KEY-----\ncanary\n")
	write("lists/..data/people", "nonsense\n")
	if err := os.Mkdir(filepath.Join(dir, "inner"), 0o700); err != nil {
		t.Fatal(err)
	}
	write("inner/more/people", adas)
	source := func(url string) *gitrepo.Source {
		t.Helper()
		source, err := gitrepo.Open(t.Context(), gitrepo.Options{URL: url, CacheDir: filepath.Join(dir, "cache")})
		if err != nil {
			t.Fatal(err)
		}
		return source
	}
	repository, directory := source("https://git.example.org/cloud.git"), source(dir)
	for name, test := range map[string]struct {
		flags  *Flags
		source *gitrepo.Source
		says   string
	}{
		"a file":                   {&Flags{Verify: []string{list}}, repository, ""},
		"a directory of files":     {&Flags{Verify: []string{filepath.Dir(list)}, VerifyHistory: true}, repository, ""},
		"a directory in directory": {&Flags{Verify: []string{filepath.Join(dir, "inner")}}, repository, "more is no plain file"},
		"nothing":                  {&Flags{Verify: []string{filepath.Join(dir, "absent")}}, repository, "no such file"},
		"nonsense":                 {&Flags{Verify: []string{list, bad}}, repository, bad + ": line 1: it is no line of a file of allowed signers"},
		"the history alone":        {&Flags{VerifyHistory: true}, repository, "--verify-history needs --verify"},
		"no repository":            {&Flags{Verify: []string{list}}, directory, "--verify needs a repository"},
	} {
		trust, err := test.flags.Trust(test.source)
		if test.says == "" && (err != nil || trust == nil || trust.History != test.flags.VerifyHistory) ||
			test.says != "" && (!errors.Is(err, ErrUsage) || !strings.Contains(err.Error(), test.says)) {
			t.Errorf("%s: %v, %v", name, trust, err)
		}
	}
	if trust, err := (&Flags{}).Trust(directory); trust != nil || err != nil {
		t.Errorf("without the flag: %v, %v", trust, err)
	}

	trust, err := (&Flags{Verify: []string{list}}).Trust(repository)
	if err != nil {
		t.Fatal(err)
	}
	before, err := trust.Signers()
	if err != nil {
		t.Fatal(err)
	}
	write("lists/people", adas+"# and nobody else\n")
	if after, err := trust.Signers(); err != nil || after.Digest() == before.Digest() {
		t.Errorf("it is not read again: %v", err)
	}
	if _, err := (&Flags{SigningKey: key}).sign(); !errors.Is(err, ErrUsage) || !strings.Contains(err.Error(), "the key for signing cannot be read") || strings.Contains(err.Error(), "canary") {
		t.Errorf("the key: %v", err)
	}
}

// TestWebhookSecret: what signs nothing is told when it is read, and not by the forge's requests that fail.
func TestWebhookSecret(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		"0123456789abcdef\n":                     "",
		"short":                                  "has less than 16 characters",
		"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw": "",
		"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS":  "copy the whole signing token",
	} {
		name := filepath.Join(t.TempDir(), "secret")
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		read, err := WebhookSecret(name)
		if want != "" {
			if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "MfKQ") {
				t.Errorf("%q: %v", content, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", content, err)
			continue
		}
		if secret, err := read(); err != nil || secret.Reveal() != strings.TrimSpace(content) {
			t.Errorf("%q: %v", content, err)
		}
	}
}
