package openstack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// AgentType is the type of an agent as Neutron's API names it.
type AgentType string

// The agents that deployments run.
const (
	AgentOpenVSwitch   AgentType = "Open vSwitch agent"
	AgentL3            AgentType = "L3 agent"
	AgentDHCP          AgentType = "DHCP agent"
	AgentMetadata      AgentType = "Metadata agent"
	AgentOVNController AgentType = "OVN Controller agent"
	AgentOVNMetadata   AgentType = "OVN Metadata agent"
)

// NeutronAgent is one row of `network agent list`.
type NeutronAgent struct {
	Type  AgentType
	Host  string
	Alive bool
}

// AddNeutronAgents makes agents of Neutron known, each alive or dead for as long as the bed
// runs. An agent of that type and host that is known already becomes alive or dead. No
// process stands behind them: they show, they can be disabled and deleted, and Neutron may
// schedule onto those that are alive, but nothing ever happens on the host.
func (c *Cloud) AddNeutronAgents(ctx context.Context, agents ...NeutronAgent) error {
	if c.bed == nil {
		return fmt.Errorf("add Neutron agents: %w", ErrNotOurs)
	}
	statements, err := agentSQL(agents)
	if err == nil && len(statements) > 0 {
		_, err = c.bed.sql(ctx, statements...)
	}
	if err != nil {
		return fmt.Errorf("add Neutron agents: %w", err)
	}
	return nil
}

// agentSQL writes the rows. Neutron calls an agent alive while its last report is not older
// than a limit, so one in the far future stays alive and an old one stays dead.
func agentSQL(agents []NeutronAgent) ([]string, error) {
	var statements []string
	for _, agent := range agents {
		if agent.Host == "" {
			return nil, errors.New("an agent needs a host")
		}
		program, topic, settings := describeAgent(agent.Type)
		if program == "" {
			return nil, fmt.Errorf("unknown type of agent %q", agent.Type)
		}
		configuration, err := json.Marshal(settings)
		if err != nil {
			return nil, err
		}
		heartbeat := "2001-01-01"
		if agent.Alive {
			heartbeat = "2099-01-01"
		}
		statements = append(statements, fmt.Sprintf("INSERT INTO neutron.agents"+
			" (id, agent_type, `binary`, topic, host, admin_state_up, created_at, started_at, heartbeat_timestamp, configurations, resource_versions, `load`, availability_zone)"+
			" VALUES (UUID(), %s, %s, %s, %s, 1, UTC_TIMESTAMP(), UTC_TIMESTAMP(), %s, %s, '{}', 0, 'nova')"+
			" ON DUPLICATE KEY UPDATE heartbeat_timestamp = VALUES(heartbeat_timestamp)",
			quote(string(agent.Type)), quote(program), quote(topic), quote(agent.Host), quote(heartbeat), quote(string(configuration))))
	}
	return statements, nil
}

// describeAgent returns what an agent of the type reports about itself, as far as Neutron
// reads it.
func describeAgent(kind AgentType) (program, topic string, settings map[string]any) {
	switch kind {
	case AgentOpenVSwitch:
		return "neutron-openvswitch-agent", "N/A", map[string]any{
			"bridge_mappings": map[string]string{"physnet1": "br-ex"}, "tunnel_types": []string{"vxlan"}, "tunneling_ip": "127.0.0.1",
		}
	case AgentL3:
		return "neutron-l3-agent", "l3_agent", map[string]any{"agent_mode": "legacy", "handle_internal_only_routers": true}
	case AgentDHCP:
		return "neutron-dhcp-agent", "dhcp_agent", map[string]any{"dhcp_driver": "neutron.agent.linux.dhcp.Dnsmasq"}
	case AgentMetadata:
		return "neutron-metadata-agent", "N/A", map[string]any{}
	case AgentOVNController:
		return "ovn-controller", "N/A", map[string]any{}
	case AgentOVNMetadata:
		return "neutron-ovn-metadata-agent", "N/A", map[string]any{}
	}
	return "", "", nil
}
