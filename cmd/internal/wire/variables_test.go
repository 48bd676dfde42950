//go:build beds

package wire

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kupenstack/kupenstack-sync/internal/config"
)

func TestVariables(t *testing.T) {
	t.Setenv("KUPENSTACK_VAR_site", "fra=1")
	t.Setenv("KUPENSTACK_VAR_FILE", "ignored.hclvars") // as the flag is given
	var f Flags
	set := pflag.NewFlagSet("test", pflag.ContinueOnError)
	f.Register(set)
	if err := set.Parse([]string{"--var", "a=1=2,3", "--var-file", "prod.hclvars", "--var", "b="}); err != nil {
		t.Fatal(err)
	}
	if err := FromEnvironment(set); err != nil {
		t.Fatal(err)
	}
	want := []config.Given{
		{Name: "site", Text: "fra=1", Origin: "KUPENSTACK_VAR_site", Environment: true},
		{Name: "a", Text: "1=2,3", Origin: "--var a"},
		{File: "prod.hclvars", Origin: "--var-file prod.hclvars"},
		{Name: "b", Origin: "--var b"},
	}
	if got := f.Variables(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	if shown := set.Lookup("var").Value.String(); shown != "a,b" {
		t.Errorf("shown: %s", shown)
	}
}

func TestVariableFileFromEnvironment(t *testing.T) {
	t.Setenv("KUPENSTACK_VAR_FILE", "prod.hclvars")
	var f Flags
	set := pflag.NewFlagSet("test", pflag.ContinueOnError)
	f.Register(set)
	if err := FromEnvironment(set); err != nil {
		t.Fatal(err)
	}
	if got := f.Variables(); len(got) != 1 || got[0].File != "prod.hclvars" {
		t.Errorf("%+v", got)
	}
}

func TestVariablesRefuse(t *testing.T) {
	for _, args := range [][]string{{"--var", "hunter2"}, {"--var", "=hunter2"}, {"--var-file", ""}} {
		var f Flags
		set := pflag.NewFlagSet("test", pflag.ContinueOnError)
		f.Register(set)
		err := set.Parse(args)
		if err == nil {
			err = FromEnvironment(set)
		}
		if !errors.Is(err, ErrUsage) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v", args, err)
		}
	}
}

// TestEnvironmentOfOtherFlags: what cobra adds to a command is no setting. Images and pipelines have
// variables like KUPENSTACK_VERSION for their own use.
func TestEnvironmentOfOtherFlags(t *testing.T) {
	t.Setenv("KUPENSTACK_VERSION", "1.2.3")
	t.Setenv("KUPENSTACK_HELP", "yes")
	t.Setenv("KUPENSTACK_REF", "stable")
	var f Flags
	ran := false
	command := &cobra.Command{
		Use: "test", Version: "1", SilenceUsage: true, SilenceErrors: true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return FromEnvironment(cmd.Flags()) },
		Run: func(cmd *cobra.Command, _ []string) {
			ran = !cmd.Flags().Changed("help") && !cmd.Flags().Changed("version")
		},
	}
	f.Register(command.Flags())
	command.SetArgs(nil)
	if err := command.Execute(); err != nil || !ran || f.Ref != "stable" {
		t.Errorf("it ran: %v, with the ref %q: %v", ran, f.Ref, err)
	}
}

// TestPathIsOne: however a directory is written, all that go by it name it in the same way.
func TestPathIsOne(t *testing.T) {
	for given, want := range map[string]string{"": ".", "clouds/prod/": "clouds/prod", "./clouds//prod": "clouds/prod", "clouds/prod": "clouds/prod"} {
		var f Flags
		set := pflag.NewFlagSet("test", pflag.ContinueOnError)
		f.Register(set)
		if f.Path != "." || set.Lookup("path").DefValue != "." {
			t.Errorf("without the flag it is %q, told as %q", f.Path, set.Lookup("path").DefValue)
		}
		if err := set.Parse([]string{"--path", given}); err != nil || f.Path != want {
			t.Errorf("%q is %q, want %q; error %v", given, f.Path, want, err)
		}
	}
}
