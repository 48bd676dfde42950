package helm

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/chartlock"
)

// TestLockedIsRead: what is locked can be read again, whatever a chart's version looks like, and the chart can be had by
// it.
func TestLockedIsRead(t *testing.T) {
	for version, whole := range map[string]bool{
		"1.4.0": true, "1.2.0-rc.1": true, "1.2": false, "1": false, "v1.2": false, "1.2+abc": false, "01.2.3": false, "v1.2.3": true, "v1.2.3+abc": true,
	} {
		for _, kind := range []string{"https", "oci"} {
			t.Run(version+" "+kind, func(t *testing.T) {
				p := publish(t)
				p.add(t, "app", version, "text")
				repository := p.URL
				if kind == "oci" {
					repository = strings.Replace(p.URL, "https://", "oci://", 1) + "/charts"
				}
				constraint := map[bool]string{true: ">=0-0"}[strings.Contains(version, "-")]
				entries, err := Lock(t.Context(), p.options(t), []chartlock.Wanted{wantedOf(repository, "app", constraint)})
				if kind == "oci" && !whole { // Helm passes over such tags
					if err == nil {
						t.Errorf("locked to %v", entries)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				lock, err := chartlock.Parse(chartlock.New(entries).Bytes())
				if err != nil {
					t.Fatal(err)
				}
				p.add(t, "app", "1.2.9", "another that the version fits as a constraint")
				if _, err := newCharts(p.options(t)).find(t.Context(), chartOf(lock.Entries[0])); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestTagsWithAV: registries have charts whose versions begin with v under such tags, as cert-manager's and Rook's. They are
// found by what a version allows, the newest first, and by one that is written with or without it.
func TestTagsWithAV(t *testing.T) {
	p := publish(t)
	for _, version := range []string{"v1.14.7", "v1.15.0", "v1.15.3", "v1.15.10", "v1.16.0-beta.0", "v2.0.0", "3.1.4+abc"} {
		p.add(t, "cert-manager", version, version)
	}
	repository := strings.Replace(p.URL, "https://", "oci://", 1) + "/charts"
	for constraint, want := range map[string]string{
		"": "3.1.4+abc", "^2": "v2.0.0", "3.1.4": "3.1.4+abc", "~> 1.15": "v1.15.10", "v1.15.3": "v1.15.3", "1.15.3": "v1.15.3", ">=1.16.0-0, <2": "v1.16.0-beta.0", "v1.14": "v1.14.7",
	} {
		entries, err := Lock(t.Context(), p.options(t), []chartlock.Wanted{wantedOf(repository, "cert-manager", constraint)})
		if err != nil || entries[0].Version != want {
			t.Errorf("%q is locked to %v, %v, want %s", constraint, entries, err, want)
			continue
		}
		if _, err := newCharts(p.options(t)).find(t.Context(), chartOf(entries[0])); err != nil {
			t.Errorf("what %q is locked to cannot be had elsewhere: %v", constraint, err)
		}
	}
	_, err := Lock(t.Context(), p.options(t), []chartlock.Wanted{wantedOf(repository, "cert-manager", "~> 1.17")})
	if err == nil || !strings.Contains(err.Error(), "it has no version ~> 1.17") {
		t.Errorf("where there is none that fits: %v", err)
	}
}

// TestIndexOfARegistry: the index of a repository may say that its charts are in a registry, as Bitnami's does, with the digest of
// the packed chart or of what the registry has about it.
func TestIndexOfARegistry(t *testing.T) {
	for _, kind := range []string{"chart", "manifest", "other"} {
		t.Run(kind, func(t *testing.T) {
			p := publish(t)
			p.add(t, "redis", "20.1.0", "text")
			options, host := p.options(t), strings.TrimPrefix(p.URL, "https://")
			direct, err := Lock(t.Context(), options, []chartlock.Wanted{wantedOf("oci://"+host+"/charts", "redis", "")})
			if err != nil {
				t.Fatal(err)
			}
			answer := httptest.NewRecorder()
			p.registry(answer, "redis/manifests/20.1.0")
			digest := map[string]string{"chart": direct[0].Digest, "manifest": answer.Header().Get("Docker-Content-Digest"), "other": digestPrefix + strings.Repeat("0", 64)}[kind]
			index := "apiVersion: v1\nentries:\n  redis:\n  - apiVersion: v2\n    name: redis\n    version: 20.1.0\n    digest: " + strings.TrimPrefix(digest, digestPrefix) +
				"\n    urls:\n    - oci://" + host + "/charts/redis:20.1.0\n"
			if err := os.WriteFile(filepath.Join(p.dir, "index.yaml"), []byte(index), 0o600); err != nil {
				t.Fatal(err)
			}
			entries, err := Lock(t.Context(), p.options(t), []chartlock.Wanted{wantedOf(p.URL, "redis", "^20")})
			if kind == "other" {
				if err == nil || !strings.Contains(err.Error(), "another digest than the index says") {
					t.Errorf("with another digest: %v, %v", entries, err)
				}
				return
			}
			if err != nil || entries[0].Digest != direct[0].Digest {
				t.Fatalf("locked to %v, %v, want %v", entries, err, direct[0])
			}
			if _, err := newCharts(p.options(t)).find(t.Context(), chartOf(entries[0])); err != nil {
				t.Error(err)
			}
		})
	}
}
