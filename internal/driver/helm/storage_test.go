package helm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"helm.sh/helm/v3/pkg/release"
	storagedriver "helm.sh/helm/v3/pkg/storage/driver"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// stock is an API server that has the Secrets of revisions of a release, with this in each.
type stock struct {
	API
	revisions [][]byte
	read      *int // of them, at any time
}

func (s stock) Secret(_ context.Context, namespace, name string) (*corev1.Secret, error) {
	var named *corev1.Secret
	err := s.EachSecret(context.Background(), namespace, "", func(secret *corev1.Secret) error {
		if secret.Name == name {
			named = secret
		}
		return nil
	})
	return named, err
}

func (s stock) EachSecret(_ context.Context, namespace, _ string, take func(*corev1.Secret) error) error {
	for i, data := range s.revisions {
		*s.read++
		err := take(&corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: fmt.Sprintf("sh.helm.release.v1.keystone.v%d", i+1), Labels: map[string]string{"owner": "helm", "ours": "yes"}},
			Data:       map[string][]byte{"release": data},
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (s stock) Getter(context.Context, string) (Getter, error) { return kindsKnown{}, nil }

// TestHelmReadsWithinBounds: what Helm reads by itself of the Secrets of releases neither fills the memory nor makes it
// panic, and nothing of it is told.
func TestHelmReadsWithinBounds(t *testing.T) {
	good := packed(t, []byte(storedRelease))
	large := packed(t, []byte(storedRelease+strings.Repeat(" ", maxRelease-len(storedRelease))))
	const name = "the Secret o/sh.helm.release.v1.keystone.v1 is no revision of a release"
	for _, test := range []struct {
		name      string
		stored    [][]byte
		get, list string // what is said, "" for nothing
		read      int    // revisions of the list
	}{
		{"a release", [][]byte{good, good}, "", "", 2},
		{"a large one", [][]byte{large, good}, "", "", 2},
		{"a bomb", [][]byte{packed(t, bytes.Repeat([]byte(" "), maxRelease+1)), good}, name + ", it unpacks to more than 32 MiB", name + ", it unpacks to more than 32 MiB", 0},
		{"a bomb of lists", [][]byte{packed(t, bytes.Repeat([]byte("["), maxParts+1)), good}, name + ", it has more than 524288", name + ", it has more than 524288", 0},
		{"many large ones", [][]byte{large, large, large, large, large, large, good}, "", "the revisions in o that Helm reads at a time are too much for it", 0},
		{"what is none", [][]byte{[]byte("canary-1"), good}, name, "", 1},
		{"an empty one", [][]byte{nil, good}, name, "", 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			read := 0
			d := &Driver{options: Options{Timeout: time.Minute}, api: stock{revisions: test.stored, read: &read}}
			configuration, cancel, err := d.operation(t.Context(), "o", "keystone")
			if err != nil {
				t.Fatal(err)
			}
			defer cancel()
			said := func(err error, want string) {
				t.Helper()
				if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "canary")) {
					t.Errorf("got %v, want %q", err, want)
				}
			}
			one, err := configuration.Releases.Get("keystone", 1)
			if said(err, test.get); err == nil && !maps.Equal(one.Labels, map[string]string{"ours": "yes"}) {
				t.Errorf("its labels are %v", one.Labels)
			}
			_, err = configuration.Releases.Get("keystone", 9)
			if !errors.Is(err, storagedriver.ErrReleaseNotFound) {
				t.Errorf("one that is not there: %v", err)
			}
			if test.get != "" {
				_, err = configuration.Releases.Delete("keystone", 1)
				said(err, test.get)
			}
			read = 0
			found, err := configuration.Releases.History("keystone")
			said(err, test.list)
			if read > atATime+1 {
				t.Errorf("it went on to the %dth one after it had had enough", read)
			}
			if len(found) != test.read || configuration.Releases.MaxHistory != maxHistory {
				t.Errorf("it read %d revisions, and keeps %d", len(found), configuration.Releases.MaxHistory)
			}
		})
	}
}

// stubborn refuses so many writes.
type stubborn struct {
	storagedriver.Driver
	refuses, asked int
	err            error
}

func (s *stubborn) Update(string, *release.Release) error {
	if s.asked++; s.asked <= s.refuses {
		return s.err
	}
	return nil
}

// Helm goes on where it could not mark a revision as superseded, which stays deployed then.
func TestSuperseding(t *testing.T) {
	down := errors.New("503 Service Unavailable")
	for name, test := range map[string]struct {
		status  release.Status
		refuses int
		err     error
		asked   int
		fails   bool
	}{
		"at once":          {release.StatusSuperseded, 0, nil, 1, false},
		"at last":          {release.StatusSuperseded, supersedeTries - 1, down, supersedeTries, false},
		"never":            {release.StatusSuperseded, 100, down, supersedeTries, true},
		"it is gone":       {release.StatusSuperseded, 100, storagedriver.ErrReleaseNotFound, 1, true},
		"of which it says": {release.StatusDeployed, 100, down, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &stubborn{refuses: test.refuses, err: test.err}
				store := &boundedStore{Driver: server, ctx: t.Context()}
				err := store.Update("keystone.v1", &release.Release{Info: &release.Info{Status: test.status}})
				if (err != nil) != test.fails || server.asked != test.asked {
					t.Errorf("got %v after %d tries, want %d", err, server.asked, test.asked)
				}
			})
		})
	}
	t.Run("for no longer than the call", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		server := &stubborn{refuses: 100, err: down}
		if err := (&boundedStore{Driver: server, ctx: ctx}).Update("keystone.v1", &release.Release{Info: &release.Info{Status: release.StatusSuperseded}}); err == nil || server.asked != 1 {
			t.Errorf("got %v after %d tries", err, server.asked)
		}
	})
}
