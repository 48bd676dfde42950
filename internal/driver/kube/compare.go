package kube

import (
	"encoding/base64"
	"maps"
	"math"
	"math/big"
	"reflect"
	"slices"

	"github.com/fluxcd/pkg/ssa/normalize"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// Compare returns the fields written in desired that live has otherwise, in the order of their
// paths. What live has beyond is somebody else's or a default. Of the metadata only labels,
// annotations and finalizers count, the status never does. It sends nothing.
//
// It knows how the API server writes quantities, ports, numbers and empty values of the built-in
// kinds. What a custom kind or a webhook normalises looks like a difference: [Cluster.Unchanged]
// finds that out. Values of Secrets are not shown.
func (c *Cluster) Compare(desired, live *unstructured.Unstructured) []unit.Field {
	d := &differ{masker: c.masker}
	secret := isSecret(desired)
	want := desired.Object
	if secret {
		want = withoutStringData(want)
	}
	d.metadata(metadataOf(desired), metadataOf(live))
	if len(d.found) == 0 && covered(want, live.Object) {
		return nil
	}
	for _, key := range slices.Sorted(maps.Keys(want)) {
		switch key {
		case "apiVersion", "kind", "metadata", "status":
			continue
		}
		d.secret = secret && (key == "data" || key == "stringData")
		d.value(path{}.field(key), want[key], live.Object[key])
	}
	fields := d.confirmed(want, live)
	others := managersIn(metadataOf(live))
	for i, found := range d.found {
		if !found.lacks {
			fields[i] = told(fields[i], others, live.Object, found.path)
		}
	}
	return fields
}

// covered tells whether live certainly has all that is wanted of an object but for its metadata, which is how nearly all
// objects are when they are looked at. Of two ways of writing the same it knows nothing.
func covered(want, live map[string]any) bool {
	for key, value := range want {
		switch key {
		case "apiVersion", "kind", "metadata", "status":
		default:
			if !has(key, live[key], value) {
				return false
			}
		}
	}
	return true
}

// has tells whether the value of a field certainly has what is wanted of it.
func has(field string, have, want any) bool {
	switch want := want.(type) {
	case map[string]any:
		fields, ok := have.(map[string]any)
		if !ok {
			return false
		}
		for key, value := range want {
			if !has(key, fields[key], value) {
				return false
			}
		}
		return true
	case []any:
		items, ok := have.([]any)
		if !ok || len(items) != len(want) {
			return false
		}
		keys := identity(field, want, items)
		for i, item := range want {
			if keys != nil && idOf(item, keys) != idOf(items[i], keys) || !has("", items[i], item) {
				return false
			}
		}
		return true
	default:
		return sameScalar(want, have)
	}
}

// compareStatus is Compare for the status alone.
func (c *Cluster) compareStatus(desired, live *unstructured.Unstructured) []unit.Field {
	d := &differ{masker: c.masker}
	d.value(path{}.field("status"), desired.Object["status"], live.Object["status"])
	return d.fields()
}

// differ collects differences.
type differ struct {
	masker *redact.Masker
	secret bool // what is looked at must not be shown
	found  []difference
}

type difference struct {
	path         path
	want, have   any
	secret, list bool // list: have is an element of a list that is not wanted
	lacks        bool // an element of what the path leads to is not there, which nobody has
}

func (d *differ) metadata(want, have map[string]any) {
	at := path{}.field("metadata")
	for _, key := range []string{"annotations", "labels"} {
		if want[key] != nil && !has(key, have[key], want[key]) {
			d.value(at.field(key), want[key], have[key])
		}
	}
	wanted, _ := want["finalizers"].([]any)
	present, _ := have["finalizers"].([]any)
	for _, finalizer := range wanted {
		if !slices.Contains(present, finalizer) {
			d.found = append(d.found, difference{path: at.field("finalizers"), want: finalizer, lacks: true})
		}
	}
}

func (d *differ) value(at path, want, have any) {
	switch want := want.(type) {
	case map[string]any:
		fields, ok := have.(map[string]any)
		if !ok && have != nil {
			d.differs(at, want, have)
			return
		}
		if have == nil && !empty(want) && len(at) > 2 {
			d.differs(at, want, nil) // one line says it all
			return
		}
		for _, key := range slices.Sorted(maps.Keys(want)) {
			d.value(at.field(key), want[key], fields[key])
		}
	case []any:
		items, ok := have.([]any)
		if !ok && have != nil {
			d.differs(at, want, have)
			return
		}
		d.items(at, want, items)
	default:
		if !sameScalar(want, have) {
			d.differs(at, want, have)
		}
	}
}

func (d *differ) differs(at path, want, have any) {
	d.found = append(d.found, difference{path: slices.Clone(at), want: want, have: have, secret: d.secret})
}

// confirmed drops differences that are only ways of writing the same, as the types of the built-in
// kinds read both. That is looked at only where something differs at all.
func (d *differ) confirmed(want map[string]any, live *unstructured.Unstructured) []unit.Field {
	if len(d.found) == 0 {
		return nil
	}
	wanted := &unstructured.Unstructured{Object: want}
	if typed, err := normalize.FromUnstructured(wanted); err != nil || typed == nil {
		return d.fields() // no built-in kind, or not written as one
	}
	wanted, present := wanted.DeepCopy(), live.DeepCopy()
	if normalize.Unstructured(wanted) != nil || normalize.Unstructured(present) != nil {
		return d.fields()
	}
	d.found = slices.DeleteFunc(d.found, func(found difference) bool {
		if found.list {
			return false
		}
		a, ok := found.path.in(wanted.Object)
		b, present := found.path.in(present.Object)
		return ok && present && reflect.DeepEqual(a, b)
	})
	return d.fields()
}

func (d *differ) fields() []unit.Field {
	var fields []unit.Field
	for _, found := range d.found {
		fields = append(fields, unit.Field{
			Path: found.path.String(), Before: d.text(found, found.have), After: d.text(found, found.want),
		})
	}
	return fields
}

// sameScalar compares what is no map and no list. Written but empty is the same as absent, which
// is how the server prunes it.
func sameScalar(want, have any) bool {
	if want == nil {
		return true // asks for the default
	}
	if have == nil {
		return empty(want)
	}
	if want == have {
		return true
	}
	a, isNumber := number(want)
	b, isToo := number(have)
	return isNumber && isToo && a.Cmp(b) == 0
}

// number returns a number with all its digits, which a float64 has not for whole numbers of 64 bits.
func number(v any) (*big.Float, bool) {
	switch v := v.(type) {
	case int:
		return new(big.Float).SetInt64(int64(v)), true
	case int32:
		return new(big.Float).SetInt64(int64(v)), true
	case int64:
		return new(big.Float).SetInt64(v), true
	case float64:
		if math.IsNaN(v) {
			return nil, false
		}
		return big.NewFloat(v), true
	default:
		return nil, false
	}
}

// empty tells whether the server may leave a value out as if it had not been written.
func empty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case bool:
		return !v
	case map[string]any:
		for _, element := range v {
			if !empty(element) {
				return false
			}
		}
		return true
	case []any:
		return len(v) == 0
	default:
		n, ok := number(v)
		return ok && n.Sign() == 0
	}
}

func isSecret(object *unstructured.Unstructured) bool {
	return object.GetKind() == "Secret" && object.GetAPIVersion() == "v1"
}

// onlyTexts tells whether all that is in a map is texts; the server says of anything else what is wrong.
func onlyTexts(v any) bool {
	fields, ok := v.(map[string]any)
	for _, value := range fields {
		_, text := value.(string)
		ok = ok && text
	}
	return ok
}

// withoutStringData returns the content of a Secret as the server stores it. With data of another kind it stores none, and says so.
func withoutStringData(object map[string]any) map[string]any {
	texts, ok := object["stringData"].(map[string]any)
	data, isMap := object["data"].(map[string]any)
	if !ok || !isMap && object["data"] != nil {
		return object
	}
	object = maps.Clone(object)
	delete(object, "stringData")
	data = maps.Clone(data)
	if data == nil {
		data = map[string]any{}
	}
	for key, text := range texts {
		if text, ok := text.(string); ok {
			data[key] = base64.StdEncoding.EncodeToString([]byte(text))
		}
	}
	object["data"] = data
	return object
}
