package main

import (
	"io"

	"github.com/kupenstack/kupenstack-sync/internal/reference"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// printSchema prints the JSON Schema of the language. It reads no configuration.
func printSchema(w io.Writer) error {
	text, err := reference.New(schema.New()).JSONSchema()
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}
