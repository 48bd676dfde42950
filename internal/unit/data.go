package unit

import "slices"

// Data are claims to volumes that go with a release, what notes what is in them, and Secrets with its keys.
type Data struct {
	// Claims are in the order in which they go.
	Claims []Claim `json:"claims,omitempty"`
}

// Claim is one object of that kind: none but the one with the UID is meant.
type Claim struct {
	Ref  ObjectRef `json:"ref"`
	UID  string    `json:"uid"`
	Size string    `json:"size,omitempty"` // "" for what has none
}

// Equal tells whether the same goes. Nil, by which the data stays, equals nil alone.
func (d *Data) Equal(other *Data) bool {
	if d == nil || other == nil {
		return d == other
	}
	return slices.Equal(d.Claims, other.Claims)
}
