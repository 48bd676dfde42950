package main

import (
	"io"

	"github.com/kupenstack/kupenstack-sync/internal/reference"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// printSchema prints the JSON Schema of a language. It reads no configuration.
func printSchema(language *schema.Definition, w io.Writer) error {
	text, err := reference.New(language).JSONSchema()
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}
