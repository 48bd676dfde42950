package model

import (
	"cmp"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"
)

// SecretRef names a key of a Kubernetes Secret. It is the mark of the value that the key has and of
// everything that is made from it, beside [Sensitive]. While the configuration is loaded such a
// value is unknown.
type SecretRef struct {
	Namespace string // "" for that of the cloud
	Name      string
	Key       string
}

// String names the Secret and the key, for messages.
func (r SecretRef) String() string {
	name := r.Name
	if r.Namespace != "" {
		name = r.Namespace + "/" + name
	}
	return "key " + r.Key + " of Secret " + name
}

// Compare orders references by namespace, name and key.
func (r SecretRef) Compare(other SecretRef) int {
	return cmp.Or(strings.Compare(r.Namespace, other.Namespace), strings.Compare(r.Name, other.Name), strings.Compare(r.Key, other.Key))
}

// Sealed is the mark of a value that is in an encrypted file and not known because the key to that was
// not given. Only a configuration that is not going to be applied has such values.
const Sealed mark = "sealed"

// SecretsIn returns the keys of Secrets that values are made from, sorted, each once.
func SecretsIn(values ...cty.Value) []SecretRef {
	var refs []SecretRef
	for _, v := range values {
		if v == cty.NilVal || !bears(v) { // most have none, and looking costs less than taking them off
			continue
		}
		_, marks := v.UnmarkDeep()
		refs = append(refs, secretsOf(marks)...)
	}
	slices.SortFunc(refs, SecretRef.Compare)
	return slices.Compact(refs)
}

// bears tells whether a value or anything inside of it has a mark, without making anything for objects,
// which nearly all are that are asked about.
func bears(v cty.Value) bool {
	switch {
	case v.IsMarked():
		return true
	case v.IsNull() || !v.IsKnown() || v.Type().IsPrimitiveType():
		return false
	case !v.Type().IsObjectType():
		return v.ContainsMarked()
	}
	for name := range v.Type().AttributeTypes() {
		if bears(v.GetAttr(name)) {
			return true
		}
	}
	return false
}

// SecretsAt is SecretsIn for what a value itself bears, without the parts inside it.
func SecretsAt(v cty.Value) []SecretRef {
	refs := secretsOf(v.Marks())
	slices.SortFunc(refs, SecretRef.Compare)
	return refs
}

func secretsOf(marks cty.ValueMarks) []SecretRef {
	var refs []SecretRef
	for m := range marks {
		if ref, ok := m.(SecretRef); ok {
			refs = append(refs, ref)
		}
	}
	return refs
}
