package kube

import (
	"fmt"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

// As returns the same connection, whose changes, dry runs included, and whose [API.Getter] are those of a service
// account: the API server allows of them what that account may do, and our own account only has to be allowed to
// impersonate it. What is read and watched elsewhere is still read as ourselves. It ends with the connection that it
// is of; nothing is sent.
func (c *Cluster) As(namespace, account string) (*Cluster, error) {
	config := rest.CopyConfig(c.config)
	// The server itself adds the groups that a service account is in.
	config.Impersonate = rest.ImpersonationConfig{UserName: "system:serviceaccount:" + namespace + ":" + account}
	objects, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("access to the cluster as %s/%s: %w", namespace, account, err)
	}
	return &Cluster{
		namespace: c.namespace,
		config:    c.config, discovery: c.discovery, dynamic: c.dynamic, metadata: c.metadata, core: c.core, writer: config, writes: objects,
		logLines: c.logLines, masker: c.masker, log: c.log, excerpts: c.excerpts,
		kinds: c.kinds, watches: c.watches, verdicts: c.verdicts, subscribers: c.subscribers, events: c.events, clock: c.clock,
		ctx: c.ctx, cancel: c.cancel,
	}, nil
}
