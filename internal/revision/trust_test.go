package revision_test

import (
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/internal/signature"
	"github.com/kupenstack/kupenstack-sync/test/gitserver"
)

// people are those whose commits are taken, which may change at any time.
type people struct {
	list string
	fail error
}

func (p *people) trust(t *testing.T, keys ...*gitserver.Key) {
	t.Helper()
	p.list = ""
	for _, key := range keys {
		p.list += "somebody@example.org " + key.AuthorizedKey() + "\n"
	}
}

func (p *people) signers() (*signature.Signers, error) {
	if p.fail != nil {
		return nil, p.fail
	}
	return signature.Parse([]signature.File{{Name: "list", Content: []byte(p.list)}})
}

// trusting is a process that takes only their commits.
func (p *pods) trusting(who *people, history bool, cache string) *revision.Tracker {
	tracker := p.start(cache)
	tracker.Trust = &revision.Trust{Signers: who.signers, History: history}
	return tracker
}

// untrusted checks that the newest revision is not taken, and what is said of it.
func untrusted(t *testing.T, tracker *revision.Tracker, inForce string, says ...string) {
	t.Helper()
	state := tracker.State()
	if state.Bad == nil || state.Applied.Hash != inForce {
		t.Fatalf("in force is %q, bad is %v", state.Applied.Hash, state.Bad)
	}
	text := state.Bad.Text(false)
	for _, want := range append(says, "error[revision.untrusted]", "--verify") {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in:\n%s", want, text)
		}
	}
}

// Only commits of those who are listed are taken, the last good one stays, and the list counts as it is now.
func TestOnlySignedCommitsAreTaken(t *testing.T) {
	p, who := newPods(t), &people{}
	ada, bob := gitserver.NewKey(t), gitserver.NewKey(t)
	who.trust(t, ada)
	tracker := p.trusting(who, false, t.TempDir())
	first := p.commit(one, gitserver.SignedBy(ada))
	got := poll(t, tracker, "project.one")
	p.keep(tracker, got.ID)

	p.commit(two)
	poll(t, tracker)
	untrusted(t, tracker, first, "is not signed")
	byBob := p.commit(two, gitserver.SignedBy(bob))
	poll(t, tracker)
	untrusted(t, tracker, first, byBob, "an SSH key that is not among those")
	poll(t, tracker)
	untrusted(t, tracker, first, byBob)

	who.fail = errors.New("the file is away")
	if got, err := tracker.Poll(t.Context()); got != nil || err == nil || !strings.Contains(err.Error(), "read who is trusted to sign commits: the file is away") {
		t.Errorf("got %v, %v", got, err)
	}
	untrusted(t, tracker, first, byBob)
	who.fail = nil
	who.trust(t, ada, bob)
	poll(t, tracker, "project.one", "project.two")
	if state := tracker.State(); state.Bad != nil || state.Applied.Hash != byBob {
		t.Errorf("once Bob is listed: %+v", state)
	}
}

// A process that begins takes nothing from its cache or from history that is not trusted, with and without Git.
func TestStartWithoutTrust(t *testing.T) {
	p, who, cache := newPods(t), &people{}, t.TempDir()
	ada, bob := gitserver.NewKey(t), gitserver.NewKey(t)
	who.trust(t, ada)
	first := p.commit(one, gitserver.SignedBy(ada))
	tracker := p.trusting(who, false, cache)
	p.keep(tracker, poll(t, tracker, "project.one").ID)
	p.commit(two)

	again := p.trusting(who, false, t.TempDir()) // elsewhere, so that what was in force comes from the history
	expect(t, poll(t, again, "project.one"), "project.one")
	untrusted(t, again, first, "is not signed")

	who.trust(t, bob)
	none := p.trusting(who, false, t.TempDir())
	poll(t, none)
	untrusted(t, none, "", "is not signed")
	if problem := none.State().Problem(); !strings.Contains(problem, "the last good one, "+first+", is signed with an SSH key that is not among those") {
		t.Errorf("the problem is %q", problem)
	}

	p.server.Stop(t)
	who.trust(t, ada)
	offline := p.trusting(who, false, cache)
	got, err := offline.Poll(t.Context())
	if err == nil {
		t.Fatal("the repository is there")
	}
	expect(t, got, "project.one")
	who.trust(t, bob)
	offline = p.trusting(who, false, cache)
	if got, _ := offline.Poll(t.Context()); got != nil {
		t.Errorf("it takes %v", units(got))
	}
	untrusted(t, offline, "", first)
	if got, _ := offline.Poll(t.Context()); got != nil {
		t.Errorf("it takes %v", units(got))
	}
	who.trust(t, bob, ada)
	if got, err = offline.Poll(t.Context()); got == nil || err == nil {
		t.Fatalf("once she is listed: %v, %v, %+v", got, err, offline.State())
	}
	expect(t, got, "project.one")
	if got, _ := offline.Poll(t.Context()); got != nil {
		t.Errorf("it takes %v once more", units(got))
	}
}

// With the history, a commit that nobody has signed is not taken either when a signed one is on top of it.
func TestHistoryIsTrusted(t *testing.T) {
	p, who := newPods(t), &people{}
	ada := gitserver.NewKey(t)
	who.trust(t, ada)
	p.commit(broken) // before anything was in force: nobody asks
	first := p.commit(one, gitserver.SignedBy(ada))
	tracker := p.trusting(who, true, t.TempDir())
	p.keep(tracker, poll(t, tracker, "project.one").ID)
	slipped := p.commit(two)
	poll(t, tracker)
	untrusted(t, tracker, first, slipped+" is not signed", "on top of the commit in force without it") // one on top of it does not help
	last := p.commit(two+"\n", gitserver.SignedBy(ada))
	poll(t, tracker)
	untrusted(t, tracker, first, last, "comes after "+slipped+", which is not signed", "on top of the commit in force without it")
	source, err := gitrepo.Open(t.Context(), gitrepo.Options{URL: p.server.URL(p.repository), CacheDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	tree, err := source.Fetch(t.Context(), gitrepo.Revision{Ref: "refs/heads/main", Hash: last})
	if err != nil {
		t.Fatal(err)
	}
	for history, warns := range map[bool]string{true: "comes after " + slipped, false: ""} {
		warned, err := (&revision.Trust{Signers: who.signers, History: history}).WarnHistory(t.Context(), source, tree, first)
		if text := (revision.Findings{Diagnostics: warned}).Text(false); err != nil || !strings.Contains(text, warns) || (len(warned) > 0) != history || warned.HasErrors() {
			t.Errorf("who plans it is told %q, %v", text, err)
		}
	}

	alone := p.trusting(who, false, t.TempDir())
	expect(t, poll(t, alone, "project.one", "project.two"), "project.one", "project.two")

	good := p.commit(one+"\n", gitserver.Onto(first), gitserver.SignedBy(ada))
	poll(t, tracker, "project.one")
	if state := tracker.State(); state.Bad != nil || state.Applied.Hash != good {
		t.Errorf("without it: %+v", state)
	}
}

// A commit that is too large for its signature to be looked at is not trusted, whoever signed it: neither as the newest nor,
// with the history, behind it.
func TestLargeCommitsAreNotTrusted(t *testing.T) {
	p, who := newPods(t), &people{}
	ada := gitserver.NewKey(t)
	who.trust(t, ada)
	first := p.commit(one, gitserver.SignedBy(ada))
	tracker, history := p.trusting(who, false, t.TempDir()), p.trusting(who, true, t.TempDir())
	for _, tracker := range []*revision.Tracker{tracker, history} {
		p.keep(tracker, poll(t, tracker, "project.one").ID)
	}
	const why = "is larger than 1 MiB, and is not looked at"
	large := func(options ...gitserver.CommitOption) string {
		return p.repository.Commit(t, map[string]string{"main.hcl": two}, strings.Repeat("x", 1_200_000), options...)
	}
	signed := large(gitserver.SignedBy(ada))
	for range 2 { // it is looked at once, and said all the time
		poll(t, tracker)
		untrusted(t, tracker, first, signed+" "+why, "without the large one")
	}
	unsigned := large()
	for _, tracker := range []*revision.Tracker{tracker, history} {
		poll(t, tracker)
		untrusted(t, tracker, first, unsigned+" "+why)
	}
	again := p.trusting(who, true, t.TempDir())
	expect(t, poll(t, again, "project.one"), "project.one")
	untrusted(t, again, first, unsigned+" "+why)

	p.repository.ForcePush(t, "refs/heads/main", signed)
	last := p.commit(two+"\n", gitserver.SignedBy(ada))
	poll(t, history)
	untrusted(t, history, first, last+" comes after "+signed+", which "+why, "without the large one")
	poll(t, tracker, "project.one", "project.two")

	good := p.commit(one+"\n", gitserver.Onto(first), gitserver.SignedBy(ada))
	poll(t, history, "project.one")
	if state := history.State(); state.Bad != nil || state.Applied.Hash != good {
		t.Errorf("without it: %+v", state)
	}
}

// With the history, who may push and not sign cannot have an old signed commit applied again, or one that was never
// merged, or one of another repository. Only what comes after the one in force is taken.
func TestHistoryDoesNotGoBack(t *testing.T) {
	p, who := newPods(t), &people{}
	ada := gitserver.NewKey(t)
	who.trust(t, ada)
	first := p.commit(one, gitserver.SignedBy(ada))
	second := p.commit(two, gitserver.SignedBy(ada))
	tracker := p.trusting(who, true, t.TempDir())
	p.keep(tracker, poll(t, tracker, "project.one", "project.two").ID)

	refused := func(at string) {
		t.Helper()
		poll(t, tracker)
		untrusted(t, tracker, second, at+" does not have the commit in force, "+second, "--verify-history", "git revert")
		again := p.trusting(who, true, t.TempDir()) // it knows what was in force from the ledger alone
		poll(t, again)
		untrusted(t, again, "", at+" does not have the commit in force, "+second)
		if problem := again.State().Problem(); !strings.Contains(problem, "nothing is changed") {
			t.Errorf("the problem is %q", problem)
		}
	}
	p.repository.ForcePush(t, "refs/heads/main", first)
	refused(first)
	refused(p.commit(one+"\n", gitserver.Onto(first), gitserver.SignedBy(ada)))
	elsewhere := p.commit(one+"\n\n", gitserver.Orphan(), gitserver.SignedBy(ada))
	refused(elsewhere)

	p.repository.ForcePush(t, "refs/heads/main", second)
	back := p.commit(one+"\n", gitserver.SignedBy(ada))
	poll(t, tracker, "project.one")
	if state := tracker.State(); state.Bad != nil || state.Applied.Hash != back {
		t.Errorf("on top of it: %+v", state)
	}

	p.repository.ForcePush(t, "refs/heads/main", elsewhere)
	p.keep(tracker, back)
	poll(t, tracker)
	once := p.trusting(who, false, t.TempDir())
	p.keep(once, poll(t, once, "project.one").ID)
	history := p.trusting(who, true, t.TempDir())
	poll(t, history, "project.one")
	if state := history.State(); state.Bad != nil || state.Applied.Hash != elsewhere {
		t.Errorf("after a start without: %+v", state)
	}
}

// With the history, a merged branch is not hidden by another order of the headers of its merge: what is signed is the same, and
// of its parents Git sees those alone that stand in their place.
func TestMergedBranchesCannotBeHidden(t *testing.T) {
	p, who := newPods(t), &people{}
	ada := gitserver.NewKey(t)
	who.trust(t, ada)
	first := p.commit(one, gitserver.SignedBy(ada))
	tracker := p.trusting(who, true, t.TempDir())
	p.keep(tracker, poll(t, tracker, "project.one").ID)
	slipped := p.commit(two, gitserver.OnBranch("feature"), gitserver.Onto(first))
	merge := p.commit(two, gitserver.Merging(slipped), gitserver.SignedBy(ada))
	poll(t, tracker)
	untrusted(t, tracker, first, merge, "comes after "+slipped+", which is not signed")

	raw := p.repository.Raw(t, merge)
	second := "parent " + slipped + "\n"
	for _, header := range []string{"gpgsig-sha256 x\n", raw[strings.Index(raw, "gpgsig "):strings.Index(raw, " -----END SSH SIGNATURE-----\n")] + " -----END SSH SIGNATURE-----\n"} {
		hidden := strings.Replace(strings.Replace(raw, header, "", 1), second, header+second, 1)
		write := exec.CommandContext(t.Context(), "git", "hash-object", "-t", "commit", "-w", "--literally", "--stdin")
		write.Dir, write.Stdin = p.repository.Dir, strings.NewReader(hidden)
		hash, err := write.Output()
		if err != nil {
			t.Fatal(err)
		}
		p.repository.ForcePush(t, "refs/heads/main", strings.TrimSpace(string(hash)))
		poll(t, tracker)
		untrusted(t, tracker, first, `has the header "parent" behind a signature`)
	}
}
