package compose

import (
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// Check composes what there is of a configuration with errors, and returns the mistakes that only
// [Compose] finds and that no error which was told can have led to, so that one run tells both. There are
// no units: see [Compose].
func Check(m *model.Model, ev Evaluator, told diag.Diagnostics, written Written) diag.Diagnostics {
	_, found := Compose(m, ev, Facts{OpenStackGiven: true})
	k := check{m: m, told: told, written: written, definition: m.Language}
	return slices.DeleteFunc(found, func(d diag.Diagnostic) bool { return !k.independent(d) })
}

// Written is what [Check] asks about the text of a configuration.
type Written struct {
	// Partial says that some of it could not even be read.
	Partial bool
	// Setting returns the attribute of a service that something was written in, as far as that is known.
	Setting func(diag.Range) (service, name string, ok bool)
}

// check tells mistakes that stand by themselves from those that others have led to.
type check struct {
	m       *model.Model
	told    diag.Diagnostics
	written Written

	definition *schema.Definition
}

// untouched tells whether the errors that were told leave everything known of the services, but for settings
// that do not matter.
func (k check) untouched(matters func(service, name string) bool) bool {
	return !k.written.Partial && !slices.ContainsFunc(k.told, func(d diag.Diagnostic) bool {
		if d.Severity != diag.Error || k.aside(d) {
			return false
		}
		if d.Subject == nil {
			return true
		}
		service, name, ok := k.written.Setting(*d.Subject)
		return !ok || matters(service, name)
	})
}

// aside tells whether an error is about a resource or a node: no service is another one for that.
func (k check) aside(d diag.Diagnostic) bool {
	o, is := d.Address.(addr.Object)
	return is && (o.Kind() == nodeKind || k.definition.ServiceOf(o.Kind()) != "" || o.Kind() == schema.ChartKind || o.Kind() == schema.ManifestKind)
}

const nodeKind = "node"

func (k check) independent(d diag.Diagnostic) bool {
	if d.Severity != diag.Error || slices.ContainsFunc(k.told, func(other diag.Diagnostic) bool { return sameLine(d, other) }) {
		return false
	}
	switch d.Code {
	case codeProfile, codeNode, codeName, codeDuplicate, codeTrust:
		return true // they are about something that is there
	case codeRelease:
		return k.m.Cloud.Release != ""
	case codeValue:
		return k.known()
	case codeMissing:
		// A resource waits for a service that is known to be disabled.
		return k.aside(d) || k.untouched(func(_, name string) bool { return name != "replicas" })
	case codeDisagree: // what seems to be missing somewhere may be in what is wrong
		return k.untouched(func(_, name string) bool { return name != "replicas" })
	case codeOverrides: // as above
		return k.untouched(k.mayBe(d))
	default:
		return false
	}
}

// mayBe returns which settings can be what a diagnostic misses in the configuration of a service.
func (k check) mayBe(d diag.Diagnostic) func(service, name string) bool {
	about, _, ok := "", "", false
	if d.Subject != nil {
		about, _, ok = k.written.Setting(*d.Subject)
	}
	return func(service, name string) bool { return !ok || service == about && name != "replicas" }
}

// known tells whether everything that was written for services is known, so that what is wrong with it
// is so by itself.
func (k check) known() bool {
	return !slices.ContainsFunc(k.m.Cloud.Services, func(s model.Service) bool {
		written := []cty.Value{s.Conf, s.Values}
		for _, b := range s.Backends {
			written = append(written, b.Options)
		}
		return slices.ContainsFunc(written, func(v cty.Value) bool { return v != cty.NilVal && !v.IsWhollyKnown() })
	})
}

// sameLine tells whether two diagnostics are about the same lines.
func sameLine(a, b diag.Diagnostic) bool {
	if a.Subject == nil || b.Subject == nil || a.Subject.File != b.Subject.File {
		return false
	}
	return a.Subject.Start.Line <= b.Subject.End.Line && b.Subject.Start.Line <= a.Subject.End.Line
}
