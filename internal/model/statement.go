package model

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
)

// Move says that objects go on under another address. Both addresses are modules, or both are
// resources of one kind; see [addr.Object.Move] for what keys mean.
type Move struct {
	From, To addr.Address
	// Stays says that what is moved is not deleted where nothing stands at the new address, see [unit.Unit].
	Stays bool
	Range diag.Range // of the block's header
}

// Import says that a resource which the inventory does not have yet is an object that exists.
type Import struct {
	To addr.Object
	ID string // "" where there is a filter
	// Filter has what exactly one object must have: the desired value of a data block for the kind. It is
	// [cty.NilVal] where there is an id.
	Filter cty.Value
	Range  diag.Range
}

// Removal says what becomes of objects that are no longer in the configuration.
type Removal struct {
	From addr.Address // a module, a resource or a service; the root module for the whole cloud
	// Destroy is false for what is only forgotten.
	Destroy bool
	// DeleteData are the services whose data goes with the whole cloud, sorted.
	DeleteData []string
	Range      diag.Range
}
