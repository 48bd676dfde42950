package wire

import (
	"fmt"
	"os"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
)

// maxKeyFile is the size of a file of identities, which has a line for each.
const maxKeyFile = 1 << 20

// Reading returns how configurations are read. With applies false, for commands that change nothing and
// show no plan, files that cannot be opened without a key are no mistake.
func (f *Flags) Reading(applies bool) (revision.Options, error) {
	options := revision.Options{Language: f.Language, Given: f.Variables(), Keys: config.Keys{Optional: !applies}}
	if f.AgeKeys == "" {
		return options, nil
	}
	info, err := os.Stat(f.AgeKeys)
	switch {
	case err != nil:
		return options, fmt.Errorf("%w: --sops-age-key-file: %w", ErrUsage, err)
	case !info.Mode().IsRegular() || info.Size() > maxKeyFile:
		return options, fmt.Errorf("%w: --sops-age-key-file: %s is no file of age identities", ErrUsage, f.AgeKeys)
	}
	text, err := os.ReadFile(f.AgeKeys)
	if err != nil {
		return options, fmt.Errorf("%w: --sops-age-key-file: %w", ErrUsage, err)
	}
	options.Keys.Identities = redact.NewSecret(string(text))
	return options, nil
}
