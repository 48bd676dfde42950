package schema

import (
	"errors"
	"net/url"
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
