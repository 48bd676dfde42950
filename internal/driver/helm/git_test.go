package helm

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"helm.sh/helm/v3/pkg/chart/loader"

	"github.com/kupenstack/kupenstack-sync/internal/chartlock"
	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	openstackhelm "github.com/kupenstack/kupenstack-sync/test/charts"
	"github.com/kupenstack/kupenstack-sync/test/gitserver"
	slowtest "github.com/kupenstack/kupenstack-sync/test/slow"
)

// secretWord is the password of Git servers: it must be in no error.
const secretWord = "canary-Pa55word!"

// gitBed is a Git repository with two charts and a library beside them, behind a server.
type gitBed struct {
	repo    *gitserver.Repository
	server  *gitserver.HTTPServer
	first   string // its commit
	options Options
}

func newGitBed(t *testing.T) *gitBed {
	t.Helper()
	store := gitserver.NewStore(t)
	b := &gitBed{repo: store.Create(t, "group/charts")}
	files := map[string]string{
		"README.md":                              "# Charts\n",
		"deploy/nova/Chart.yaml":                 "apiVersion: v2\nname: nova\nversion: 1.4.0\ndependencies:\n- {name: toolkit, version: '>= 0', repository: 'file://../toolkit'}\n",
		"deploy/nova/templates/a.yaml":           "{{ include \"toolkit.text\" . }}\n",
		"deploy/nova/.helmignore":                "*.md\n",
		"deploy/nova/NOTES.md":                   "notes\n",
		"deploy/toolkit/Chart.yaml":              "apiVersion: v2\nname: toolkit\nversion: 0.1.0\ntype: library\n",
		"deploy/toolkit/templates/_helpers.tpl":  "{{ define \"toolkit.text\" }}text{{ end }}\n",
		"deploy/glance/Chart.yaml":               "apiVersion: v2\nname: glance\nversion: 1.3.0\n",
		"deploy/misnamed/Chart.yaml":             "apiVersion: v2\nname: other\nversion: 1.3.0\n",
		"deploy/lonely/Chart.yaml":               "apiVersion: v2\nname: lonely\nversion: 1.0.0\ndependencies:\n- {name: far, version: '>= 0', repository: 'https://charts.example.org'}\n",
		"deploy/climber/Chart.yaml":              "apiVersion: v2\nname: climber\nversion: 1.0.0\ndependencies:\n- {name: up, version: '>= 0', repository: 'file://../../../up'}\n",
		"deploy/outside/Chart.yaml":              "apiVersion: v2\nname: outside\nversion: 1.0.0\n",
		"deploy/circle/Chart.yaml":               "apiVersion: v2\nname: circle\nversion: 1.0.0\n",
		"deploy/linked/Chart.yaml":               "apiVersion: v2\nname: linked\nversion: 1.0.0\n",
		"deploy/linked/templates/_own.tpl":       "own\n",
		"shared/values.yaml":                     "shared: true\n",
		"shared/templates/deep/_more.tpl":        "more\n",
		"deploy/large/Chart.yaml":                "apiVersion: v2\nname: large\nversion: 1.0.0\n",
		"deploy/large/files/pointer":             "version https://git-lfs.github.com/spec/v1\noid sha256:" + strings.Repeat("0", 64) + "\nsize 12\n",
		"deploy/modular/Chart.yaml":              "apiVersion: v2\nname: modular\nversion: 1.0.0\n",
		"deploy/modular/templates/configmap.txt": "text\n",
	}
	b.first = b.repo.Commit(t, files, "Begin",
		gitserver.Symlink("deploy/outside/files/passwd", "/etc/passwd"), gitserver.Symlink("deploy/circle/files/up", ".."),
		gitserver.Symlink("deploy/linked/values.yaml", "../../shared/values.yaml"), gitserver.Symlink("deploy/linked/templates/shared", "../../../shared/templates"),
		gitserver.Symlink("deploy/alias", "nova"))
	b.server = gitserver.StartHTTPS(t, store)
	b.server.SetUser("reader", secretWord, gitserver.ReadOnly)
	b.options = b.newOptions(t)
	return b
}

// newOptions are those of a machine that has fetched nothing yet.
func (b *gitBed) newOptions(t *testing.T) Options {
	t.Helper()
	options := Options{CacheDir: t.TempDir(), CredentialsFile: filepath.Join(t.TempDir(), "config.json")}
	options.Git = func(context.Context) (gitrepo.Credentials, error) {
		return gitrepo.Credentials{CABundle: b.server.CA()}, nil
	}
	b.login(t, options, b.server.Addr(), secretWord)
	return options
}

func (b *gitBed) login(t *testing.T, options Options, host, password string) {
	t.Helper()
	text := fmt.Sprintf(`{"auths": {%q: {"username": "reader", "password": %q}}}`, host, password)
	if err := os.WriteFile(options.CredentialsFile, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (b *gitBed) address(query string) string {
	return "git+" + b.server.URL(b.repo) + "//deploy" + query
}

func (b *gitBed) requests() gitserver.Counts { return b.server.Requests()[b.repo.Name] }

// lockOne locks a chart, as it must be possible.
func (b *gitBed) lockOne(t *testing.T, options Options, name, constraint, query string) chartlock.Entry {
	t.Helper()
	entries, err := Lock(t.Context(), options, []chartlock.Wanted{wantedOf(b.address(query), name, constraint)})
	if err != nil {
		t.Fatal(err)
	}
	return entries[0]
}

func find(t *testing.T, options Options, entry chartlock.Entry) (*source, error) {
	t.Helper()
	found, err := newCharts(options).find(t.Context(), chartOf(entry))
	if err != nil && strings.Contains(err.Error(), secretWord) {
		t.Error("the error has the password")
	}
	return found, err
}

// contents returns the files of a chart, those of the charts in it included.
func contentsOf(s *source) map[string]string {
	all := map[string]string{}
	for _, file := range s.files {
		all[file.Name] = string(file.Data)
	}
	return all
}

func TestLockGit(t *testing.T) {
	b := newGitBed(t)
	wanted := []chartlock.Wanted{wantedOf(b.address(""), "glance", ""), wantedOf(b.address(""), "nova", "~1.4")}
	entries, err := Lock(t.Context(), b.options, wanted)
	if err != nil {
		t.Fatal(err)
	}
	for i, version := range []string{"1.3.0", "1.4.0"} {
		if e := entries[i]; e.Version != version || e.Commit != b.first || e.Wanted != wanted[i] {
			t.Errorf("%v is %v", wanted[i], e)
		}
	}
	if n := b.requests(); n.Fetch != 1 || n.ListRefs != 2 {
		t.Errorf("%+v for two charts of one commit", n)
	}
	if _, err := chartlock.Parse(chartlock.New(entries).Bytes()); err != nil {
		t.Errorf("the lock file: %v", err)
	}

	// What was locked is there without asking anybody: the chart, and what it depends on by file://.
	before := b.requests()
	found, err := find(t, b.options, entries[1])
	if err != nil || b.requests() != before {
		t.Fatalf("%v, and %+v requests after %+v", err, b.requests(), before)
	}
	names := slices.Sorted(maps.Keys(contentsOf(found)))
	want := []string{".helmignore", "Chart.yaml", "charts/toolkit/Chart.yaml", "charts/toolkit/templates/_helpers.tpl", "templates/a.yaml"}
	if !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
	loaded, err := found.chart()
	if err != nil || len(loaded.Dependencies()) != 1 || loaded.Dependencies()[0].Name() != "toolkit" {
		t.Errorf("the chart: %+v, %v", loaded, err)
	}

	// A branch that moves is not followed: elsewhere the commit that was locked is fetched, and it alone.
	second := b.repo.Commit(t, map[string]string{"deploy/toolkit/templates/_helpers.tpl": "{{ define \"toolkit.text\" }}another{{ end }}\n"}, "Another text")
	elsewhere := b.newOptions(t)
	before = b.requests()
	again, err := find(t, elsewhere, entries[1])
	if err != nil || !maps.Equal(contentsOf(again), contentsOf(found)) || b.requests().Fetch != before.Fetch+1 {
		t.Errorf("elsewhere: %v, %+v after %+v", err, b.requests(), before)
	}
	if next := b.lockOne(t, b.options, "nova", "~1.4", ""); next.Commit != second || next.Digest == entries[1].Digest || next.Version != "1.4.0" {
		t.Errorf("locked again: %v", next)
	}
	// A commit that leaves the chart alone leaves its digest alone, too.
	if next := b.lockOne(t, b.options, "glance", "", ""); next.Commit != second || next.Digest != entries[0].Digest {
		t.Errorf("locked again: %v, was %v", next, entries[0])
	}
	// A tag is another place.
	b.repo.ForcePush(t, "refs/tags/v1", b.first)
	if tagged := b.lockOne(t, b.options, "nova", "", "?ref=v1"); tagged.Commit != b.first || tagged.Digest != entries[1].Digest {
		t.Errorf("of a tag: %v", tagged)
	}
}

// What is wrong in the repository is told with the chart and the commit, and nothing is locked.
func TestLockGitRefuses(t *testing.T) {
	b := newGitBed(t)
	index := filepath.Join(t.TempDir(), "index")
	git := func(args ...string) string {
		t.Helper()
		command := exec.CommandContext(t.Context(), "git", append([]string{"-C", b.repo.Dir, "-c", "user.name=T", "-c", "user.email=t@example.org"}, args...)...)
		command.Env = append(os.Environ(), "GIT_INDEX_FILE="+index)
		said, err := command.Output()
		if err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		return strings.TrimSpace(string(said))
	}
	git("read-tree", b.first)
	git("update-index", "--add", "--cacheinfo", "160000,"+b.first+",deploy/modular/files")
	git("update-index", "--add", "--cacheinfo", "160000,"+b.first+",deploy/module")
	b.repo.ForcePush(t, "refs/heads/main", git("commit-tree", "-m", "Modules", git("write-tree")))
	for _, c := range []struct{ name, constraint, query, want string }{
		{"heat", "", "", "there is no chart heat in the directory deploy"},
		{"nova", ">= 2", "", `is of version "1.4.0", and >= 2 is wanted`},
		{"misnamed", "", "", `has the chart "other" under this name`},
		{"lonely", "", "", "chart lonely depends on far >= 0, which is neither in its charts/ nor beside it: run helm dependency build"},
		{"climber", "", "", "there is no chart at ../up"},
		{"outside", "", "", "leads out of the repository"},
		{"circle", "", "", "too deep"},
		{"large", "", "", "Git LFS"},
		{"modular", "", "", "submodule"},
		{"module", "", "", "submodule"},
		{"nova", "", "?ref=nowhere", `no branch or tag "nowhere"`},
	} {
		wanted := wantedOf(b.address(c.query), c.name, c.constraint)
		entries, err := Lock(t.Context(), b.options, []chartlock.Wanted{wanted})
		if err == nil || entries != nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "chart "+wanted.String()) {
			t.Errorf("%s: %v, %v; want %q", wanted, entries, err, c.want)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(b.options.CacheDir, "chart-*")); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
}

// Links within the repository are what they lead to.
func TestLockGitFollowsLinksWithin(t *testing.T) {
	b := newGitBed(t)
	linked, err := find(t, b.options, b.lockOne(t, b.options, "linked", "", ""))
	if err != nil {
		t.Fatal(err)
	}
	all := contentsOf(linked)
	if all["values.yaml"] != "shared: true\n" || all["templates/shared/deep/_more.tpl"] != "more\n" || all["templates/_own.tpl"] != "own\n" {
		t.Errorf("got %q", all)
	}
}

// A cached chart counts only with the digest that was locked.
func TestGitCacheIsChecked(t *testing.T) {
	b := newGitBed(t)
	entry := b.lockOne(t, b.options, "nova", "", "")
	cached, err := find(t, b.options, entry)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(b.options.CacheDir, strings.TrimPrefix(entry.Digest, digestPrefix)+".tgz")
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	tampered := &source{digest: cached.digest}
	for _, f := range cached.files {
		tampered.files = append(tampered.files, &loader.BufferedFile{Name: f.Name, Data: append(slices.Clone(f.Data), '#')})
	}
	for name, spoil := range map[string]func() error{
		"another content": func() error { return newCharts(b.options).keepFiles(tampered) },
		"half of it":      func() error { return os.WriteFile(file, whole[:len(whole)/2], 0o600) },
		"nothing":         func() error { return os.Remove(file) },
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		found, err := find(t, b.options, entry)
		if err != nil || !maps.Equal(contentsOf(found), contentsOf(cached)) {
			t.Errorf("%s: %v", name, err)
		}
		if again, err := os.ReadFile(file); err != nil || string(again) != string(whole) {
			t.Errorf("%s: the cache is not mended: %v", name, err)
		}
	}

	// A lock file with another digest is refused: the commit has never had that.
	wrong := entry
	wrong.Digest = digestPrefix + strings.Repeat("0", 64)
	_, err = find(t, b.options, wrong)
	if !unit.IsBlocked(err) || !strings.Contains(err.Error(), entry.Digest) || !strings.Contains(err.Error(), "lock --upgrade=nova") {
		t.Errorf("with another digest: %v", err)
	}
	unlocked := chartOf(entry)
	unlocked.Digest, unlocked.Commit = "", ""
	if _, err := newCharts(b.options).find(t.Context(), unlocked); !unit.IsBlocked(err) || !strings.Contains(err.Error(), "kupenstack-sync lock") {
		t.Errorf("without a lock: %v", err)
	}
}

// Whatever keeps a commit from being fetched is worth another try, and never means that there is no chart.
func TestGitOutOfReach(t *testing.T) {
	b := newGitBed(t)
	entry := b.lockOne(t, b.options, "nova", "", "")
	refused := func(what, want string, options Options, entry chartlock.Entry) {
		t.Helper()
		_, err := find(t, options, entry)
		if err == nil || unit.IsBlocked(err) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "download chart nova 1.4.0 of git+https://") {
			t.Errorf("%s: %v, want %q", what, err, want)
		}
	}
	options := b.newOptions(t)
	b.login(t, options, b.server.Addr(), "old-"+secretWord)
	refused("a wrong password", "(401)", options, entry)
	if _, err := Lock(t.Context(), options, []chartlock.Wanted{entry.Wanted}); err == nil || !strings.Contains(err.Error(), "(401)") || strings.Contains(err.Error(), secretWord) {
		t.Errorf("a wrong password: %v", err)
	}
	b.login(t, options, "git.example.org", secretWord)
	refused("the password of another host", "(401)", options, entry)
	b.login(t, options, b.server.Addr(), secretWord) // rotated
	if _, err := find(t, options, entry); err != nil {
		t.Errorf("with the right password: %v", err)
	}

	gone := entry
	gone.Commit = strings.Repeat("0f", 20)
	refused("a commit that is not there", "does not have the commit", b.newOptions(t), gone)
	refused("a commit that is not there", "lock --upgrade=nova", b.newOptions(t), gone)

	options = b.newOptions(t)
	options.Git = nil
	refused("an unknown authority", "certificate", options, entry)

	options = b.newOptions(t)
	b.server.Stop(t)
	refused("a server that is down", "connection refused", options, entry)
	if _, err := find(t, b.options, entry); err != nil {
		t.Errorf("with the chart at hand: %v", err)
	}
}

func TestGitOverSSH(t *testing.T) {
	slowtest.Test(t)
	store := gitserver.NewStore(t)
	repo := store.Create(t, "charts")
	commit := repo.Commit(t, map[string]string{"glance/Chart.yaml": "apiVersion: v2\nname: glance\nversion: 1.3.0\n"}, "Begin")
	server := gitserver.StartSSH(t, store)
	key := gitserver.NewKey(t)
	server.AllowKey(key.Signer.PublicKey(), gitserver.ReadOnly)
	known := server.KnownHosts() + "\n"
	options := Options{CacheDir: t.TempDir(), Git: func(context.Context) (gitrepo.Credentials, error) {
		return gitrepo.Credentials{SSHKey: redact.NewSecret(string(key.PEM)), KnownHosts: []byte(known)}, nil
	}}
	wanted := []chartlock.Wanted{wantedOf("git+"+server.URL(repo), "glance", "")}
	entries, err := Lock(t.Context(), options, wanted)
	if err != nil || entries[0].Commit != commit {
		t.Fatalf("%v, %v", entries, err)
	}
	options.CacheDir = t.TempDir()
	if _, err := find(t, options, entries[0]); err != nil {
		t.Error(err)
	}
	known, options.CacheDir = "", t.TempDir()
	if _, err := find(t, options, entries[0]); err == nil || unit.IsBlocked(err) || !strings.Contains(err.Error(), "known hosts") {
		t.Errorf("without known hosts: %v", err)
	}
}

// Charts of OpenStack-Helm, with their library beside them: those of a checkout where there is one. Several processes share
// a directory, and all find the same.
func TestGitOfOpenStackHelm(t *testing.T) {
	b := newGitBed(t)
	tree, err := openstackhelm.Tree()
	if err != nil {
		t.Fatal(err)
	}
	b.repo.Commit(t, tree, "OpenStack-Helm")
	address := "git+" + b.server.URL(b.repo) + "?ref=main"
	var wanted []chartlock.Wanted
	for _, name := range openstackhelm.Names() {
		wanted = append(wanted, wantedOf(address, name, ""))
	}
	locked := make([][]chartlock.Entry, 3)
	var group sync.WaitGroup
	for i := range locked {
		group.Go(func() {
			var err error
			if locked[i], err = Lock(t.Context(), b.options, wanted); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	for _, entry := range locked[0] {
		found, err := find(t, b.options, entry)
		if err != nil {
			t.Errorf("%s: %v", entry.Name, err)
			continue
		}
		loaded, err := found.chart()
		if err != nil || len(loaded.Metadata.Dependencies) != len(loaded.Dependencies()) || loaded.Name() != entry.Name {
			t.Errorf("%s: %v", entry.Name, err)
		}
	}
	for _, other := range locked[1:] {
		if !slices.Equal(other, locked[0]) {
			t.Errorf("got %v and %v", locked[0], other)
		}
	}
}
