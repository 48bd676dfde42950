package unit

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
)

// KindProjectNamespace is the kind of locator of a namespace that says which project it has.
const KindProjectNamespace = "project_namespace"

// The annotations of a namespace that has a project.
const (
	AnnotationProject   = "kupenstack.io/project"    // its name
	AnnotationProjectID = "kupenstack.io/project-id" // its id
)

// ProjectNamespace is a namespace of the cluster that says which project of OpenStack it has. Only these annotations of
// it are ours: somebody else makes the namespace, and neither goes with the other.
type ProjectNamespace struct {
	Namespace string
	Project   addr.Object
}

// Driver returns [Kubernetes].
func (*ProjectNamespace) Driver() DriverName { return Kubernetes }

// Locator names the namespace.
func (p *ProjectNamespace) Locator() Locator {
	return Locator{Driver: Kubernetes, Kind: KindProjectNamespace, Name: p.Namespace}
}

// Digest covers both, but not the name and the id that the project decides.
func (p *ProjectNamespace) Digest() string { return digest(p) }

// Desired returns the annotations by their keys, unknown until the project is there. A name that is sensitive is none of
// them, as everybody can read them.
func (p *ProjectNamespace) Desired(outputs map[addr.Object]cty.Value) cty.Value {
	desired := map[string]cty.Value{AnnotationProject: cty.UnknownVal(cty.String), AnnotationProjectID: cty.UnknownVal(cty.String)}
	project, known := outputs[p.Project]
	if !known || !project.IsKnown() || project.IsNull() {
		return cty.ObjectVal(desired)
	}
	for key, output := range map[string]string{AnnotationProject: "name", AnnotationProjectID: "id"} {
		desired[key] = project.GetAttr(output)
		if desired[key].IsMarked() {
			desired[key] = cty.NullVal(cty.String)
		}
	}
	return cty.ObjectVal(desired)
}
