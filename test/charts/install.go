package charts

import (
	"context"
	"fmt"
	"time"

	"helm.sh/helm/v3/pkg/action"
	"k8s.io/cli-runtime/pkg/genericclioptions"
)

// Install installs a chart under its own name as a person does with `helm install`: hooks run,
// and it returns when the last of them is done, without waiting for the workloads. The hooks
// must be done within limit. The namespace is created when it does not exist.
func Install(ctx context.Context, kubeconfig, namespace, name string, values map[string]any, limit time.Duration) error {
	loaded, err := Load(name)
	if err != nil {
		return err
	}
	flags := genericclioptions.NewConfigFlags(false)
	flags.KubeConfig, flags.Namespace = &kubeconfig, &namespace
	var configuration action.Configuration
	if err := configuration.Init(flags, namespace, "secret", func(string, ...any) {}); err != nil {
		return fmt.Errorf("install chart %s: %w", name, err)
	}
	install := action.NewInstall(&configuration)
	install.ReleaseName, install.Namespace, install.CreateNamespace = name, namespace, true
	install.Timeout = limit
	if _, err := install.RunWithContext(ctx, loaded, values); err != nil {
		return fmt.Errorf("install chart %s: %w", name, err)
	}
	return nil
}
