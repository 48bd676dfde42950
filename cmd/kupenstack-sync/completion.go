package main

import (
	"cmp"
	"context"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kupenstack/kupenstack-sync/cmd/internal/wire"
	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
)

// complete tells the shell's completion what can be written for flags and arguments. Where nothing
// can be known without a server, it offers nothing, not the names of files.
func complete(root *cobra.Command, o *options) {
	values := map[string][]string{
		"output":     {outputText, outputJSON},
		"log-level":  {"debug", "info", "warn", "error"},
		"format":     graphFormats(),
		"api-checks": append([]string{"all", "none"}, compose.APIServices()...),
	}
	root.InitDefaultCompletionCmd()
	none := []string{
		"ref", "status-branch", "context", "namespace", "os-cloud", "accept-openstack", "max-deletes", "concurrency", "api-concurrency", "git-username", "chart-account", "timeout", "var",
	}
	directories := []string{"repo", "path", "report-dir", "cache-dir"}
	for _, command := range append(root.Commands(), root) {
		for _, name := range none {
			offer(command, name, cobra.NoFileCompletions)
		}
		for _, name := range directories {
			offer(command, name, completeDirectories)
		}
		for name, list := range values {
			offer(command, name, cobra.FixedCompletions(list, cobra.ShellCompDirectiveNoFileComp))
		}
		switch command.Name() {
		case "validate", "graph", "lock":
			command.ValidArgsFunction = completeDirectories
		case "fmt":
			command.ValidArgsFunction = cobra.FixedCompletions([]cobra.Completion{"hcl", "hclvars"}, cobra.ShellCompDirectiveFilterFileExt)
		case "explain":
			command.ValidArgsFunction = o.completeAddresses
		case "completion":
			// Without this, the name of a shell that there is not would print the help for a shell to read.
			command.Args = wire.Args(cobra.NoArgs)
			command.RunE = func(command *cobra.Command, _ []string) error { return command.Help() }
		}
	}
}

// offer registers what a flag can be, if it is one of this command.
func offer(command *cobra.Command, flag string, values cobra.CompletionFunc) {
	if command.LocalFlags().Lookup(flag) != nil {
		_ = command.RegisterFlagCompletionFunc(flag, values) // fails only for a flag that is not there, or twice
	}
}

func completeDirectories(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// completeAddresses offers the addresses of the configuration, and after a node or a profile the
// services whose settings it can have.
func (o *options) completeAddresses(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	const nothingElse = cobra.ShellCompDirectiveNoFileComp
	there := o.offered(cmd.Context())
	var offers []cobra.Completion
	switch {
	case len(args) == 0:
		offers = there.Addresses
	case len(args) == 1 && (strings.HasPrefix(args[0], "node.") || strings.HasPrefix(args[0], "profile.")):
		offers = there.Services
	}
	return slices.DeleteFunc(offers, func(s string) bool { return !strings.HasPrefix(s, begun) }), nothingElse
}

// offered reads the configuration in a directory of this machine. Of one with mistakes, which are there as
// long as somebody writes, it offers what is known beside them, of none nothing. It says nothing about either:
// a shell that waits for words is no place to tell so.
func (o *options) offered(ctx context.Context) revision.Names {
	root, err := os.OpenRoot(cmp.Or(o.Repo, "."))
	if err != nil {
		return revision.Names{}
	}
	defer func() { _ = root.Close() }() // only read through
	reading, err := o.Reading(false)
	if err != nil {
		return revision.Names{}
	}
	loaded, findings, err := o.Read(ctx, "", root.FS(), reading)
	switch {
	case err != nil:
		return revision.Names{}
	case loaded == nil && findings.Sound():
		return revision.Beside(root.FS(), o.Path, reading)
	case loaded == nil:
		return revision.Names{}
	}
	there := revision.Names{Addresses: addresses(loaded.Model)}
	for i := range loaded.Model.Cloud.Services {
		there.Services = append(there.Services, loaded.Model.Cloud.Services[i].Name)
	}
	return there
}

// addresses are what a question can be about.
func addresses(m *model.Model) []string {
	list := []string{"cloud"}
	for i := range m.Cloud.Services {
		list = append(list, m.Cloud.Services[i].Address.String())
	}
	for i := range m.Profiles {
		list = append(list, m.Profiles[i].Address.String())
	}
	for i := range m.Nodes {
		list = append(list, m.Nodes[i].Address.String())
	}
	for i := range m.Resources {
		list = append(list, m.Resources[i].Address.String())
	}
	return list
}
