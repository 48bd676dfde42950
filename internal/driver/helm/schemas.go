package helm

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"helm.sh/helm/v3/pkg/chart"
)

const (
	// schemaFile is what a chart wants of its values.
	schemaFile = "values.schema.json"
	// schemaAddress is where Helm takes it to be, which references without an address are relative to.
	schemaAddress = "file:///" + schemaFile
)

// checkSchemas refuses a chart whose schema of values, or that of one it depends on, refers to anything but itself:
// Helm's library would fetch that while it renders, or read it from the disk of this process, wherever the chart says.
func checkSchemas(c *chart.Chart) error {
	if c.Schema != nil {
		if err := checkSchema(c.Schema); err != nil {
			return fmt.Errorf("%s/%s: %w", c.ChartFullPath(), schemaFile, err)
		}
	}
	for _, dependency := range c.Dependencies() {
		if err := checkSchemas(dependency); err != nil {
			return err
		}
	}
	return nil
}

// checkSchema compiles a schema as Helm does, but for that nothing is reached. One that does not compile is refused as
// well: what it refers to may come after what is wrong with it.
func checkSchema(text []byte) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("it cannot be read: %v", r)
		}
	}()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	var elsewhere outside
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(&elsewhere)
	if err := compiler.AddResource(schemaAddress, document); err != nil {
		return err
	}
	_, err = compiler.Compile(schemaAddress)
	if elsewhere.first != "" {
		return fmt.Errorf("it refers to %q, which is not fetched: have the chart bring what it refers to in the file itself", elsewhere.first)
	}
	return err
}

// outside is asked for what a schema refers to and does not have, and gives nothing.
type outside struct{ first string }

// Load takes names that Helm looks up nowhere as Helm does, for schemas that allow everything.
func (o *outside) Load(address string) (any, error) {
	if strings.HasPrefix(address, "urn:") {
		return true, nil
	}
	if o.first == "" {
		o.first = address
	}
	return nil, fmt.Errorf("%s is not fetched", address)
}
