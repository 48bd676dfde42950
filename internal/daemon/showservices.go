package daemon

import (
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/report"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// serviceStandings returns how the services stand, by name.
func serviceStandings(m *model.Model, units map[addr.Object]*engine.UnitStatus, admitted bool) map[string]standing {
	standings := map[string]standing{}
	for i := range m.Cloud.Services {
		s := &m.Cloud.Services[i]
		if s.Enabled {
			standings[s.Name] = standingOf(units[s.Address])
		} else if admitted {
			standings[s.Name] = leaving(units[s.Address])
		}
	}
	return standings
}

// leaving is how a service stands that has enabled = false: on its way out, or gone. Nothing is decided about
// such a unit but whether it may go.
func leaving(u *engine.UnitStatus) standing {
	switch {
	case u == nil || u.Phase == engine.PhaseGone || u.Phase == engine.PhaseKept:
		return standing{status: statusDisabled, message: "it has enabled = false"}
	case u.Phase == engine.PhaseReady: // it waits for its turn
		return standing{status: statusWaiting, message: report.Why(u, mostShown)}
	default:
		return standing{status: statusOf(u.Phase), message: report.Why(u, mostShown)}
	}
}

func servicePlaces(m *model.Model, standings map[string]standing) []place {
	var places []place
	for i := range m.Cloud.Services {
		name := m.Cloud.Services[i].Name
		if s := standings[name]; s.status != "" {
			places = append(places, place{unit.ShownRef(unit.KindShownService, name), s.says()})
		}
	}
	return places
}

// cloudSays is what is shown of the cloud in a revision; known is false as long as it is not known how one of its
// services or nodes stands. What is on its way out counts until it is gone: a cloud that still has it is not as it is
// written.
func cloudSays(m *model.Model, services, nodes map[string]standing, revision string) (says unit.Shown, known bool) {
	of := map[string][]string{} // the services, by phase
	for i := range m.Cloud.Services {
		s := &m.Cloud.Services[i]
		switch services[s.Name].status {
		case statusDisabled:
		case "":
			if s.Enabled {
				return unit.Shown{}, false
			}
		default:
			phase := compose.PhaseOf(s.Name)
			of[phase] = append(of[phase], s.Name)
		}
	}
	var counted []string // the nodes
	for i := range m.Nodes {
		n := &m.Nodes[i]
		switch status := nodes[n.Name].status; {
		case status == statusDisabled, n.Disabled && status == statusMissing:
		case status == "":
			return unit.Shown{}, false
		default:
			counted = append(counted, n.Name)
		}
	}
	says = unit.Shown{Phase: compose.PhaseReady, Revision: revision}
	whole := unit.ShownCondition{Type: conditionReady, Status: isTrue, Reason: statusReady}
	if len(of) == 0 {
		whole.Reason = "NoServices"
	}
	var open []string
	add := func(phase string, c unit.ShownCondition) {
		if c.Status != isTrue && says.Phase == compose.PhaseReady {
			says.Phase = phase
		}
		if c.Status == isFalse || c.Status == isUnknown && whole.Status == isTrue {
			whole.Status, whole.Reason = c.Status, c.Reason
		}
		if c.Message != "" {
			open = append(open, c.Message)
		}
		says.Conditions = append(says.Conditions, c)
	}
	for _, p := range compose.Phases() {
		add(p.Name, together(p.Name+conditionReady, of[p.Name], services))
	}
	add(compose.PhaseNodes, ofNodes(compose.PhaseNodes+conditionReady, counted, nodes))
	whole.Message = report.Line(strings.Join(open, ", "), mostShown)
	says.Message = whole.Message
	says.Conditions = append(says.Conditions, whole)
	return says, true
}

// together is a condition that holds when all of some services are ready.
func together(name string, services []string, standings map[string]standing) unit.ShownCondition {
	c := unit.ShownCondition{Type: name, Status: isTrue, Reason: "Ready"}
	if len(services) == 0 {
		c.Reason = "NoServices"
	}
	var open []string
	for _, service := range services {
		s := standings[service]
		switch s.ready() {
		case isTrue:
			continue
		case isFalse:
			c.Status, c.Reason = isFalse, "NotReady"
		case isUnknown:
			if c.Status == isTrue {
				c.Status, c.Reason = isUnknown, "NotKnown"
			}
		}
		open = append(open, service+" is "+strings.ToLower(s.status))
	}
	c.Message = strings.Join(open, ", ")
	return c
}

// smokeTestCondition says whether the test of the cloud passed for the services as they are. It is beside the others, none
// of which depends on it.
func smokeTestCondition(u *engine.UnitStatus) unit.ShownCondition {
	s := standingOf(u)
	c := unit.ShownCondition{Type: conditionSmokeTest, Status: isUnknown, Reason: s.status}
	switch s.status {
	case "":
		c.Reason = "NotKnown"
	case statusReady:
		c.Status, c.Reason = isTrue, "Passed"
	case statusFailed, statusBlocked:
		c.Status, c.Message = isFalse, s.message
	}
	return c
}
