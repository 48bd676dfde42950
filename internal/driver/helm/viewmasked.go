package helm

import (
	"errors"
	"fmt"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// hide takes the secrets of the release out of a text.
func (v *view) hide(text string) string { return v.masker.Text(text).String() }

// learn makes secrets of a release known to what masks its texts, and to what masks those of all.
func (d *Driver) learn(masker *redact.Masker, secrets ...redact.Secret) {
	masker.Add(secrets...)
	d.options.Masker.Share(secrets...)
}

// learnSecrets makes the secrets that the release was installed with known to the masker.
func (d *Driver) learnSecrets(v *view, spec *unit.Release) {
	if v.newest == nil {
		return
	}
	v.masker.Add(guessedSecrets(v.newest.config)...) // they may be no secrets: texts about others keep them
	d.learn(v.masker, notedSensitive(v.newest.config)...)
	if spec == nil {
		return
	}
	for _, secret := range spec.Secrets {
		if value, ok := v.newest.textAt(secret.Path); ok {
			d.learn(v.masker, value)
		}
	}
}

// field returns a difference with the name of its object, and without secrets.
func (v *view) field(ref unit.ObjectRef, field unit.Field) unit.Field {
	field.Path = ref.String() + ": " + v.masker.Text(field.Path).String()
	field.Before = v.masker.Text(field.Before).String()
	field.After = v.masker.Text(field.After).String()
	return field
}

// masked returns an error without the secrets of the release. What the error wraps stays known only
// as far as the engine needs it.
func (v *view) masked(err error) error {
	if err == nil {
		return nil
	}
	text := v.masker.Text(err.Error()).String()
	if text == err.Error() {
		return err
	}
	hidden := errors.New(text)
	switch after := unit.RetryAfter(err); {
	case unit.IsBlocked(err):
		return unit.Blocked(text)
	case errors.Is(err, unit.ErrNotWriter):
		return fmt.Errorf("%w: %w", unit.ErrNotWriter, hidden)
	case after > 0:
		return &unit.RetryError{After: after, Err: hidden}
	default:
		return hidden
	}
}
