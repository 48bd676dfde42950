package unit

import "github.com/kupenstack/kupenstack-sync/internal/redact"

// Kept is a Secret of the cluster with a part of an object inside OpenStack: what is made here and OpenStack never
// tells, such as a private key. It is there before the object is.
type Kept struct {
	Mark   string                   // of the object, as in [Target.Mark]; "" for a Secret that is none of these
	Type   string                   // of the Secret
	Values map[string]redact.Secret // once it was read, all that it holds
	Plain  map[string]string        // what goes beside that into one that is made, and is no secret
}

// Value returns what it has under a key, empty for nothing.
func (k *Kept) Value(key string) redact.Secret {
	if value, ok := k.Values[key]; ok {
		return value
	}
	return redact.NewSecret(k.Plain[key])
}
