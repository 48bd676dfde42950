package model

import (
	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
)

// SmokeTest says how the cloud as a whole is tested.
type SmokeTest struct {
	Image, Flavor, Network Choice
	Project                Choice // zero for that of our own user
	Volume                 *bool  // nil when it was not written
	Retry                  string
	Edges                  []Edge // what it refers to
	Range                  diag.Range
	Ranges                 map[string]diag.Range // of the attributes that were written
}

// Choice is an object of OpenStack: either its id is known, or which block it is of.
type Choice struct {
	ID   string
	From addr.Object
}

// Written tells whether an object was chosen.
func (c Choice) Written() bool { return c.ID != "" || !c.From.IsZero() }
