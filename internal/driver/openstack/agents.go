package openstack

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// Agent is a process of a service of OpenStack on a host, as the service tells.
type Agent struct {
	Host   string
	Type   string // what Neutron calls it, "" for Nova's
	Binary string
	// Up says that it has reported lately, Enabled that nobody has taken it out of use.
	Up, Enabled bool
	// Reported is when it did so last, zero where the service does not tell. A service goes on calling an agent
	// up for a minute after it has died.
	Reported time.Time
}

// agentsVersion still names the services of a cell that cannot be reached; without it they would be
// missing from the list as if they were not there.
const agentsVersion = "2.69"

// ComputeAgents returns Nova's services on all hosts, from one list. An error means that nothing is known
// of them, as when our user may not see them.
func (d *Driver) ComputeAgents(ctx context.Context) ([]Agent, error) {
	return d.agents(ctx, call{service: serviceCompute, path: "os-services", microversion: agentsVersion}, "services", computeAgent)
}

// computeAgent reads what Nova, and Cinder likewise, tell of one.
func computeAgent(raw map[string]any) (a Agent, told bool) {
	state, status := textAt(raw, "state"), textAt(raw, "status")
	return Agent{Up: state == "up", Enabled: status == "enabled", Reported: reportedAt(raw, "updated_at")},
		(state == "up" || state == "down") && (status == "enabled" || status == "disabled")
}

// NetworkAgents returns Neutron's agents on all hosts, from one list. An error means that nothing is known
// of them. So does an empty list: that is what Neutron answers to who may not see any.
func (d *Driver) NetworkAgents(ctx context.Context) ([]Agent, error) {
	agents, err := d.agents(ctx, call{service: serviceNetwork, path: "agents", query: agentFields()}, "agents", networkAgent)
	if err == nil && len(agents) == 0 {
		err = errors.New("neutron shows our user no agents")
	}
	return agents, err
}

func agentFields() url.Values {
	return url.Values{"fields": {"host", "agent_type", "binary", "alive", "admin_state_up", "heartbeat_timestamp"}}
}

// networkAgent reads what Neutron tells of one. Of agents of OVN it gives the time of its answer as that of their report.
func networkAgent(raw map[string]any) (a Agent, told bool) {
	up, hasUp := raw["alive"].(bool)
	enabled, hasEnabled := raw["admin_state_up"].(bool)
	return Agent{Type: textAt(raw, "agent_type"), Up: up, Enabled: enabled, Reported: reportedAt(raw, "heartbeat_timestamp")}, hasUp && hasEnabled
}

// reportedAt reads a time as services write it: of UTC, with a blank or a T, and mostly without a zone.
func reportedAt(raw map[string]any, key string) time.Time {
	text := strings.Replace(textAt(raw, key), " ", "T", 1)
	for _, layout := range []string{"2006-01-02T15:04:05", time.RFC3339} {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UTC()
		}
	}
	return time.Time{}
}

// agents reads a list; read returns what the services tell each in their own way, and whether they do.
func (d *Driver) agents(ctx context.Context, c call, key string, read func(map[string]any) (Agent, bool)) ([]Agent, error) {
	s, err := d.connector.session(ctx)
	if err != nil {
		return nil, err
	}
	return s.agents(ctx, c, key, read)
}

func (s *session) agents(ctx context.Context, c call, key string, read func(map[string]any) (Agent, bool)) ([]Agent, error) {
	list := s.whole
	if c.service == serviceCompute || c.service == serviceNetwork {
		list = s.all
	}
	note := s.connector.closed.reading()
	raws, err := list(ctx, c, key)
	if err != nil {
		return nil, err
	}
	agents := make([]Agent, 0, len(raws))
	for _, raw := range raws {
		a, told := read(raw)
		a.Host, a.Binary = first(a.Host, textAt(raw, "host")), first(a.Binary, textAt(raw, "binary"))
		if !told || a.Host == "" || a.Binary == "" {
			return nil, fmt.Errorf("the %s service does not tell how all of its agents stand", c.service)
		}
		agents = append(agents, a)
	}
	if c.service == serviceCompute {
		note(raws)
	}
	return agents, nil
}
