// Package manifest reads objects of Kubernetes as people write them: documents of YAML or JSON, or values
// of the language.
//
// In come bytes of a file, or a plain value. Out go objects as encoding/json decodes them, with whole
// numbers as int64, each with the line that it begins at; lists are taken apart, and what only the API
// server writes is left out. What is no object that could be applied is told with its line and what to do.
// Text is read by the rules of kubectl, which are those of YAML 1.1.
//
// The package is pure: it reads no file and knows no cluster. What it reads is anybody's, so that neither
// deep nesting nor aliases cost more than the bytes do.
package manifest
