package chartlock

import (
	"errors"
	"io/fs"
	"net/url"
	"regexp"
	"strings"
)

// gitPrefix is what the addresses of Git repositories begin with: git+https:// and git+ssh://, as people
// know it from pip and from plugins of Helm.
const gitPrefix = "git+"

// Git is a Git repository with charts, or a directory in one.
type Git struct {
	URL       string // as Git knows it: https:// or ssh://
	Directory string // that the charts are in; "." for the top
	Ref       string // a branch or a tag; "" for the default branch
}

// IsGit tells whether the address of a repository is one of Git.
func IsGit(repository string) bool { return strings.HasPrefix(repository, gitPrefix) }

var refPattern = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z._/+-]*$`)

// ParseGit reads the address of a Git repository: git+https://HOST/PATH, with a directory behind two
// slashes, and ?ref=BRANCH-OR-TAG at the end. The error says what is right in the place of what is wrong,
// and never quotes it, as there can be a password in it.
func ParseGit(repository string) (Git, error) {
	u, err := url.Parse(strings.TrimPrefix(repository, gitPrefix))
	switch {
	case err != nil || !IsGit(repository) || u.Scheme != "https" && u.Scheme != "ssh" || u.Hostname() == "":
		return Git{}, errors.New("a Git repository that starts with git+https:// or git+ssh:// and the name of a host")
	case u.Scheme == "https" && u.User != nil:
		return Git{}, errors.New("a URL without user and password in it")
	case u.User.String() != u.User.Username():
		return Git{}, errors.New("a URL without a password in it")
	case u.Fragment != "" || strings.HasSuffix(repository, "#"):
		return Git{}, errors.New("a Git repository without a # in it: a branch or a tag is written as ?ref=NAME at the end")
	}
	ref, err := refOf(u)
	if err != nil {
		return Git{}, err
	}
	at, directory, _ := strings.Cut(u.Path, "//")
	if directory = strings.Trim(directory, "/"); directory == "" {
		directory = "."
	}
	if strings.Trim(at, "/") == "" {
		return Git{}, errors.New("a Git repository with its path behind the host")
	}
	if !fs.ValidPath(directory) {
		return Git{}, errors.New("a directory behind the two slashes that is written from the top of the Git repository, with no . and no .. in it")
	}
	return Git{URL: (&url.URL{Scheme: u.Scheme, User: u.User, Host: u.Host, Path: at}).String(), Directory: directory, Ref: ref}, nil
}

func refOf(u *url.URL) (string, error) {
	if u.RawQuery == "" && !u.ForceQuery {
		return "", nil
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil || len(query) != 1 || len(query["ref"]) != 1 {
		return "", errors.New("a Git repository with nothing but ?ref=NAME behind its path, for a branch or a tag")
	}
	ref := query.Get("ref")
	if !refPattern.MatchString(ref) || strings.Contains(ref, "..") || strings.Contains(ref, "//") || strings.HasSuffix(ref, "/") || strings.HasSuffix(ref, ".lock") {
		return "", errors.New("a Git repository whose ?ref= is the name of a branch or a tag")
	}
	return ref, nil
}
