package unit

import "fmt"

// Check is something that has to hold beside the objects of a release: a page that answers, or a condition of an
// object. It has a URL or an Object.
type Check struct {
	URL    string
	Status int    // that it answers with; 0 for any from 200 to 299
	CA     string // authorities in PEM, "" for those of the machine

	Object    ObjectRef
	Condition string // of its status, which has to be True
}

// String names the check as messages do.
func (c Check) String() string {
	if c.URL != "" {
		return "GET " + c.URL
	}
	return fmt.Sprintf("%s: condition %s", c.Object, c.Condition)
}
