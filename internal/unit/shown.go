package unit

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// ShownGroup is the API group of the objects that show people in the cluster how things stand.
const ShownGroup = "kupenstack.io"

// ShownVersion is the version of that group that they are written in.
const ShownVersion = ShownGroup + "/v1alpha1"

// ErrNoPlace says that the cluster has an older definition of a kind, by which nothing can be said of how its objects stand.
var ErrNoPlace = errors.New("the definition in the cluster has no status yet")

// The kinds of these objects.
const (
	KindShownNode    = "OpenstackNode"
	KindShownService = "OpenStackService"
	KindShownProfile = "OpenStackCloudConfigurationProfile"
	KindShownCloud   = "OpenStackControlPlane"
)

// shownDigest is how many digits of a digest end a name that Kubernetes would not take.
const shownDigest = 8

// ShownRef returns the object that shows something of a name. What Kubernetes takes for a name of an object stays
// as it is; in all other names a digest keeps apart what looks alike without capitals and the like.
func ShownRef(kind, name string) ObjectRef {
	return ObjectRef{APIVersion: ShownVersion, Kind: kind, Name: nameWithin(name, validation.DNS1123SubdomainMaxLength)}
}

// ObjectName makes a name of an object of Kubernetes that can be the value of a label as well. What it takes stays as
// it is, and what looks alike without capitals and the like is kept apart.
func ObjectName(name string) string { return nameWithin(name, validation.LabelValueMaxLength) }

func nameWithin(name string, most int) string {
	if len(validation.IsDNS1123Subdomain(name)) == 0 && len(name) <= most {
		return name
	}
	plain := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(name))
	sum := sha256.Sum256([]byte(name))
	most = min(len(plain), most-shownDigest-1)
	return strings.TrimLeft(plain[:most]+"-"+hex.EncodeToString(sum[:])[:shownDigest], "-")
}

// IsShown tells whether an object only shows people how things stand.
func (r ObjectRef) IsShown() bool { return r.Identity().Group == ShownGroup }

// Shown is how something stands, as such an object says it beside what the configuration says. What is empty is
// not said.
type Shown struct {
	Status     string           `json:"status,omitempty"`
	Message    string           `json:"message,omitempty"`
	Phase      string           `json:"phase,omitempty"`
	Revision   string           `json:"observedRevision,omitempty"`
	Conditions []ShownCondition `json:"conditions,omitempty"` // by type
}

// ShownCondition is a condition as all of Kubernetes has them.
type ShownCondition struct {
	Type    string `json:"type"`
	Status  string `json:"status"` // True, False or Unknown
	Reason  string `json:"reason"` // a word
	Message string `json:"message,omitempty"`
	Since   string `json:"lastTransitionTime"` // when Status became what it is, by RFC 3339
}
