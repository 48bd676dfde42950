package schema

import (
	_ "embed" // for the file below
	"slices"
)

//go:embed status.schema.json
var statusSchema []byte

// Status returns the JSON Schema of the status branch's status.json.
func Status() []byte { return slices.Clone(statusSchema) }
