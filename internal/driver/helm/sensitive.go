package helm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// valueOf returns what a place in the values takes: a text, or JSON for a value of the configuration.
func (d *Driver) valueOf(ctx context.Context, secret unit.ValueSecret) (redact.Secret, error) {
	if secret.Name == "" {
		return secret.Given, nil
	}
	if secret.Opted {
		value, err := d.cluster.Opted(ctx, secret.Namespace, secret.Name, secret.Key)
		if err != nil && !unit.IsBlocked(err) {
			err = fmt.Errorf("read key %q of Secret %s/%s: %w", secret.Key, secret.Namespace, secret.Name, err)
		}
		return value, err
	}
	value, found, err := d.cluster.Secret(ctx, secret.Namespace, secret.Name, secret.Key)
	switch {
	case err != nil:
		return value, fmt.Errorf("read key %q of Secret %s/%s: %w", secret.Key, secret.Namespace, secret.Name, err)
	case !found:
		return value, &missingSecretError{secret}
	}
	return value, nil
}

// plainOf returns a value as Helm takes it. The error does not quote it.
func plainOf(secret unit.ValueSecret, value redact.Secret) (any, error) {
	if secret.Name != "" {
		return value.Reveal(), nil
	}
	decoder := json.NewDecoder(strings.NewReader(value.Reveal()))
	decoder.UseNumber()
	var plain any
	if err := decoder.Decode(&plain); err != nil {
		return nil, errors.New("a sensitive value at " + strings.Join(secret.Path, ".") + " cannot be read")
	}
	number, ok := plain.(json.Number)
	if !ok {
		return plain, nil
	}
	if whole, err := number.Int64(); err == nil {
		return whole, nil
	}
	f, err := number.Float64()
	if err != nil {
		return nil, errors.New("a sensitive number at " + strings.Join(secret.Path, ".") + " is too large")
	}
	return f, nil
}

// keySensitive is a key of the values that no chart reads: there a release keeps which of its values
// are sensitive, for whoever compares it when the configuration says so no more.
const keySensitive = "kupenstackSensitive"

// noteSensitive keeps the paths of the values that people gave; those of generated ones are known.
func noteSensitive(values map[string]any, secrets []unit.ValueSecret) {
	var paths []any
	for _, secret := range secrets {
		if !secret.Follows() {
			continue
		}
		var path []any
		for _, step := range secret.Path {
			path = append(path, step)
		}
		paths = append(paths, path)
	}
	if len(paths) > 0 {
		values[keySensitive] = paths
	}
}

// notedSensitive returns the values of a release that noteSensitive noted when it was made.
func notedSensitive(values map[string]any) []redact.Secret {
	var found []redact.Secret
	paths, _ := values[keySensitive].([]any)
	for _, entry := range paths {
		steps, _ := entry.([]any)
		var path []string
		for _, step := range steps {
			text, _ := step.(string)
			path = append(path, text)
		}
		if value, ok := lookup(values, path); ok {
			found = append(found, maskable(value)...)
		}
	}
	return found
}

// maskable returns what is taken out of texts because of a value: nothing for true, false and null,
// which are in every object.
func maskable(value any) []redact.Secret {
	switch value.(type) {
	case nil, bool, map[string]any, []any:
		return nil
	}
	return []redact.Secret{redact.NewSecret(fmt.Sprint(value))}
}
