package gitrepo

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// The kinds of places that a repository can be at.
const (
	schemeHTTPS = "https"
	schemeHTTP  = "http"
	schemeSSH   = "ssh"
	schemeFile  = "file"
	schemeDir   = "directory"
)

// location is a parsed URL. Its display form has no user and no password and may be shown.
type location struct {
	scheme         string
	user, password string
	host           string // an IPv6 address without brackets
	port           int    // 0 for the scheme's own
	path           string
	display        string
}

// scpLike is how Git writes SSH addresses without a scheme: [user@]host:path.
var scpLike = regexp.MustCompile(`^(?:([^@/:\s]+)@)?(\[[0-9a-fA-F:.]+\]|[^@:/\[\]\s]+):(.+)$`)

var errUnreadable = errors.New("the repository's URL cannot be read: write scheme://host/path, user@host:path, or a path that begins with / or ./")

// MaskURL returns the URL of a repository without user and password, as it may be shown. Of what
// it cannot read it shows nothing.
func MaskURL(raw string) string {
	at, err := parseLocation(raw)
	if err != nil {
		return "(unreadable URL)"
	}
	return at.display
}

// parseLocation reads a URL, Git's short form of SSH, or a path. Its errors never quote it, as it
// can hold a password anywhere when it is malformed.
func parseLocation(raw string) (location, error) {
	if raw == "" {
		return location{}, errors.New("the repository's URL is empty")
	}
	if strings.ContainsFunc(raw, unicode.IsControl) {
		return location{}, errors.New("the repository's URL has control characters")
	}
	if strings.Contains(raw, "://") {
		return parseURL(raw)
	}
	if m := scpLike.FindStringSubmatch(raw); m != nil && raw[0] != '.' {
		return parseSCP(m[1], strings.Trim(m[2], "[]"), m[3])
	}
	if strings.Contains(raw, "@") && strings.Contains(raw, ":") && !strings.HasPrefix(raw, "/") && !strings.HasPrefix(raw, ".") {
		return location{}, errUnreadable
	}
	if strings.HasPrefix(raw, "//") { // a URL that lost its scheme, perhaps with a password
		return location{}, errUnreadable
	}
	path, err := filepath.Abs(raw)
	if err != nil {
		return location{}, fmt.Errorf("making the directory's path absolute: %w", err)
	}
	return location{scheme: schemeDir, path: path, display: path}, nil
}

func parseURL(raw string) (location, error) {
	u, err := url.Parse(raw)
	if err != nil { // its text quotes the URL
		return location{}, errors.New("the repository's URL cannot be read; special characters in it must be percent-encoded")
	}
	at := location{scheme: strings.ToLower(u.Scheme), host: u.Hostname(), path: u.Path, user: u.User.Username()}
	at.password, _ = u.User.Password()
	if u.RawQuery != "" || u.Fragment != "" || u.ForceQuery {
		return location{}, errors.New("the repository's URL has a query or a fragment, which Git does not know")
	}
	if port := u.Port(); port != "" {
		if at.port, err = strconv.Atoi(port); err != nil || at.port < 1 || at.port > 65535 {
			return location{}, errors.New("the port in the repository's URL is no number from 1 to 65535")
		}
	}
	switch at.scheme {
	case schemeHTTPS, schemeHTTP, schemeSSH:
		if at.host == "" || strings.HasPrefix(at.host, "-") {
			return location{}, errors.New("the repository's URL names no host")
		}
		if strings.Trim(at.path, "/") == "" {
			return location{}, errors.New("the repository's URL has no path")
		}
		if u.User == nil && strings.Contains(at.path, "@") {
			// What looks like host and path can be a user and a password with a slash in it.
			return location{}, errors.New("the repository's URL has an @ behind a slash: percent-encode slashes in a password, and write the user before the host if the path has the @")
		}
	case schemeFile:
		if at.host != "" && at.host != "localhost" {
			return location{}, errors.New("a file URL has three slashes: file:///path")
		}
		if strings.Trim(at.path, "/") == "" {
			return location{}, errors.New("the repository's URL has no path")
		}
		at.host, at.user, at.password = "", "", ""
	default:
		return location{}, errors.New("the scheme of the repository's URL is none of https, http, ssh and file")
	}
	if err := at.checkPath(); err != nil {
		return location{}, err
	}
	at.display = (&url.URL{Scheme: at.scheme, Host: u.Host, Path: at.path}).String()
	return at, nil
}

func parseSCP(user, host, path string) (location, error) {
	at := location{scheme: schemeSSH, user: user, host: host, path: path}
	if user == "" && strings.Contains(path, "@") {
		return location{}, errUnreadable // user:password@host would be shown as a host and a path
	}
	if strings.HasPrefix(host, "-") {
		return location{}, errors.New("the repository's URL names no host")
	}
	if err := at.checkPath(); err != nil {
		return location{}, err
	}
	// A password does not belong into this form, so nothing after the host is one.
	at.display = host + ":" + path
	if strings.Contains(host, ":") {
		at.display = "[" + host + "]:" + path
	}
	return at, nil
}

// checkPath refuses what a server's git could take for an option, and what was decoded into
// control characters.
func (l location) checkPath() error {
	if strings.HasPrefix(l.path, "-") || strings.ContainsFunc(l.path, unicode.IsControl) {
		return errors.New("the path in the repository's URL begins with a dash or has control characters")
	}
	return nil
}

// token is the user where that is what is secret, and "" elsewhere: forges take a token in its place, with no password or
// with this one.
func (l location) token() string {
	if l.scheme != schemeSSH && (l.password == "" || l.password == "x-oauth-basic") {
		return l.user
	}
	return ""
}

// sshAddress is host:port for dialling.
func (l location) sshAddress() string {
	return net.JoinHostPort(l.host, strconv.Itoa(cmp.Or(l.port, sshPort)))
}

// isLoopback tells whether a host is this machine for sure, without asking a name server.
func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}
