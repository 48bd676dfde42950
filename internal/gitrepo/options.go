package gitrepo

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
)

// Options say which configuration to read and how to reach it.
type Options struct {
	// URL is https://, http:// (to this machine only), ssh://, user@host:path,
	// file:///path, or the path of a directory. A user and password in it are used when
	// Credentials has none.
	URL string
	// Ref is a branch, a tag or a full name that begins with refs/; empty for the default
	// branch of the remote.
	Ref string
	// CacheDir keeps what was fetched between runs. It is needed for all but directories.
	CacheDir string
	// Credentials is asked before each connection, so that rotated ones are used at once; nil
	// for none. See [CredentialFiles].
	Credentials func(context.Context) (Credentials, error)
	// May is asked before anything is sent to the server, whatever it is for, and again at the connection: it is called from
	// other goroutines too. After an error nothing more of the call is sent, and its own error is of kind Withheld. Nil allows
	// everything.
	May func() error

	Timeout      time.Duration // of each call, and of each MiB of a download, which may take ten times as long in all; 0 for 2 minutes
	MaxBytes     int64         // that one call may receive, or add to that from the cache, and that a directory may hold; 0 for 1 GiB
	MaxFileBytes int64         // of a file that is read from a tree; 0 for 16 MiB
	MaxFiles     int           // in a tree or directory; 0 for 200,000
}

// Credentials are what a connection needs. Which of them are used depends on the URL.
type Credentials struct {
	Username   string
	Password   redact.Secret // or a token: forges take it as the password of basic authentication
	Bearer     redact.Secret // a token that is sent as a bearer token instead; rarely what a forge wants
	SSHKey     redact.Secret // PEM or OpenSSH's format
	Passphrase redact.Secret // of the SSH key
	KnownHosts []byte        // lines of an SSH known_hosts file; needed for ssh
	CABundle   []byte        // PEM; trusted for https besides the system's authorities
}

// The bounds that hold unless [Options] has others.
const (
	maxReceived = 1 << 30  // bytes that one call receives, or that a directory holds
	maxBlob     = 16 << 20 // bytes of a file
	maxEntries  = 200_000  // files and directories
)

func (o Options) withDefaults() Options {
	if o.Timeout <= 0 {
		o.Timeout = 2 * time.Minute
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = maxReceived
	}
	if o.MaxFileBytes <= 0 {
		o.MaxFileBytes = maxBlob
	}
	if o.MaxFiles <= 0 {
		o.MaxFiles = maxEntries
	}
	return o
}

func (o Options) check(at location) error {
	if at.scheme == schemeDir {
		if o.Ref != "" {
			return errors.New("a plain directory has no refs: leave the ref empty, or use a file:// URL of a repository")
		}
		return nil
	}
	if o.CacheDir == "" {
		return errors.New("a repository needs a directory for its cache")
	}
	if at.scheme == schemeHTTP && !isLoopback(at.host) {
		return errors.New("plain http is refused, as everybody on the way could read the credential and change the configuration: use https; only to this machine itself plain http is allowed")
	}
	return checkRef(o.Ref)
}

// checkRef refuses what git check-ref-format refuses as far as it could be taken for syntax.
func checkRef(ref string) error {
	bad := strings.HasPrefix(ref, "-") || strings.HasPrefix(ref, "/") || strings.HasSuffix(ref, "/") ||
		strings.HasSuffix(ref, ".lock") || strings.Contains(ref, "..") || strings.Contains(ref, "//") ||
		strings.ContainsAny(ref, " ~^:?*[\\") || strings.Contains(ref, "@{") || strings.ContainsFunc(ref, unicode.IsControl)
	if bad {
		return errors.New("the ref is no valid name of a branch or tag")
	}
	return nil
}
