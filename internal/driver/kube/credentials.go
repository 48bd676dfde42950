package kube

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// maxWrites bounds how often a Secret is read and written again after somebody else wrote it.
const maxWrites = 4

// credentialSet handles [unit.Credentials].
type credentialSet struct {
	cluster   *Cluster
	recoverer Recoverer
	agreed    *agreements
	target    unit.Target
	spec      *unit.Credentials // nil for what is no longer wanted
}

func (s *credentialSet) ref() unit.ObjectRef {
	if s.spec != nil {
		return secretRef(s.spec.Namespace, s.spec.Name)
	}
	return secretRef(s.target.Locator.Namespace, s.target.Locator.Name)
}

func (s *credentialSet) refs() []unit.ObjectRef { return []unit.ObjectRef{s.ref()} }

// seenCredentials is what a state keeps for Compare: no values.
type seenCredentials struct {
	there    map[string]bool // the keys that have a value
	edited   []string        // the keys whose value is not the one that releases hold
	disputed []string        // what is to be said of keys that releases hold different values for
	lost     string          // why a value that is missing must not be made anew
	taken    string          // why the Secret is not for us to write
	marks    []unit.Field
	others   []any // who else has written what, see [othersIn]
	ours     bool
}

func (s *credentialSet) state(ctx context.Context, there objects) (unit.State, error) {
	live := there[s.ref()]
	seen := &seenCredentials{there: valuesOf(live)}
	var err error
	if seen.lost, err = s.lost(ctx, seen.there); err != nil {
		return unit.State{}, err
	}
	var after time.Duration
	if seen.lost != "" {
		after = lookAgain // nothing tells of it when the Secret is restored without our label, or the rest goes
	}
	if live == nil {
		return unit.State{Existence: unit.Absent, Message: seen.lost, After: after, Observed: seen}, nil
	}
	if seen.taken = s.taken(live); seen.taken != "" { // not installed: what waits for our values must not take these
		return unit.State{Existence: unit.Present, Health: unit.HealthFailed, Message: seen.taken, Observed: seen}, nil
	}
	s.cluster.learn(valuesIn(live))
	edits, err := s.edits(ctx, live)
	if err != nil {
		return unit.State{}, err
	}
	seen.others = managersIn(metadataOf(live))
	seen.edited, seen.disputed = slices.Sorted(maps.Keys(edits.values)), edits.disputed
	annotations := live.GetAnnotations()
	seen.ours = annotations[AnnotationUnit] == s.target.Address.String()
	if value := live.GetLabels()[LabelManagedBy]; value != ManagedBy {
		at := path{}.field("metadata").field("labels").field(LabelManagedBy)
		seen.marks = append(seen.marks, told(unit.Field{Path: at.String(), Before: value, After: ManagedBy}, seen.others, nil, at))
	}
	state := unit.State{
		Existence: unit.Present, Health: unit.HealthReady, Installed: true, Owned: seen.ours,
		Applied: annotations[AnnotationApplied], After: after, Observed: seen,
	}
	if s.spec != nil {
		if missing := missingKeys(s.spec, seen.there); len(missing) > 0 {
			state.Installed, state.Health = false, unit.HealthProgressing
			state.Message = fmt.Sprintf("%s lacks %d values", s.ref(), len(missing))
		}
	}
	switch {
	case seen.lost != "":
		state.Message = seen.lost
	case len(seen.edited) > 0:
		// Not installed: what waits for the values must not take these.
		state.Installed, state.Health = false, unit.HealthProgressing
		state.Message = fmt.Sprintf("%s has other values than releases hold for %s", s.ref(), strings.Join(seen.edited, ", "))
	case len(seen.disputed) > 0 && state.Message == "":
		state.Message = seen.disputed[0]
	}
	return state, nil
}

func (s *credentialSet) compare(state unit.State) unit.Diff {
	seen, ok := state.Observed.(*seenCredentials)
	if !ok {
		return unit.Diff{Action: unit.ActionUnknown, Reason: "the state is not this driver's"}
	}
	if seen.taken != "" {
		return unit.Diff{Action: unit.ActionBlocked, Reason: seen.taken}
	}
	diff := unit.Diff{Action: unit.ActionNone, Fields: slices.Clone(seen.marks)}
	for _, credential := range missingKeys(s.spec, seen.there) {
		if seen.lost != "" {
			break
		}
		at := path{}.field("data").field(credential.Key)
		diff.Fields = append(diff.Fields, told(unit.Field{Path: at.String(), After: unit.TextSensitive}, seen.others, nil, at))
	}
	for _, key := range seen.edited {
		at := path{}.field("data").field(key)
		diff.Fields = append(diff.Fields, told(unit.Field{Path: at.String(), Before: unit.TextSensitive, After: unit.TextSensitive}, seen.others, nil, at))
		diff.Reason = "it was changed outside"
	}
	switch {
	case seen.lost != "" && len(seen.edited) == 0: // else what can be put back is
		diff.Action, diff.Reason = unit.ActionBlocked, seen.lost
	case state.Existence == unit.Absent:
		diff.Action = unit.ActionCreate
	case !seen.ours:
		diff.Action = unit.ActionAdopt
		if len(seen.edited) == 0 {
			diff.Reason = s.ref().String() + " is there already: its values stay"
		}
	case len(diff.Fields) > 0:
		diff.Action = unit.ActionUpdate
	case len(seen.disputed) > 0:
		diff.Action, diff.Reason = unit.ActionBlocked, seen.disputed[0]
	case state.Applied != s.spec.Digest():
		diff.Action, diff.Reason = unit.ActionUpdate, "only our record of what was applied changes"
	}
	return diff
}

// apply adds the values that are missing, and puts back those that somebody changed while releases
// hold them. Each attempt begins with what the server has: of two writers only one can write on
// that, and the other sees its values.
func (s *credentialSet) apply(ctx context.Context, _ objects) error {
	made := map[string]redact.Secret{} // so that an attempt after a conflict asks releases no more
	for range maxWrites {
		live, err := s.cluster.read(ctx, s.ref())
		if err != nil {
			return err
		}
		if why := s.taken(live); why != "" {
			return unit.Blocked(why)
		}
		edits, err := s.edits(ctx, live)
		if err != nil {
			return err
		}
		err = s.fill(ctx, missingKeys(s.spec, valuesOf(live)), made)
		switch {
		case err == nil:
			for _, credential := range missingKeys(s.spec, valuesOf(live)) {
				edits.values[credential.Key] = made[credential.Key]
			}
		case !unit.IsBlocked(err) || len(edits.values) == 0:
			return err
		}
		if len(edits.values) == 0 && len(edits.disputed) > 0 {
			return unit.Blocked(edits.disputed[0])
		}
		err = s.write(ctx, live, edits.values)
		if !errors.Is(err, ErrConflict) {
			return err
		}
	}
	return fmt.Errorf("write %s: %w", s.ref(), ErrConflict)
}

// fill adds the values of keys that are missing to those that were made already.
func (s *credentialSet) fill(ctx context.Context, missing []unit.Credential, made map[string]redact.Secret) error {
	for _, credential := range missing {
		if _, ok := made[credential.Key]; ok {
			continue
		}
		value, err := s.value(ctx, credential)
		if err != nil {
			return err
		}
		made[credential.Key] = value
	}
	return nil
}

// write creates the Secret, or updates the version that was read. Server-side apply is for what
// the configuration decides: it would make a Secret anew over one that another writer made
// meanwhile, and with it replace passwords that are in use already.
func (s *credentialSet) write(ctx context.Context, live *unstructured.Unstructured, values map[string]redact.Secret) error {
	var object *unstructured.Unstructured
	if live == nil {
		object = &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "Secret", "type": "Opaque",
			"metadata": map[string]any{"namespace": s.spec.Namespace, "name": s.spec.Name},
		}}
	} else {
		object = live.DeepCopy()
		unstructured.RemoveNestedField(object.Object, "metadata", fieldManagers) // of which strip has left a part
	}
	data, _, _ := unstructured.NestedMap(object.Object, "data")
	if data == nil {
		data = map[string]any{}
	}
	s.cluster.learn(values)
	for key, value := range values {
		data[key] = base64.StdEncoding.EncodeToString([]byte(value.Reveal()))
	}
	object.Object["data"] = data
	marks := marked(object.Object, s.target.Address.String(), s.spec.Digest())
	labels := marks.GetLabels()
	labels[LabelManagedBy] = ManagedBy // also where it was another's: we must see it
	marks.SetLabels(labels)
	if live == nil {
		_, err := s.cluster.Create(ctx, Manager, marks)
		return err
	}
	if sameContent(live, marks) {
		return nil
	}
	_, err := s.cluster.update(ctx, marks, metav1.UpdateOptions{FieldManager: Manager})
	return err
}

// value returns the value for a key that is missing: the one that a release has, or a new one when
// there is certainly nothing that could have been made with an old one.
func (s *credentialSet) value(ctx context.Context, credential unit.Credential) (redact.Secret, error) {
	value, left, err := s.recovered(ctx, credential)
	switch {
	case err != nil || !value.IsEmpty():
		return value, err
	case len(left) > 0:
		return redact.Secret{}, unit.Blocked(s.bereft([]string{credential.Key}, left))
	case credential.UUID:
		return newUUID(), nil
	case credential.Fernet:
		return newFernetKey(), nil
	default:
		return newPassword(credential.Length), nil
	}
}

// remove does nothing: whoever still has data that was encrypted with a value needs it.
func (s *credentialSet) remove(context.Context, objects) error { return nil }

// taken says why a Secret is not for us to write, and what to do: it is a release's; "" for any other.
func (s *credentialSet) taken(live *unstructured.Unstructured) string {
	if live == nil || s.ours(live) {
		return ""
	}
	return ofRelease(live, s.target.Address)
}

// ours tells whether a Secret bears the mark of the unit, be it that of an address which it had before.
func (s *credentialSet) ours(live *unstructured.Unstructured) bool {
	mark := live.GetAnnotations()[AnnotationUnit]
	return mark == s.target.Address.String() || slices.ContainsFunc(s.target.Origins, func(a addr.Object) bool { return mark == a.String() })
}

// missingKeys returns the credentials that are not there.
func missingKeys(spec *unit.Credentials, there map[string]bool) []unit.Credential {
	var missing []unit.Credential
	for _, credential := range spec.Keys {
		if !there[credential.Key] {
			missing = append(missing, credential)
		}
	}
	return missing
}

// valuesOf returns the keys that have a value in a Secret, nil for none.
func valuesOf(live *unstructured.Unstructured) map[string]bool {
	there := map[string]bool{}
	if live == nil {
		return there
	}
	data, _ := live.Object["data"].(map[string]any)
	for key, value := range data {
		if text, ok := value.(string); ok && text != "" {
			there[key] = true
		}
	}
	return there
}
