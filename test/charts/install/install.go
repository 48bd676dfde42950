package install

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/chart"
	"k8s.io/cli-runtime/pkg/genericclioptions"
)

// Configuration is what Helm's actions need for a namespace of the cluster that a kubeconfig
// names. What Helm learns of the API is kept beside the kubeconfig, not in the home directory.
func Configuration(kubeconfig, namespace string) (*action.Configuration, error) {
	flags := genericclioptions.NewConfigFlags(false)
	discovered := filepath.Join(filepath.Dir(kubeconfig), "discovery")
	flags.KubeConfig, flags.Namespace, flags.CacheDir = &kubeconfig, &namespace, &discovered
	configuration := new(action.Configuration)
	if err := configuration.Init(flags, namespace, "secret", func(string, ...any) {}); err != nil {
		return nil, err
	}
	return configuration, nil
}

// Chart installs a chart under its own name as a person does with `helm install`: hooks run,
// and it returns when the last of them is done, without waiting for the workloads. Each hook
// must be done within limit. The namespace is created when it does not exist.
func Chart(ctx context.Context, kubeconfig, namespace string, loaded *chart.Chart, values map[string]any, limit time.Duration) error {
	configuration, err := Configuration(kubeconfig, namespace)
	if err != nil {
		return fmt.Errorf("install %s: %w", loaded.Name(), err)
	}
	install := action.NewInstall(configuration)
	install.ReleaseName, install.Namespace, install.CreateNamespace = loaded.Name(), namespace, true
	install.Timeout = limit
	// Decoding the API's schema for every chart costs more than the installation.
	install.DisableOpenAPIValidation = true
	if _, err := install.RunWithContext(ctx, loaded, values); err != nil {
		return fmt.Errorf("install %s: %w", loaded.Name(), err)
	}
	return nil
}
