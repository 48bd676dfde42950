package model

import (
	"encoding/json"
	"fmt"

	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
)

// Values returns what the variables have, as one text: the same for the same values, wherever they come from. Sensitive
// ones are in it.
func (m *Model) Values() (redact.Secret, error) {
	values := map[string]json.RawMessage{}
	for name, v := range m.Variables {
		v, _ = v.UnmarkDeep()
		text, err := ctyjson.Marshal(v, v.Type())
		if err != nil { // which may quote the value
			return redact.Secret{}, fmt.Errorf("the value of the variable %q has no text", name)
		}
		values[name] = text
	}
	text, err := json.Marshal(values) // in the order of their names
	return redact.NewSecret(string(text)), err
}
