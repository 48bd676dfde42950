package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/kupenstack/kupenstack-sync/cmd/internal/wire"
	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
)

// destroying is one call of destroy.
type destroying struct {
	in      io.Reader
	out     io.Writer
	asks    bool // somebody is there to answer
	confirm string
	// find returns the volumes of the services that somebody named, and a line for each whose data stays as things are now.
	find func(context.Context, *options) (claims []wire.Claim, stay []string, err error)
}

func destroyCommand(o *options) *cobra.Command {
	d := &destroying{find: dataOf}
	command := &cobra.Command{
		Use: "destroy", Short: "Take a whole cloud away",
		Long: `destroy takes everything away that is on record for the configuration at --repo, each thing before what it
needs: what is in OpenStack, the services, charts, manifests and the labels of nodes. What holds data stays:
claims to volumes, Keystone's keys, the generated passwords, and the namespaces. Nothing of this happens before somebody
has given the name of the cloud, by --confirm or when asked.

With --delete-data, claims to volumes of the services that it names are deleted once these services are gone,
with all that is on them; of keystone, the Secrets with its fernet and credential keys. They are listed before,
claims with their sizes, and what is not listed stays. It takes the right to do so, which the account of the
daemon has only where somebody gave it. What delete_data in a removed block names is not heeded here.

What has prevent_destroy stays, with what it needs; so does what carries instances that are not on record.
While a daemon follows the configuration it is in charge, and would build all of it again: stop it first,
or have a removed block with from = cloud.<name> in the repository in place of this command.`,
		Example: `  kupenstack-sync destroy --repo https://git.example.org/cloud.git
  kupenstack-sync destroy --confirm prod
  kupenstack-sync destroy --delete-data mariadb,rabbitmq,glance`,
		Args: wire.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			d.in, d.out, d.asks = cmd.InOrStdin(), cmd.ErrOrStderr(), term.IsTerminal(int(os.Stdin.Fd()))
			return d.run(cmd.Context(), o)
		},
	}
	command.Flags().StringSliceVar(&o.deleteData, "delete-data", nil, "the services whose volumes and keys are deleted as well, by name")
	command.Flags().StringVar(&d.confirm, "confirm", "", "the name of the cloud that is to be taken away")
	for _, name := range []string{"delete-data", "confirm"} {
		command.Flags().Lookup(name).Annotations = map[string][]string{wire.Typed: {"true"}}
	}
	return command
}

func (d *destroying) run(ctx context.Context, o *options) error {
	for _, service := range o.deleteData {
		if _, known := o.Language.Service(service); !known {
			return fmt.Errorf("%w: --delete-data: there is no service %q", wire.ErrUsage, service)
		}
	}
	if len(o.deleteData) > 0 {
		claims, stay, err := d.find(ctx, o)
		if code := exit(0); errors.As(err, &code) {
			return err // what is wrong was told
		}
		if err != nil {
			return fmt.Errorf("find the volumes that are to be deleted, before anything is taken away: %w", err)
		}
		o.claims = claims
		listData(d.out, o.deleteData, claims)
		for _, line := range stay {
			fmt.Fprintln(d.out, line)
		}
	}
	name := d.confirm
	if name == "" {
		var err error
		if name, err = d.ask(gitrepo.MaskURL(o.Repo), o.deleteData); err != nil {
			return err
		}
	}
	o.tearDown = name
	return o.bounded(ctx, pass)
}

// ask has a person write the name of the cloud.
func (d *destroying) ask(repo string, data []string) (string, error) {
	if !d.asks {
		return "", fmt.Errorf("%w: --confirm: nobody is there to be asked: give the name of the cloud that is to be taken away", wire.ErrUsage)
	}
	stays := "What is in OpenStack goes with all that is on it, volumes and images too; volumes and keys of the services themselves stay."
	if len(data) > 0 {
		stays = "What is in OpenStack goes with all that is on it, volumes and images too. The volumes and keys of these services that are listed above are deleted, with all that is on them: " + strings.Join(data, ", ") + "."
	}
	fmt.Fprintf(d.out, "Everything that %s describes is going to be taken away. %s\nThe name of the cloud, to go on: ", repo, stays)
	line, err := bufio.NewReader(d.in).ReadString('\n')
	if name := strings.TrimSpace(line); name != "" {
		return name, nil
	}
	if err != nil && err != io.EOF {
		return "", err
	}
	return "", fmt.Errorf("nothing was taken away: no name was given")
}
