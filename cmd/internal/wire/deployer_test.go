package wire

import (
	"errors"
	"testing"
)

func TestDeployer(t *testing.T) {
	for given, want := range map[string]deployer{
		"": {}, "kupenstack-system/kupenstack-deployer": {"kupenstack-system", "kupenstack-deployer"}, "a/b.c": {"a", "b.c"},
	} {
		if got, err := (&Flags{ChartAccount: given}).deployer(); err != nil || got != want {
			t.Errorf("%q is %v, %v", given, got, err)
		}
	}
	for _, wrong := range []string{"deployer", "/deployer", "system/", "System/deployer", "a/b/c", "system:serviceaccount:a:b"} {
		if got, err := (&Flags{ChartAccount: wrong}).deployer(); !errors.Is(err, ErrUsage) {
			t.Errorf("%q is %v, %v", wrong, got, err)
		}
	}
}
