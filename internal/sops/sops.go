package sops

import (
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"filippo.io/age"
	"filippo.io/age/armor"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
)

// The types of values. Numbers are of one of two.
const (
	typeString = "str"
	typeInt    = "int"
	typeFloat  = "float"
	typeBool   = "bool"
	typeBytes  = "bytes"
	typeTime   = "time"
	typeNull   = "null"
)

// File is an encrypted file that was read and not opened yet.
type File struct {
	root *node
	meta metadata
}

// Parse reads a file; the format is told by the end of its name. The error says what keeps it from
// being one that can be opened with an age identity.
func Parse(name string, content []byte) (*File, error) {
	var root *node
	var err error
	switch strings.ToLower(path.Ext(name)) {
	case ".yaml", ".yml":
		root, err = parseYAML(content)
	case ".json":
		root, err = parseJSON(content)
	case ".env":
		root, err = parseEnv(content)
	default:
		return nil, errors.New("files that are encrypted with SOPS end in .yaml, .yml, .json or .env here")
	}
	if err != nil {
		return nil, err
	}
	f := &File{root: root}
	if f.meta, err = extract(root); err != nil {
		return nil, err
	}
	return f, nil
}

// Recipients are those whom the file is encrypted for, sorted.
func (f *File) Recipients() []string {
	var names []string
	for _, key := range f.meta.age {
		names = append(names, key.recipient)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Shape returns the document without its values.
func (f *File) Shape() (*Value, error) {
	return f.root.value(func(n *node, p place) (*Value, error) {
		v := &Value{Type: n.kind}
		if n.scalar == nil || n.scalar == "" || !f.meta.encrypts(p) {
			return v, nil
		}
		text, ok := n.scalar.(string)
		if !ok {
			return nil, fmt.Errorf("%s %w", p, errNotSealed)
		}
		sealed, err := parseSealed(text)
		if err != nil {
			return nil, fmt.Errorf("%s %w", p, err)
		}
		v.Type = sealed.kind
		return v, nil
	})
}

// Open returns the document. It fails with an [OtherKeyError] when none of the identities is one that
// the file is encrypted for, and when the file is not as SOPS left it.
func (f *File) Open(identities []age.Identity) (*Value, error) {
	key, err := f.key(identities)
	if err != nil {
		return nil, err
	}
	sum := newSum(f.meta.onlyEncrypted)
	document, err := f.root.value(func(n *node, p place) (*Value, error) {
		v := &Value{Type: n.kind, Scalar: n.scalar}
		encrypted := f.meta.encrypts(p)
		if encrypted && n.scalar != nil {
			text, ok := n.scalar.(string)
			if !ok {
				return nil, fmt.Errorf("%s %w", p, errNotSealed)
			}
			opened, err := open(text, key, strings.Join(p, ":")+":")
			if err != nil {
				return nil, fmt.Errorf("%s %w", p, err)
			}
			v = opened
		}
		if n.scalar != nil && (encrypted || !f.meta.onlyEncrypted) {
			sum.add(v)
		}
		return v, nil
	})
	if err != nil {
		return nil, err
	}
	mac, err := open(f.meta.mac, key, f.meta.modified)
	if err != nil || f.meta.mac == "" {
		return nil, errors.New("the file was changed after it was encrypted: its MAC cannot be read")
	}
	if !sum.is(mac) {
		return nil, errors.New("the file was changed after it was encrypted: its MAC is that of other values")
	}
	return document, nil
}

// keySize is that of AES-256.
const keySize = 32

// maxKeyText bounds what is decrypted to find the key.
const maxKeyText = 4 << 10

// key decrypts the key of the values.
func (f *File) key(identities []age.Identity) ([]byte, error) {
	var failure error
	for _, wrapped := range f.meta.age {
		plain, err := age.Decrypt(armor.NewReader(strings.NewReader(wrapped.enc)), identities...)
		var other *age.NoIdentityMatchError
		if errors.As(err, &other) {
			continue
		}
		var key []byte
		if err == nil {
			key, err = io.ReadAll(io.LimitReader(plain, maxKeyText))
		}
		if err == nil && len(key) == keySize {
			return key, nil
		}
		failure = fmt.Errorf("what is encrypted for %s is no key", wrapped.recipient)
	}
	if failure != nil {
		return nil, failure
	}
	return nil, &OtherKeyError{f.Recipients()}
}

// OtherKeyError says that none of the identities that were given is one that a file is encrypted for.
type OtherKeyError struct{ Recipients []string }

func (e *OtherKeyError) Error() string {
	return fmt.Sprintf("it is encrypted for %s, and the age identities that were given are others", strings.Join(e.Recipients, ", "))
}

// Identities reads a file of age identities, as age-keygen writes it. The error does not quote it.
func Identities(file redact.Secret) ([]age.Identity, error) {
	identities, err := age.ParseIdentities(strings.NewReader(file.Reveal()))
	if err != nil {
		return nil, errors.New("there are no age identities in it that can be read: it has lines that begin with AGE-SECRET-KEY-1")
	}
	return identities, nil
}
