package unit

import "github.com/zclconf/go-cty/cty"

// Live is an object inside OpenStack as it is, whoever made it.
type Live struct {
	Kind, ID, Title string
	// Project is the project that it lives in, "" for kinds that live in none.
	Project string
	// Values are its attributes and nested blocks, by the names of the schema, as far as they are known. None of
	// them is sensitive.
	Values map[string]cty.Value
	// Managed says that it bears a mark, so that a configuration manages it.
	Managed bool
	// Incidental says that it comes and goes with another object, and is no block of a configuration.
	Incidental bool
	// Concealed says that it is out of sight, so that only its id finds it.
	Concealed bool
	// Unfit says that it cannot be taken over as it is, such as an image without its bytes.
	Unfit bool
	// Within is the attribute that what looks it up by its name has to write as well, such as the domain of a role that is in
	// one; "" for none.
	Within string
}
