package statusbranch

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
)

// planFolder is where plans are.
const planFolder = "plans"

// The files of a plan are named after its ref: refs/heads/a/b is heads~a~b, as no ref has a tilde. A ref
// with anything that some file system could mistake, capitals first of all, is written as far as it can
// be, and a digest of all of it follows two tildes, which no other name has. Every name has a tilde, so that
// files that people put there are not taken for ours.
var (
	plainPlan  = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]*(?:~[a-z0-9._-]+)+$`)
	digestPlan = regexp.MustCompile(`^[a-z0-9-]{0,60}~~[0-9a-f]{32}$`)
	unplain    = regexp.MustCompile(`[^a-z0-9]+`)
)

// maxPlainPlan is how long a name may be before a digest takes the place of its end.
const maxPlainPlan = 100

// The ends of the names of a plan's files.
const (
	planPage     = ".md"
	planDocument = ".json"
)

// PlanFile is the page of a ref's plan, from the top of the branch. Two refs never share one.
func PlanFile(ref string) string { return planFolder + "/" + planName(ref) + planPage }

// planName is the name of the files of a ref's plan.
func planName(ref string) string {
	short, full := strings.CutPrefix(ref, "refs/")
	name := strings.ReplaceAll(short, "/", "~")
	if full && !strings.Contains(ref, "~") && len(name) <= maxPlainPlan && plainPlan.MatchString(name) {
		return name
	}
	sum := sha256.Sum256([]byte(ref))
	readable := strings.Trim(unplain.ReplaceAllString(strings.ToLower(short), "-"), "-")
	return readable[:min(len(readable), 60)] + "~~" + hex.EncodeToString(sum[:16])
}

// isPlanName tells whether planName returns this for some ref.
func isPlanName(name string) bool {
	return len(name) <= maxPlainPlan && (plainPlan.MatchString(name) || digestPlan.MatchString(name))
}

// refsOf returns the ref that each of the names is of, and its commit, as far as there are such refs.
func refsOf(names []string, refs gitrepo.Refs) map[string]planRef {
	found := map[string]planRef{}
	digests := map[string]bool{}
	for _, name := range names {
		if strings.Contains(name, "~~") {
			digests[name] = true
			continue
		}
		ref := "refs/" + strings.ReplaceAll(name, "~", "/")
		if commit := refs.Hash(ref); commit != "" {
			found[name] = planRef{ref, commit}
		}
	}
	if len(digests) == 0 {
		return found // so that a long list of refs is gone through only when it has to be
	}
	for ref, commit := range refs.All() {
		if name := planName(ref); digests[name] {
			found[name] = planRef{ref, commit}
		}
	}
	return found
}

// planRef is a ref that there is.
type planRef struct {
	name, commit string
}
