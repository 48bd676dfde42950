package config

import "github.com/kupenstack/kupenstack-sync/internal/redact"

// Keys are what encrypted files of the tree are opened with. They never come from the tree.
type Keys struct {
	// Identities is a file of age identities, empty without.
	Identities redact.Secret
	// Optional has what is encrypted taken for unknown where there are no identities, for checks that
	// apply nothing. Else that is an error.
	Optional bool
}
