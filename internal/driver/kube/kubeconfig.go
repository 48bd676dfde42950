package kube

import (
	"fmt"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// Access says where an API server is, and with which credentials it is reached. It asks no guard: those who
// change anything go by a [Cluster]. Get it from [Load].
type Access struct{ config *rest.Config }

// Load finds a cluster by a kubeconfig, "" for the one that kubectl would take or the cluster that this
// process runs in, and by the context in it, "" for the current one. It reads files and sends nothing. The
// error says what is wrong with the files, or that there are none.
func Load(kubeconfig, context string) (*Access, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = kubeconfig
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: context}).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("find the Kubernetes cluster: %w", err)
	}
	return NewAccess(config), nil
}

// NewAccess returns the access that a configuration of client-go describes.
func NewAccess(config *rest.Config) *Access { return &Access{config: rest.CopyConfig(config)} }
