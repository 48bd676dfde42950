package wire

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/internal/signature"
	"github.com/kupenstack/kupenstack-sync/internal/webhook"
)

// maxSigners is the size of a file that lists signers.
const maxSigners = 4 << 20

// Trust returns whose commits are taken from a source; nil for everybody's. The lists are read whenever it is asked,
// as a Secret's files change when the Secret does. That they can be read now is made sure of.
func (f *Flags) Trust(source *gitrepo.Source) (*revision.Trust, error) {
	switch {
	case len(f.Verify) == 0 && f.VerifyHistory:
		return nil, fmt.Errorf("%w: --verify-history needs --verify, which says whose commits are trusted", ErrUsage)
	case len(f.Verify) == 0:
		return nil, nil
	case source.IsDirectory():
		return nil, fmt.Errorf("%w: --verify needs a repository: a local directory has no commits that somebody could sign", ErrUsage)
	}
	trust := &revision.Trust{Signers: f.signers, History: f.VerifyHistory}
	if _, err := trust.Signers(); err != nil {
		return nil, fmt.Errorf("%w: --verify: %w", ErrUsage, err)
	}
	return trust, nil
}

func (f *Flags) signers() (*signature.Signers, error) {
	var files []signature.File
	for _, name := range f.Verify {
		found, err := listsIn(name)
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	return signature.Parse(files)
}

// listsIn reads a file, or the files right in a directory. Names with a dot are left out: they are how Kubernetes
// exchanges the files of a Secret.
func listsIn(name string) ([]signature.File, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	names := []string{name}
	if info.IsDir() {
		entries, err := os.ReadDir(name)
		if err != nil {
			return nil, err
		}
		names = nil
		for _, entry := range entries {
			if !strings.HasPrefix(entry.Name(), ".") {
				names = append(names, filepath.Join(name, entry.Name()))
			}
		}
	}
	var files []signature.File
	for _, name := range names {
		content, err := readSmall(name, maxSigners)
		if err != nil {
			return nil, err
		}
		files = append(files, signature.File{Name: name, Content: content})
	}
	return files, nil
}

// readSmall reads a plain file that is not larger than it may be.
func readSmall(name string, limit int64) (_ []byte, err error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no plain file", name)
	}
	content, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(content)) > limit {
		err = fmt.Errorf("%s has more than %d bytes", name, limit)
	}
	return content, err
}

// sign returns what signs the commits of reports; nil for nothing. The key is read each time, as it may be
// exchanged. That it can be read now is made sure of.
func (f *Flags) sign() (func([]byte) (string, error), error) {
	if f.SigningKey == "" {
		return nil, nil
	}
	read := func() (*signature.Key, error) {
		content, err := readSmall(f.SigningKey, maxKeyFile)
		if err != nil {
			return nil, err
		}
		return signature.ParseKey(redact.NewSecret(string(content)))
	}
	if _, err := read(); err != nil {
		return nil, fmt.Errorf("%w: --signing-key-file: %w", ErrUsage, err)
	}
	return func(commit []byte) (string, error) {
		key, err := read()
		if err != nil {
			return "", err
		}
		return key.Sign(commit)
	}, nil
}

// minSecret is how long the secret of webhooks has to be: shorter ones can be guessed from a request that was seen.
const minSecret = 16

// WebhookSecret returns what reads the secret in a file. The file is read each time, as it may be exchanged. That it
// can be read now is made sure of.
func WebhookSecret(name string) (func() (redact.Secret, error), error) {
	if name == "" {
		return nil, fmt.Errorf("%w: --webhook-listen needs --webhook-secret-file: without a signature anybody could be asking", ErrUsage)
	}
	read := func() (redact.Secret, error) {
		content, err := readSmall(name, maxKeyFile)
		if err != nil {
			return redact.Secret{}, err
		}
		secret := strings.TrimSpace(string(content))
		if len(secret) < minSecret {
			return redact.Secret{}, fmt.Errorf("%s has less than %d characters", name, minSecret)
		}
		if err := webhook.CheckSecret(secret); err != nil {
			return redact.Secret{}, fmt.Errorf("%s: %w", name, err)
		}
		return redact.NewSecret(secret), nil
	}
	if _, err := read(); err != nil {
		return nil, fmt.Errorf("%w: --webhook-secret-file: %w", ErrUsage, err)
	}
	return read, nil
}
