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
// [Compose] finds and that no error which was told can have led to, so that one run tells both. partial
// says that some of the configuration could not even be read. There are no units: see [Compose].
func Check(m *model.Model, ev Evaluator, told diag.Diagnostics, partial bool) diag.Diagnostics {
	_, found := Compose(m, ev, Facts{OpenStackGiven: true})
	k := check{m: m, told: told, aside: !partial && !slices.ContainsFunc(told, func(d diag.Diagnostic) bool { return d.Severity == diag.Error && !aside(d) })}
	return slices.DeleteFunc(found, func(d diag.Diagnostic) bool { return !k.independent(d) })
}

// check tells mistakes that stand by themselves from those that others have led to.
type check struct {
	m    *model.Model
	told diag.Diagnostics
	// aside says that all errors are about resources and nodes, so that everything is known of the
	// services.
	aside bool
}

// aside tells whether an error is about a resource or a node: no service is another one for that.
func aside(d diag.Diagnostic) bool {
	o, is := d.Address.(addr.Object)
	return is && (o.Kind() == nodeKind || schema.ServiceOf(o.Kind()) != "")
}

const nodeKind = "node"

func (k check) independent(d diag.Diagnostic) bool {
	if d.Severity != diag.Error || slices.ContainsFunc(k.told, func(other diag.Diagnostic) bool { return sameLine(d, other) }) {
		return false
	}
	switch d.Code {
	case codeVersion, codeProfile, codeNode:
		return true // they are about something that is there
	case codeRelease:
		return k.m.Cloud.Release != ""
	case codeValue:
		return k.known()
	case codeMissing:
		return k.aside || aside(d) // a resource waits for a service that is known to be disabled
	case codeOverrides, codeDisagree:
		return k.aside // what seems to be missing somewhere may be in what is wrong
	default:
		return false
	}
}

// known tells whether everything that was written for services is known, so that what is wrong with it
// is so by itself.
func (k check) known() bool {
	return !slices.ContainsFunc(k.m.Cloud.Services, func(s model.Service) bool {
		return slices.ContainsFunc([]cty.Value{s.Conf, s.Values}, func(v cty.Value) bool { return v != cty.NilVal && !v.IsWhollyKnown() })
	})
}

// sameLine tells whether two diagnostics are about the same lines.
func sameLine(a, b diag.Diagnostic) bool {
	if a.Subject == nil || b.Subject == nil || a.Subject.File != b.Subject.File {
		return false
	}
	return a.Subject.Start.Line <= b.Subject.End.Line && b.Subject.Start.Line <= a.Subject.End.Line
}
