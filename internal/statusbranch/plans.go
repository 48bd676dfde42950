package statusbranch

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/internal/report"
)

// maxPlans is of how many plans the files are read. Others are there all the same, and go with their refs.
const maxPlans = 500

const (
	// maxDocument is how much of a plan's JSON is read: more than we write.
	maxDocument = 4 << 20
	// maxDocuments is how much is read of those that are new, all together. Others are read at a later look.
	maxDocuments = 64 << 20
)

// filed is what a commit of the branch has of plans: by their names the hash of the JSON, which is empty
// where only the page is there.
type filed map[string]string

// plansIn lists the plans of a tree. What has no name of ours, or is no plain file, is none.
func plansIn(tree *gitrepo.Tree) (filed, error) {
	found := filed{}
	if tree == nil {
		return found, nil
	}
	files, err := tree.Files(planFolder)
	if err != nil {
		return nil, err
	}
	for name, hash := range files {
		page, isPage := strings.CutSuffix(name, planPage)
		document, isDocument := strings.CutSuffix(name, planDocument)
		switch {
		case isPage && isPlanName(page):
			if _, known := found[page]; !known {
				found[page] = ""
			}
		case isDocument && isPlanName(document):
			found[document] = hash
		}
	}
	return found, nil
}

// Plans returns the plans of refs that the last ls-remote told of, by their files. Those that the next
// [Branch.Publish] with the same commits will remove are left out. It makes a request only when that
// ls-remote told of a commit on the branch that this process did not make or see, or when there was none
// yet.
func (b *Branch) Plans(ctx context.Context, merged []string) ([]report.OpenPlan, error) {
	refs, ok := b.watched.Seen()
	if !ok {
		var err error
		if refs, err = b.look(ctx); err != nil {
			return nil, err
		}
	}
	at := refs.Hash(b.ref) // "" without a branch
	if at != b.plans.asked && at != b.plans.commit {
		tree, err := b.tip(ctx, refs)
		if err != nil {
			return nil, err
		}
		if err := b.see(tree, refs); err != nil {
			return nil, err
		}
		b.plans.asked = at // the tip may have moved on since
	}
	if at == "" {
		return nil, nil
	}
	open, _ := b.sort(b.plans.filed, refs, merged)
	return open, nil
}

// seenPlans is what is known of the plans on the branch.
type seenPlans struct {
	asked, commit string // the commit that was asked for, and the one that came
	filed         filed
	heads         map[string]report.PlanHead // by the JSON that they begin
}

// see notes the plans of a commit, and reads those that are new and whose refs there are: of others nothing is told.
func (b *Branch) see(tree *gitrepo.Tree, refs gitrepo.Refs) error {
	there, err := plansIn(tree)
	if err != nil {
		return err
	}
	heads, left := map[string]report.PlanHead{}, maxDocuments
	open := slices.Sorted(maps.Keys(refsOf(slices.Collect(maps.Keys(there)), refs)))
	for _, name := range first(open, maxPlans) {
		hash := there[name]
		head, known := b.plans.heads[hash]
		if !known && hash != "" {
			if left <= 0 {
				continue
			}
			content, err := tree.Blob(hash, maxDocument)
			if err == nil {
				head = report.ReadPlanHead(content) // of what cannot be read nothing is known
			}
			left -= len(content)
		}
		heads[hash] = head
	}
	b.plans.filed, b.plans.heads = there, heads
	if b.plans.commit = ""; tree != nil {
		b.plans.commit = tree.Revision.Hash
	}
	return nil
}

func first(list []string, limit int) []string { return list[:min(len(list), limit)] }

// sort tells which plans are open, and the names of those that are not: their ref is gone, or what was
// planned, or all that the ref has, is among the merged commits.
func (b *Branch) sort(there filed, refs gitrepo.Refs, merged []string) (open []report.OpenPlan, over []string) {
	names := slices.Sorted(maps.Keys(there))
	known := refsOf(names, refs)
	for _, name := range names {
		ref, exists := known[name]
		head := b.plans.heads[there[name]]
		if !exists || slices.Contains(merged, ref.commit) || head.Commit != "" && slices.Contains(merged, head.Commit) {
			over = append(over, name)
			continue
		}
		open = append(open, report.OpenPlan{Ref: ref.name, File: planFolder + "/" + name + planPage, Head: head})
	}
	return open, over
}

// planFiles are the paths of the files of plans.
func planFiles(names []string) []string {
	var files []string
	for _, name := range names {
		files = append(files, planFolder+"/"+name+planPage, planFolder+"/"+name+planDocument)
	}
	return files
}

// Plan is the plan of a ref, to be published.
type Plan struct {
	Ref    string // full name
	Commit string // that was planned
	At     time.Time
	// Render returns the page and the JSON of the plan as made at a time. The same time gives the same bytes.
	Render  func(at time.Time) (page, document []byte)
	Message string
}

// PlanResult says what became of a plan.
type PlanResult struct {
	Changed bool   // something was written
	Commit  string // that has the plan now
	// Passed tells that nothing was written because the ref is gone, or has the plan of a newer commit.
	Passed bool
}

// errPassed says that a plan is not wanted any more.
var errPassed = errors.New("the ref has moved on")

// PublishPlan makes the branch's newest commit have the plan of a ref, and leaves everything else in there as
// it is. Nothing is written when only the time is another one. Errors are those of [Branch.Publish]: where the
// report of another path is, a plan would take the place of that cloud's plan of the same ref.
func (b *Branch) PublishPlan(ctx context.Context, p Plan) (PlanResult, error) {
	name := planName(p.Ref)
	page, document := planFolder+"/"+name+planPage, planFolder+"/"+name+planDocument
	us, err := b.identify(ctx)
	if err != nil {
		return PlanResult{}, err
	}
	result, err := b.push(ctx, p.Message, func(refs gitrepo.Refs, tree *gitrepo.Tree) (map[string][]byte, []string, error) {
		if _, err := b.claim(us, tree); err != nil {
			return nil, nil, err
		}
		old := planHead(tree, document)
		newest := refs.Hash(p.Ref)
		if newest == "" || newest != p.Commit && old.Commit == newest {
			return nil, nil, &final{errPassed}
		}
		files := map[string][]byte{}
		files[page], files[document] = p.Render(p.At)
		if was := old.Time(); !was.IsZero() {
			same := map[string][]byte{}
			if same[page], same[document] = p.Render(was); has(tree, same) {
				files = same
			}
		}
		return files, nil, nil
	})
	if errors.Is(err, errPassed) {
		return PlanResult{Passed: true}, nil
	}
	return PlanResult{Changed: result.Changed, Commit: result.Commit}, err
}

// planHead returns what is told of the plan that a file of the tree has.
func planHead(tree *gitrepo.Tree, file string) report.PlanHead {
	content, err := content(tree, file, maxDocument)
	if err != nil {
		return report.PlanHead{}
	}
	return report.ReadPlanHead(content)
}

// has tells whether a tree has these files.
func has(tree *gitrepo.Tree, files map[string][]byte) bool {
	for name, want := range files {
		if hash, err := tree.Find(name); err != nil || hash != gitrepo.BlobHash(want) {
			return false
		}
	}
	return true
}

// content reads a file of a tree, which may be nil.
func content(tree *gitrepo.Tree, name string, limit int64) ([]byte, error) {
	if tree == nil {
		return nil, fs.ErrNotExist
	}
	hash, err := tree.Find(name)
	if err != nil {
		return nil, err
	}
	return tree.Blob(hash, limit)
}
