package resolve

import (
	"errors"
	"strings"

	"github.com/zclconf/go-cty/cty/function"
)

// What functions say that quotes none of their arguments, so that it is told also when one of these is
// sensitive.
//
//nolint:gosec // texts about secrets, and none of them is one
const (
	textStaysSecret = "what is made from the value of a Secret stays sensitive"
	textSecretNamed = "it is shown when the Secret is missing, so it cannot be sensitive"
	textSecretLate  = "it has to be known when the configuration is loaded"
	// textPattern begins what is told of a pattern, which it quotes, so a sensitive one is concealed before.
	textPattern   = "invalid regexp pattern: "
	textFileNamed = "it is shown when the file cannot be read, so it cannot be sensitive"
)

// isLate tells that a function complains of an argument that is not known in time.
func isLate(err error) bool {
	var at function.ArgError
	return errors.As(err, &at) && at.Error() == textSecretLate
}

// spokenHint is what to do about an error with one of these texts; false for all others.
func spokenHint(err error) (string, bool) {
	if err == nil {
		return "", false
	}
	text := err.Error()
	var at function.ArgError
	if errors.As(err, &at) {
		text = at.Error()
	}
	const plainly = "write a text, or use variables, locals and each.key that are not sensitive"
	switch text {
	case textStaysSecret:
		return "take nonsensitive() away: attributes of resources, conf and values of a service, and options of a backend take the value as it is, and nothing else can have it", true
	case textSecretNamed:
		return plainly + `, such as secret("db", "password")`, true
	case textSecretLate:
		return `write a text, or use variables, locals and each.key, such as secret("db", "password"); what OpenStack decides is known too late`, true
	case textFileNamed:
		return plainly + `, such as sops("site.sops.yaml")`, true
	}
	if strings.HasPrefix(text, textPattern) {
		return `correct the pattern; in a text in quotes each backslash of it is written twice: "\\d+"`, true
	}
	return "", false
}
