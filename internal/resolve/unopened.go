package resolve

import (
	"errors"
	"fmt"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/sops"
)

// unopened is why an encrypted file cannot be opened. That is told once, where the file is used first,
// as every other use of it fails for the same reason.
type unopened struct {
	file  string // in the tree; "" when the reason is the key, which is the same for all files
	cause error
	hint  string
}

func (e *unopened) Error() string { return e.cause.Error() }

// unopened says why an encrypted file cannot be opened, and what to do.
func (s *scope) unopened(name string, cause error) error {
	e := &unopened{cause: fmt.Errorf("%q cannot be opened: %w", name, cause), hint: "take the file as it was last encrypted, or encrypt it anew with sops, for an age recipient"}
	if full, err := config.Within(s.files.dir, name); err == nil {
		e.file = full
	}
	var others *sops.OtherKeyError
	var own *keyFileError
	switch {
	case errors.As(cause, &own):
		e.file, e.cause, e.hint = "", cause, "name a file as age-keygen writes it: --sops-age-key-file"
	case errors.Is(cause, errNoKey):
		e.hint = "name a file with the identity: --sops-age-key-file, or the variable KUPENSTACK_SOPS_AGE_KEY_FILE"
	case errors.As(cause, &others):
		e.hint = "give the identity of one of these, or add the recipient of the one that is given to the file, with sops updatekeys"
	}
	return e
}

// unopenedIn finds, among what a template is refused for, that an encrypted file cannot be opened.
func unopenedIn(faults config.Faults) error {
	for _, f := range faults {
		var closed *unopened
		if _, refused := f.Function(); errors.As(refused, &closed) {
			return closed
		}
	}
	return nil
}

// errNoKey says that there is nothing to open an encrypted file with.
var errNoKey = errors.New("no age identity is given")

// keyFileError says that what was given to open encrypted files with is no such thing.
type keyFileError struct{ cause error }

func (e *keyFileError) Error() string { return fmt.Sprintf("the file of age identities: %v", e.cause) }

// tellUnopened tells, for the first use, that an encrypted file cannot be opened.
func (s *scope) tellUnopened(e *unopened, d diag.Diagnostic) {
	const summary = "encrypted file cannot be opened"
	once := told{where: diag.Range{File: e.file}, summary: summary}
	if s.told[once] != nil {
		return
	}
	s.told[once] = &saying{at: -1}
	d.Summary, d.Detail, d.Hint = summary, e.Error(), e.hint
	s.add(d)
}
