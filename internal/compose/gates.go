package compose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// maxGates bounds how many gates a release has: each is asked at every look.
const maxGates = 20

// gates returns what has to hold before the release of a block is ready; nil where nothing is asked.
func (c *composer) gates(r *model.Resource, namespace string) *unit.API {
	written, _ := r.Desired.GetAttr(schema.Gates).UnmarkDeep()
	if written.IsNull() || written.LengthInt() == 0 {
		return nil
	}
	where := at(r, schema.Gates)
	if n := written.LengthInt(); n > maxGates {
		c.fail(codeValue, where, r.Address, "too many gates", fmt.Sprintf("there can be at most %d, and these are %d", maxGates, n), "leave away those that follow from others")
		return nil
	}
	api := &unit.API{}
	for i, v := range written.AsValueSlice() {
		g, problem := gate(v, namespace)
		if problem != "" {
			c.fail(codeValue, where, r.Address, "not a gate", fmt.Sprintf("%s[%d] %s", schema.Gates, i, problem),
				`write, for example: gates = [{ url = "http://gitea-http.gitea.svc:3000/api/healthz" }], or: gates = [{ api_version = "cert-manager.io/v1", kind = "Certificate", name = "ca", condition = "Ready" }]`)
			return nil
		}
		api.Checks = append(api.Checks, g)
	}
	if c.facts.Checks.Off {
		return nil
	}
	return api
}

// gate reads one gate, and says what is wrong with it: the end of a sentence.
func gate(v cty.Value, namespace string) (unit.Check, string) {
	if v.IsNull() {
		return unit.Check{}, "is null"
	}
	fields := map[string]string{}
	for _, name := range []string{schema.GateURL, schema.GateCA, schema.GateAPIVersion, schema.GateKind, schema.GateNamespace, schema.GateName, schema.GateCondition} {
		if field := v.GetAttr(name); !field.IsNull() {
			fields[name] = field.AsString()
		}
	}
	status := v.GetAttr(schema.GateStatus)
	ofObject := []string{schema.GateAPIVersion, schema.GateKind, schema.GateName, schema.GateCondition}
	if fields[schema.GateURL] != "" {
		if i := slices.IndexFunc(append(ofObject, schema.GateNamespace), func(name string) bool { return fields[name] != "" }); i >= 0 {
			return unit.Check{}, fmt.Sprintf("has a url, and %s, which an object has", append(ofObject, schema.GateNamespace)[i])
		}
		g := unit.Check{URL: fields[schema.GateURL], CA: fields[schema.GateCA]}
		if !status.IsNull() {
			n, _ := status.AsBigFloat().Int64() // a whole one, by the schema
			g.Status = int(n)
		}
		return g, ""
	}
	var missing []string
	for _, name := range ofObject {
		if fields[name] == "" {
			missing = append(missing, name)
		}
	}
	switch {
	case len(missing) == len(ofObject):
		return unit.Check{}, "has neither a url nor an object"
	case len(missing) > 0:
		return unit.Check{}, "is about an object, and lacks " + strings.Join(missing, ", ")
	case !status.IsNull() || fields[schema.GateCA] != "":
		return unit.Check{}, "is about an object, and has status or ca, which a url has"
	}
	ref := unit.ObjectRef{APIVersion: fields[schema.GateAPIVersion], Kind: fields[schema.GateKind], Namespace: namespace, Name: fields[schema.GateName]}
	if fields[schema.GateNamespace] != "" {
		ref.Namespace = fields[schema.GateNamespace]
	}
	return unit.Check{Object: ref, Condition: fields[schema.GateCondition]}, ""
}
