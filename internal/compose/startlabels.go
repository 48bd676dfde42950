package compose

import "github.com/kupenstack/kupenstack-sync/internal/unit"

// labelReader says of the pods of a DaemonSet that they read a label of their node when they start, and never again.
type labelReader struct {
	component string // of the pods
	chosen    string // the label by which they choose nodes
	label     string
}

// labelReaders are those of the charts. An init container of ovn-controller makes its node a gateway, or none.
func labelReaders() map[string]labelReader {
	return map[string]labelReader{
		"ovn": {component: "ovn-controller", chosen: unit.OpenvSwitchLabel, label: unit.GatewayLabel},
	}
}

// readersOf are the pods of a service that read labels, nil for none. We replace them, so they have to be left to us.
func (c *composer) readersOf(service string) *unit.LabelReaders {
	reader, ok := labelReaders()[service]
	if !ok {
		return nil
	}
	readers := &unit.LabelReaders{Component: reader.component}
	for i := range c.m.Nodes {
		readers.Nodes = append(readers.Nodes, c.m.Nodes[i].Name)
	}
	return readers
}

// startLabels tells the nodes which labels pods read that are replaced when these change.
func (c *composer) startLabels() {
	var labels []unit.StartLabel
	for i := range c.units {
		if release, ok := c.units[i].Spec.(*unit.Release); ok && release.LabelReaders != nil {
			reader := labelReaders()[release.Name]
			labels = append(labels, unit.StartLabel{Key: reader.label, Release: release.Name, Chosen: reader.chosen})
		}
	}
	for i := range c.units {
		if node, ok := c.units[i].Spec.(*unit.Node); ok {
			node.StartLabels = labels
		}
	}
}
