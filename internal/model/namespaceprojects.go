package model

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
)

// NamespaceProjects says which namespaces of the cluster have a project each, and what that is like.
type NamespaceProjects struct {
	Selector map[string]string // the labels of the namespaces; never empty
	Prefix   string            // of the projects' names
	Domain   Choice            // zero for that of our own user
	Quota    cty.Value         // of each; null without
	Edges    []Edge            // what it refers to
	Range    diag.Range
}
