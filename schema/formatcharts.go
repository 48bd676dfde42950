package schema

import (
	"errors"
	"net/url"
	"regexp"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/chartlock"
)

// checkCharts tells how a place of charts is written. The error never quotes it, as there can be a token in it.
func checkCharts(s string) error {
	if chartlock.IsGit(s) {
		_, err := chartlock.ParseGit(s)
		return err
	}
	if Instead(FormatCharts, s) != "" {
		return errors.New("a repository of charts, or one of Git with git+ in front of its address")
	}
	if !strings.Contains(s, "://") {
		return checkPath(s)
	}
	if err := checkURL(s, "oci", "https", "git+https", "git+ssh"); err != nil {
		return err
	}
	u, err := url.Parse(s)
	switch {
	case err != nil: // checkURL has told
		return err
	case strings.ContainsAny(s, "?#"):
		// The name of the index, or of a chart, is put behind the address; and the address stands in the lock file and in messages.
		return errors.New("a repository of charts with nothing behind its path, no ? and no #: what grants access belongs into --chart-credentials-file")
	case u.Scheme == "oci" && strings.ContainsAny(u.Path, ":@"):
		return errors.New("a repository of charts without a tag or a digest in it: which version is taken is written as version")
	}
	return nil
}

// Instead is how a text is written that is none of a format, but shows what is meant; "" where that is not clear.
func Instead(f Format, s string) string {
	if f != FormatCharts {
		return ""
	}
	address := s
	if found := scpPattern.FindStringSubmatch(s); found != nil && !strings.Contains(s, "://") {
		address = "ssh://" + found[1] + "/" + strings.TrimPrefix(found[2], "/")
	}
	if path, _, _ := strings.Cut(address, "?"); !strings.HasPrefix(address, "ssh://") && !strings.HasSuffix(path, ".git") && !strings.Contains(path, ".git//") {
		return ""
	}
	if instead := "git+" + address; chartlock.IsGit(instead) {
		if _, err := chartlock.ParseGit(instead); err == nil {
			return instead
		}
	}
	return ""
}

// scpPattern is how people write a repository of Git that is reached by ssh.
var scpPattern = regexp.MustCompile(`^([A-Za-z0-9._-]+@[A-Za-z0-9.-]+):(.+)$`)

func checkPath(s string) error {
	if s == "" || strings.HasPrefix(s, "/") || strings.Contains(s, `\`) {
		return errors.New("a repository (oci://, https://, git+https:// or git+ssh://) or a path inside this Git repository")
	}
	for part := range strings.SplitSeq(s, "/") {
		if part == ".." {
			return errors.New("a path that stays inside this Git repository, with no .. in it")
		}
	}
	return nil
}
