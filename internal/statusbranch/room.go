package statusbranch

import (
	"fmt"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
)

// apart makes sure that the branch can be beside the ref that is watched, as far as its name tells. Git keeps a ref as a
// file, so that none lies below another one.
func (b *Branch) apart(watched string) error {
	full := watched
	if !strings.HasPrefix(full, "refs/") {
		full = branches + full // or it is a tag
	}
	switch name := strings.TrimPrefix(b.ref, branches); {
	case name == "HEAD" || strings.HasPrefix(name, "-"): // a clone has no place for the first, and no command takes the other
		return fmt.Errorf("%q is no name for the status branch, as Git takes none of that name: give --status-branch another one", name)
	case watched == "":
		return nil
	case watched == b.ref || full == b.ref:
		return b.sameBranch()
	case strings.HasPrefix(watched, heartbeats):
		return fmt.Errorf("%s is where heartbeats go: the configuration cannot be there", watched)
	case !below(full, b.ref) && !below(b.ref, full):
		return nil
	}
	hint := ""
	if full != watched {
		hint = fmt.Sprintf("; if %s is a tag, give it as --ref refs/tags/%[1]s", watched)
	}
	return fmt.Errorf("%w%s", b.inTheWay(full), hint)
}

// room makes sure that the branch is there or can be made.
func (b *Branch) room(refs gitrepo.Refs) error {
	if other := refs.InTheWay(b.ref); other != "" {
		return b.inTheWay(other)
	}
	return nil
}

func (b *Branch) sameBranch() error {
	return fmt.Errorf("the status branch %q is the branch that holds the configuration: name another one", strings.TrimPrefix(b.ref, branches))
}

func (b *Branch) inTheWay(other string) error {
	name, other := strings.TrimPrefix(b.ref, branches), strings.TrimPrefix(other, branches)
	return fmt.Errorf("the status branch %q cannot be beside the branch %q: Git has no branch below the name of another one; give --status-branch another name, such as %s",
		name, other, strings.ReplaceAll(name, "/", "-")+suffixFor(name))
}

// suffixFor is what makes a name another one that has no slash to replace.
func suffixFor(name string) string {
	if strings.Contains(name, "/") {
		return ""
	}
	return "-status"
}

// below tells whether a ref would lie below another one.
func below(ref, other string) bool { return strings.HasPrefix(ref, other+"/") }
