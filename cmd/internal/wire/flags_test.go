package wire

import (
	"errors"
	"strings"
	"testing"

	"github.com/rs/zerolog"
	"github.com/spf13/pflag"

	"github.com/kupenstack/kupenstack-sync/internal/guard"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

func TestSourcesOfImagesAreChecked(t *testing.T) {
	if _, err := Open(&Flags{APIChecks: "all", APIConcurrency: 8, ImageSources: []string{"images.example.org"}}, "test", guard.Rights{}, zerolog.Nop()); !errors.Is(err, ErrUsage) || !strings.Contains(err.Error(), "--image-sources: ") {
		t.Error(err)
	}
}

func TestHowMuchOfLogsIsShown(t *testing.T) {
	for _, lines := range []int{-1, 21} {
		if _, err := Open(&Flags{LogLines: lines}, "test", guard.Rights{}, zerolog.Nop()); !errors.Is(err, ErrUsage) || !strings.Contains(err.Error(), "from 0 to 20") {
			t.Errorf("%d: %v", lines, err)
		}
	}
}

func TestHowManyCallsOfAnAPIAreChecked(t *testing.T) {
	var f Flags
	set := pflag.NewFlagSet("test", pflag.ContinueOnError)
	f.Register(set)
	if f.APIConcurrency != 8 {
		t.Errorf("it is %d unless written", f.APIConcurrency)
	}
	for _, given := range []string{"-1", "0", "65"} {
		if err := set.Parse([]string{"--api-concurrency", given}); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(&f, "test", guard.Rights{}, zerolog.Nop()); !errors.Is(err, ErrUsage) || !strings.Contains(err.Error(), "--api-concurrency "+given+": give a number of calls from 1 to 64") {
			t.Errorf("%s: %v", given, err)
		}
	}
}

func TestBudgetsOfAPIsAreChecked(t *testing.T) {
	for _, test := range []struct {
		value, want string // want is part of the error; "" for none
	}{
		{"kubernetes=20000,openstack=3600", ""},
		{"helm=10", `no API "helm"`},
		{"openstack=0", "openstack=0: give a number above 0"},
		{"openstack=many", "many"},
	} {
		var f Flags
		set := pflag.NewFlagSet("test", pflag.ContinueOnError)
		f.Register(set)
		err := set.Parse([]string{"--api-budget=" + test.value})
		if err == nil {
			_, err = f.budgets()
		}
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", test.value, err)
		}
	}
}

// TestEachDriverHasTheBudgetOfItsAPI: what Helm does costs requests to the cluster, and what is done in OpenStack is
// recorded there.
func TestEachDriverHasTheBudgetOfItsAPI(t *testing.T) {
	budgets, err := (&Flags{APIBudget: map[string]int{apiKubernetes: 1, apiOpenStack: 1}}).budgets()
	if err != nil {
		t.Fatal(err)
	}
	s := &System{Budgets: budgets}
	budgets[apiOpenStack].Spend()
	if s.budget(unit.Kubernetes) != 0 || s.budget(unit.Helm) != 0 || s.budget(unit.OpenStack) == 0 {
		t.Errorf("kubernetes %v, helm %v, openstack %v", s.budget(unit.Kubernetes), s.budget(unit.Helm), s.budget(unit.OpenStack))
	}
	if budgets, err = (&Flags{APIBudget: map[string]int{apiKubernetes: 1, apiOpenStack: 1}}).budgets(); err != nil {
		t.Fatal(err)
	}
	s.Budgets = budgets
	budgets[apiKubernetes].Spend()
	if s.budget(unit.Kubernetes) == 0 || s.budget(unit.Helm) == 0 || s.budget(unit.OpenStack) == 0 {
		t.Errorf("kubernetes %v, helm %v, openstack %v", s.budget(unit.Kubernetes), s.budget(unit.Helm), s.budget(unit.OpenStack))
	}
}
