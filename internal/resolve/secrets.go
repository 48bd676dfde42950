package resolve

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// codeSecret is about a Secret's value where it cannot be.
const codeSecret diag.Code = "resolve.secret"

var errStaysSecret = errors.New(textStaysSecret)

// secret refers to a key of a Kubernetes Secret. At the first stage its value is unknown.
func (s *scope) secret() function.Function {
	plain := func(name string) function.Parameter {
		return function.Parameter{Name: name, Type: cty.String, AllowUnknown: true, AllowMarked: true}
	}
	return function.New(&function.Spec{
		Params: []function.Parameter{plain("name"), plain("key")},
		Type:   function.StaticReturnType(cty.String),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			for i, a := range args {
				switch {
				case a.IsMarked():
					return cty.NilVal, function.NewArgErrorf(i, textSecretNamed)
				case !a.IsKnown():
					return cty.NilVal, function.NewArgErrorf(i, textSecretLate)
				}
			}
			ref, err := secretRef(args[0].AsString(), args[1].AsString())
			if err != nil {
				return cty.NilVal, err
			}
			v := cty.UnknownVal(cty.String)
			if s.reveal != nil {
				v = s.reveal(ref)
				s.disclosed = true
			}
			return v.RefineNotNull().WithMarks(cty.NewValueMarks(model.Sensitive, ref)), nil
		},
	})
}

// maxSecretKey is the length of a key of a Secret that Kubernetes takes.
const maxSecretKey = 253

func secretRef(name, key string) (model.SecretRef, error) {
	ref := model.SecretRef{Name: name, Key: key}
	if namespace, inside, ok := strings.Cut(name, "/"); ok {
		ref.Namespace, ref.Name = namespace, inside
		if !isName(namespace) {
			return ref, function.NewArgErrorf(0, "what is before the slash is no name of a namespace: small letters, digits and - are")
		}
	}
	if !isName(ref.Name) {
		return ref, function.NewArgErrorf(0, "it must be the name of a Secret in the cloud's namespace, or namespace/name; names have small letters, digits, - and dots")
	}
	notInKeys := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("-_.", r)
	}
	if key == "" || len(key) > maxSecretKey || strings.ContainsFunc(key, notInKeys) {
		return ref, function.NewArgErrorf(1, "it must be a key of a Secret: letters, digits, -, _ and dots")
	}
	return ref, nil
}

// isName tells whether Kubernetes takes a text for the name of an object.
func isName(text string) bool {
	a := schema.Attribute{Name: "name", Type: cty.String, Format: schema.FormatDNSName}
	return text != "" && a.Check(cty.StringVal(text)) == ""
}

// Revealed computes what [Evaluator.Desired] and [Evaluator.Triggers] do with the values of Secrets as
// well. A Secret that is not among them leaves what is made from it unknown.
func (e *Evaluator) Revealed(address addr.Object, outputs map[addr.Object]cty.Value, secrets map[model.SecretRef]redact.Secret) (desired, triggers cty.Value, diags diag.Diagnostics) {
	i, diags := e.instance(address)
	if i == nil {
		return cty.DynamicVal, cty.NilVal, diags
	}
	result, diags := e.late(i, outputs, func(ref model.SecretRef) cty.Value {
		if value, ok := secrets[ref]; ok {
			return cty.StringVal(value.Reveal())
		}
		return cty.UnknownVal(cty.String)
	})
	if !result.ok {
		return result.desired, i.resource.Triggers, diags
	}
	return result.desired, result.triggers, diags
}

// tooSecret tells that a value decides the shape of the whole and is read from a Secret, which happens
// only later. It returns false for a value that is not known for another reason.
func (s *scope) tooSecret(a *config.Attribute, v cty.Value) bool {
	refs := model.SecretsIn(v)
	if len(refs) == 0 {
		return false
	}
	s.wrong(codeSecret, a, "value of a Secret", fmt.Sprintf("%s has to be known when the configuration is loaded, and %s is read only when something is made from it", a.Name, refs[0]),
		orHint(hintForName(a.Schema, v), "use secret() in attributes of resources, and as a whole value in conf and values of a service and in options of a backend"))
	return true
}

// hintForName says that an attribute takes the name of a Secret where its value was written; "" for others.
func hintForName(def *schema.Attribute, v cty.Value) string {
	const hint = "it takes the name of the Secret, which is read where it is needed; "
	if strings.HasSuffix(def.Name, "secret") && def.Type == cty.String {
		return hint + config.Example(def)
	}
	if v.IsMarked() || v.IsNull() || !v.IsKnown() || !v.Type().IsObjectType() {
		return ""
	}
	for _, field := range slices.Sorted(maps.Keys(def.FieldExamples)) {
		if part, written := v.AsValueMap()[field]; written && len(model.SecretsIn(part)) > 0 {
			return hint + config.Example(def.Field(field))
		}
	}
	return ""
}
