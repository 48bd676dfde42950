package unit

import (
	"cmp"
	"slices"
	"strings"
)

// Locator is what is needed to find a thing again when only the inventory knows of it.
type Locator struct {
	Driver    DriverName  `json:"driver"`
	Kind      string      `json:"kind"`
	Namespace string      `json:"namespace,omitempty"`
	Name      string      `json:"name,omitempty"`
	Objects   []ObjectRef `json:"objects,omitempty"`
	Region    string      `json:"region,omitempty"`
	Project   string      `json:"project,omitempty"`
	// User is who a thing inside OpenStack was made for, where its kind shows no one but that user what is theirs. An older
	// program neither knows nor keeps it.
	User string `json:"user,omitempty"`
	Keep bool   `json:"keep,omitempty"` // never deleted, only forgotten
}

// ObjectRef names a Kubernetes object.
type ObjectRef struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
}

// RefOf returns the reference of an object; what the object does not say is empty.
func RefOf(object map[string]any) ObjectRef {
	text := func(m map[string]any, key string) string {
		s, _ := m[key].(string)
		return s
	}
	metadata, _ := object["metadata"].(map[string]any)
	return ObjectRef{
		APIVersion: text(object, "apiVersion"), Kind: text(object, "kind"),
		Namespace: text(metadata, "namespace"), Name: text(metadata, "name"),
	}
}

// String returns the reference as a person would say it: Deployment openstack/keystone-api.
func (r ObjectRef) String() string {
	if r.Namespace == "" {
		return r.Kind + " " + r.Name
	}
	return r.Kind + " " + r.Namespace + "/" + r.Name
}

// Identity is what no two objects of a cluster share. The version of a kind is only a way to look at an object.
type Identity struct{ Group, Kind, Namespace, Name string }

// Identity returns what the reference leads to, whatever its version.
func (r ObjectRef) Identity() Identity {
	group, _, grouped := strings.Cut(r.APIVersion, "/")
	if !grouped {
		group = "" // Kubernetes' oldest kinds have none
	}
	return Identity{Group: group, Kind: r.Kind, Namespace: r.Namespace, Name: r.Name}
}

// Compare orders references by kind, namespace and name.
func (r ObjectRef) Compare(other ObjectRef) int {
	return cmp.Or(cmp.Compare(r.Kind, other.Kind), cmp.Compare(r.Namespace, other.Namespace),
		cmp.Compare(r.Name, other.Name), cmp.Compare(r.APIVersion, other.APIVersion))
}

// Equal reports whether two locators are for the same thing.
func (l Locator) Equal(other Locator) bool {
	return l.Driver == other.Driver && l.Kind == other.Kind && l.Namespace == other.Namespace && l.Name == other.Name &&
		l.Region == other.Region && l.Project == other.Project && l.User == other.User && l.Keep == other.Keep && slices.Equal(l.Objects, other.Objects)
}
