package addons

import (
	"context"
	"fmt"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
)

// limit is for fetching the modules and for the server to know their kinds.
const limit = 10 * time.Minute

// Install defines the kinds of the addons in a cluster and plays their controllers until the end of the test.
func Install(t testing.TB, config *rest.Config, addons ...Addon) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	client, err := clientset.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	var rules []rule
	for _, a := range addons {
		definitions, err := a.definitions(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, definition := range definitions {
			if err := define(ctx, client, definition); err != nil {
				t.Fatalf("%s of %s: %v", definition.Name, a.Name, err)
			}
		}
		rules = append(rules, a.roles...)
	}
	stop, err := start(config, rules)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Errorf("the addons: %v", err)
		}
	})
}

// define makes a kind known, and waits until it is served.
func define(ctx context.Context, client clientset.Interface, definition *apiextensionsv1.CustomResourceDefinition) error {
	definitions := client.ApiextensionsV1().CustomResourceDefinitions()
	if _, err := definitions.Create(ctx, definition, metav1.CreateOptions{}); err != nil {
		return err
	}
	err := wait.PollUntilContextCancel(ctx, 50*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		live, err := definitions.Get(ctx, definition.Name, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		for _, c := range live.Status.Conditions {
			if c.Type == apiextensionsv1.Established && c.Status == apiextensionsv1.ConditionTrue {
				return true, nil
			}
		}
		return false, nil
	})
	if err != nil {
		return fmt.Errorf("it is not served: %w", err)
	}
	return nil
}
