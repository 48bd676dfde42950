package gitrepo

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
)

// CredentialFiles are paths of files with the parts of [Credentials], as a mounted Secret has
// them. An empty path stands for a part that is not there.
type CredentialFiles struct {
	Username, Password, Bearer, SSHKey, Passphrase, KnownHosts, CABundle string
}

// maxCredential bounds a credential's file: the longest are bundles of authorities.
const maxCredential = 4 << 20

// Read reads all files. White space at the ends of names, passwords and tokens is dropped, because
// editors and shells add it. It is meant for [Options.Credentials]; a retry helps when a file is
// about to be replaced.
func (f CredentialFiles) Read(context.Context) (Credentials, error) {
	var c Credentials
	for _, part := range []struct {
		what, path string
		set        func([]byte)
	}{
		{"user name", f.Username, func(b []byte) { c.Username = strings.TrimSpace(string(b)) }},
		{"password", f.Password, func(b []byte) { c.Password = redact.NewSecret(strings.TrimSpace(string(b))) }},
		{"token", f.Bearer, func(b []byte) { c.Bearer = redact.NewSecret(strings.TrimSpace(string(b))) }},
		{"SSH key", f.SSHKey, func(b []byte) { c.SSHKey = redact.NewSecret(string(b)) }},
		{"passphrase of the SSH key", f.Passphrase, func(b []byte) { c.Passphrase = redact.NewSecret(strings.TrimSpace(string(b))) }},
		{"known hosts", f.KnownHosts, func(b []byte) { c.KnownHosts = b }},
		{"bundle of authorities", f.CABundle, func(b []byte) { c.CABundle = b }},
	} {
		if part.path == "" {
			continue
		}
		content, err := readBounded(part.path, maxCredential)
		if err != nil {
			return Credentials{}, fmt.Errorf("reading the %s for Git: %w", part.what, err)
		}
		part.set(content)
	}
	return c, nil
}

func readBounded(path string, limit int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(content)) > limit {
		err = fmt.Errorf("%s has more than %d bytes", path, limit)
	}
	return content, err
}
