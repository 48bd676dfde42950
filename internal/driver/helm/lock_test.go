package helm

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/repo"

	"github.com/kupenstack/kupenstack-sync/internal/chartlock"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// published is a place where charts are published, as files and in a registry.
type published struct {
	*httptest.Server
	dir      string
	requests atomic.Int64
	login    string // user:password that are asked for; "" for nobody's
}

func publish(t *testing.T) *published {
	t.Helper()
	p := &published{dir: t.TempDir()}
	files := http.FileServer(http.Dir(p.dir))
	p.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.requests.Add(1)
		if user, password, _ := r.BasicAuth(); p.login != "" && user+":"+password != p.login {
			w.Header().Set("WWW-Authenticate", `Basic realm="charts"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if path, ok := strings.CutPrefix(r.URL.Path, "/v2/charts/"); ok {
			p.registry(w, path)
			return
		}
		files.ServeHTTP(w, r)
	}))
	t.Cleanup(p.Close)
	return p
}

// add publishes a version of a chart, whatever was published under it before.
func (p *published) add(t *testing.T, name, version, text string) {
	t.Helper()
	c := &chart.Chart{
		Metadata:  &chart.Metadata{APIVersion: "v2", Name: name, Version: version},
		Templates: []*chart.File{{Name: "templates/a.yaml", Data: []byte("# " + text + "\n")}},
	}
	if _, err := chartutil.Save(c, p.dir); err != nil {
		t.Fatal(err)
	}
	index, err := repo.IndexDirectory(p.dir, p.URL)
	if err != nil {
		t.Fatal(err)
	}
	if err := index.WriteFile(filepath.Join(p.dir, "index.yaml"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// registry answers as a registry of OCI does, for charts that lie in the directory.
func (p *published) registry(w http.ResponseWriter, path string) {
	parts := strings.Split(path, "/")
	name, verb, of := parts[0], parts[1], parts[2]
	var content []byte
	send := func(kind string, content []byte) {
		w.Header().Set("Content-Type", kind)
		w.Header().Set("Docker-Content-Digest", digestPrefix+sha256Of(content))
		w.Header().Set("Content-Length", fmt.Sprint(len(content)))
		_, _ = w.Write(content)
	}
	const config = `{"name":"x","version":"1.0.0","apiVersion":"v2"}`
	archives, _ := filepath.Glob(filepath.Join(p.dir, name+"-*.tgz"))
	switch verb {
	case "tags":
		tags := []string{}
		for _, archive := range archives {
			version := versionOf(filepath.Base(archive), name).Original()
			tags = append(tags, strings.ReplaceAll(version, "+", "_"))
		}
		content, _ = json.Marshal(map[string]any{"name": "charts/" + name, "tags": tags})
		send("application/json", content)
	case "manifests":
		content, err := os.ReadFile(filepath.Join(p.dir, name+"-"+strings.ReplaceAll(of, "_", "+")+".tgz"))
		if err != nil {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		text := fmt.Sprintf(`{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json",
			"config":{"mediaType":"application/vnd.cncf.helm.config.v1+json","digest":"sha256:%x","size":%d},
			"layers":[{"mediaType":"application/vnd.cncf.helm.chart.content.v1.tar+gzip","digest":"sha256:%x","size":%d}]}`,
			sha256.Sum256([]byte(config)), len(config), sha256.Sum256(content), len(content))
		send("application/vnd.oci.image.manifest.v1+json", []byte(text))
	default:
		for _, archive := range archives {
			if content, _ = os.ReadFile(archive); digestPrefix+sha256Of(content) == of {
				send("application/octet-stream", content)
				return
			}
		}
		send("application/octet-stream", []byte(config))
	}
}

func (p *published) options(t *testing.T) Options {
	t.Helper()
	transport, ok := p.Client().Transport.(*http.Transport)
	if !ok {
		t.Fatal("the server's client has another transport")
	}
	return Options{CacheDir: t.TempDir(), Transport: transport}
}

func chartOf(e chartlock.Entry) unit.Chart {
	return unit.Chart{Name: e.Name, Repository: e.Repository, Version: e.Version, Digest: e.Digest, Commit: e.Commit}
}

func wantedOf(repository, name, constraint string) chartlock.Wanted {
	return chartlock.Wanted{Repository: repository, Name: name, Constraint: constraint}
}

func TestLock(t *testing.T) {
	for _, kind := range []string{"https", "oci"} {
		t.Run(kind, func(t *testing.T) {
			p := publish(t)
			p.add(t, "nova", "1.4.0", "old")
			p.add(t, "nova", "1.4.2+abc", "new")
			p.add(t, "nova", "2.0.0", "next")
			p.add(t, "glance", "0.1.0", "only")
			repository := p.URL
			if kind == "oci" {
				repository = strings.Replace(p.URL, "https://", "oci://", 1) + "/charts"
			}
			options := p.options(t)
			wanted := []chartlock.Wanted{wantedOf(repository, "glance", ""), wantedOf(repository, "nova", ""), wantedOf(repository, "nova", "~1.4"), wantedOf(repository, "nova", "1.4.0")}
			entries, err := Lock(t.Context(), options, wanted)
			if err != nil {
				t.Fatal(err)
			}
			for i, version := range []string{"0.1.0", "2.0.0", "1.4.2+abc", "1.4.0"} {
				if entries[i].Version != version || entries[i].Wanted != wanted[i] {
					t.Errorf("%v is %v", wanted[i], entries[i])
				}
			}
			if entries[1].Digest == entries[2].Digest {
				t.Error("two versions have one digest")
			}
			if kind == "https" && p.requests.Load() != 5 {
				t.Errorf("%d requests for one index and 4 charts", p.requests.Load())
			}

			// What was locked is there without asking anybody.
			before := p.requests.Load()
			found, err := newCharts(options).find(t.Context(), chartOf(entries[2]))
			if err != nil || !strings.Contains(string(found.files[len(found.files)-1].Data), "new") || p.requests.Load() != before {
				t.Errorf("the chart that was locked: %v, %v, %d requests", found, err, p.requests.Load()-before)
			}
			// Elsewhere it is downloaded, and a cached file that is not whole any more is, too.
			elsewhere := p.options(t)
			file := filepath.Join(elsewhere.CacheDir, strings.TrimPrefix(entries[2].Digest, digestPrefix)+".tgz")
			if err := os.WriteFile(file, []byte("half"), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := newCharts(elsewhere).find(t.Context(), chartOf(entries[2])); err != nil {
				t.Errorf("in place of half a file: %v", err)
			}
			// Something else under the same version is refused, by name of both.
			p.add(t, "nova", "1.4.2+abc", "changed behind our back")
			_, err = newCharts(p.options(t)).find(t.Context(), chartOf(entries[2]))
			if err == nil || unit.IsBlocked(err) || !strings.Contains(err.Error(), "lock --upgrade=nova") || !strings.Contains(err.Error(), "nova 1.4.2+abc of "+repository) {
				t.Errorf("something else under the same version: %v", err)
			}
			if _, err := newCharts(options).find(t.Context(), chartOf(entries[2])); err != nil {
				t.Errorf("with the locked one at hand: %v", err)
			}
			again, err := Lock(t.Context(), p.options(t), wanted[2:3])
			if err != nil || again[0].Version != entries[2].Version || again[0].Digest == entries[2].Digest {
				t.Errorf("locked again: %v, %v", again, err)
			}

			_, err = Lock(t.Context(), options, []chartlock.Wanted{wantedOf(repository, "nova", ">3"), wantedOf(repository, "heat", "")})
			for _, want := range []string{"chart nova >3 of " + repository, "chart heat of " + repository} {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("there is nothing in %v about %s", err, want)
				}
			}
		})
	}
}

func TestCredentialsOfRepositories(t *testing.T) {
	const canary = "canary-4711"
	for _, kind := range []string{"https", "oci"} {
		t.Run(kind, func(t *testing.T) {
			p := publish(t)
			p.login = "reader:" + canary
			p.add(t, "nova", "1.4.0", "text")
			repository := p.URL
			if kind == "oci" {
				repository = strings.Replace(p.URL, "https://", "oci://", 1) + "/charts"
			}
			wanted := []chartlock.Wanted{wantedOf(repository, "nova", "")}
			options := p.options(t)
			if _, err := Lock(t.Context(), options, wanted); err == nil || !strings.Contains(err.Error(), map[string]string{"https": "401", "oci": "credential"}[kind]) {
				t.Errorf("without credentials: %v", err)
			}
			options.CredentialsFile = filepath.Join(t.TempDir(), "config.json")
			write := func(password string) {
				text := fmt.Sprintf(`{"auths": {%q: {"username": "reader", "password": %q}}}`, strings.TrimPrefix(p.URL, "https://"), password)
				if err := os.WriteFile(options.CredentialsFile, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			write("old-" + canary)
			if _, err := Lock(t.Context(), options, wanted); err == nil || strings.Contains(err.Error(), canary) {
				t.Errorf("with a wrong password: %v", err)
			}
			from := newRepositories(options)
			write(canary) // rotated
			if _, err := from.lock(wanted[0]); err != nil {
				t.Errorf("with credentials: %v", err)
			}
		})
	}
}

// TestChartsComeAsTheyAre: a server that says of packed charts that they are compressed, as some do of all such files, means
// the file and not the way. The client's transport unpacks unless it is told not to, as that of other authorities does.
func TestChartsComeAsTheyAre(t *testing.T) {
	for kind, repository := range map[string]string{"https": "", "oci": "/charts"} {
		t.Run(kind, func(t *testing.T) {
			p := publish(t)
			p.add(t, "nova", "1.4.0", "text")
			inner := p.Config.Handler
			p.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.HasSuffix(r.URL.Path, ".tgz") || strings.Contains(r.URL.Path, "/blobs/") {
					w.Header().Set("Content-Encoding", "gzip")
				}
				inner.ServeHTTP(w, r)
			})
			entries, err := Lock(t.Context(), p.options(t), []chartlock.Wanted{wantedOf(strings.Replace(p.URL, "https", kind, 1)+repository, "nova", "")})
			if err != nil || entries[0].Version != "1.4.0" {
				t.Errorf("locked to %v, %v", entries, err)
			}
		})
	}
}

func TestNothingUnlocked(t *testing.T) {
	p := publish(t)
	p.add(t, "nova", "1.4.0", "text")
	_, err := newCharts(p.options(t)).find(t.Context(), unit.Chart{Name: "nova", Repository: p.URL, Version: "1.4.0"})
	if !unit.IsBlocked(err) || !strings.Contains(err.Error(), "kupenstack-sync lock") || p.requests.Load() > 0 {
		t.Errorf("a chart that is not locked: %v, %d requests", err, p.requests.Load())
	}
}
