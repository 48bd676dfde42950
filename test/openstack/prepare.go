package openstack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"
)

// makeSnapshot makes the databases of a pristine cloud from nothing: migrations, Keystone's
// bootstrap, compute hosts that have registered. It stops everything that it started.
func (r record) makeSnapshot(ctx context.Context, path string, say func(string, ...any)) (err error) {
	defer func() { err = errors.Join(err, r.stop(context.WithoutCancel(ctx))) }()
	if err := r.clear(); err != nil {
		return err
	}
	say("migrating the databases, once for these packages")
	if err := r.run(ctx, "mariadb-install-db", "/usr/bin/mariadb-install-db", "--defaults-file="+r.etc("my.cnf"), "--skip-test-db", "--auth-root-authentication-method=normal"); err != nil {
		return err
	}
	running := append(r.backing(), r.database())
	if err := r.start(running...); err != nil {
		return err
	}
	if err := r.awaitDatabase(ctx); err != nil {
		return err
	}
	if err := r.migrate(ctx); err != nil {
		return err
	}
	if err := r.awaitPort(ctx, "RabbitMQ", r.Ports.Broker, running); err != nil {
		return err
	}
	say("databases migrated; registering services and compute hosts")
	if err := r.register(ctx); err != nil {
		return err
	}
	if err := r.stop(ctx); err != nil {
		return err
	}
	return r.saveSnapshot(ctx, path)
}

// migrate makes all tables. What depends on nothing else runs side by side.
func (r record) migrate(ctx context.Context) error {
	var statements []string
	for _, name := range []string{"keystone", "glance", "placement", "neutron", "nova", "nova_api", "nova_cell0", "cinder"} {
		statements = append(statements, "CREATE DATABASE "+name+" CHARACTER SET utf8mb3")
	}
	if _, err := r.sql(ctx, statements...); err != nil {
		return err
	}
	for _, name := range []string{"fernet", "credential"} {
		if err := os.MkdirAll(filepath.Join(r.Scratch, "keys", name), 0o700); err != nil {
			return err
		}
	}
	type step []string
	keystone := func(args ...string) step {
		return append([]string{"/usr/bin/keystone-manage", "--config-file", r.etc("keystone.conf")}, args...)
	}
	nova := func(args ...string) step {
		return r.python("nova.cmd.manage:main", "nova-manage", append([]string{"--config-file", r.etc("nova.conf")}, args...)...)
	}
	bootstrap := []string{"bootstrap", "--bootstrap-password", password, "--bootstrap-region-id", region}
	for _, side := range []string{"admin", "internal", "public"} {
		bootstrap = append(bootstrap, "--bootstrap-"+side+"-url", r.authURL())
	}
	chains := map[string][]step{
		"keystone": {
			keystone("db_sync"),
			keystone("fernet_setup", "--keystone-user", "root", "--keystone-group", "root"),
			keystone("credential_setup", "--keystone-user", "root", "--keystone-group", "root"),
			keystone(bootstrap...),
		},
		"neutron": {r.python("neutron.db.migration.cli:main", "neutron-db-manage", "--config-file", r.etc("neutron.conf"), "upgrade", "heads")},
		// Templates instead of addresses: each process fills in those of its own configuration,
		// so that the snapshot fits every bed.
		"nova": {
			nova("api_db", "sync"),
			nova("cell_v2", "map_cell0", "--database_connection", "{scheme}://{username}:{password}@{hostname}/nova_cell0?{query}"),
			nova("cell_v2", "create_cell", "--name", "cell1",
				"--database_connection", "{scheme}://{username}:{password}@{hostname}/{path}?{query}",
				"--transport-url", "{scheme}://{username}:{password}@{hostname}:{port}/{path}"),
			nova("db", "sync"),
		},
		"others": {
			r.python("glance.cmd.manage:main", "glance-manage", "--config-file", r.etc("glance-api.conf"), "db_sync"),
			{"/usr/bin/placement-manage", "--config-file", r.etc("placement/placement.conf"), "db", "sync"},
			r.python("cinder.cmd.manage:main", "cinder-manage", "--config-file", r.etc("cinder.conf"), "db", "sync"),
		},
	}
	group, ctx := errgroup.WithContext(ctx)
	for name, steps := range chains {
		group.Go(func() error {
			for _, args := range steps {
				if err := r.run(ctx, "migrate-"+name, args...); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// register runs the few services that compute hosts need to put themselves into the
// databases.
func (r record) register(ctx context.Context) error {
	running := []server{r.keystone(), r.placement()}
	if err := r.start(running...); err != nil {
		return err
	}
	if err := r.awaitURLs(ctx, running); err != nil {
		return err
	}
	if err := r.fillKeystone(ctx); err != nil {
		return err
	}
	nova := append(r.computes(), r.conductor()) // these log in at once
	if err := r.start(nova...); err != nil {
		return err
	}
	running = append(running, nova...)
	const inventoriesOfHost = 3 // processors, memory, disk
	want := fmt.Sprintf("%d\t%d", r.Computes, r.Computes*inventoriesOfHost)
	err := r.await(ctx, strconv.Itoa(r.Computes)+" compute hosts to register", running, func(ctx context.Context) (bool, error) {
		counts, err := r.sql(ctx, "SELECT (SELECT COUNT(*) FROM nova.compute_nodes WHERE deleted = 0), (SELECT COUNT(*) FROM placement.inventories)")
		return strings.TrimSpace(counts) == want, err
	})
	if err != nil {
		return err
	}
	return r.run(ctx, "discover-hosts", r.python("nova.cmd.manage:main", "nova-manage", "--config-file", r.etc("nova.conf"), "cell_v2", "discover_hosts")...)
}

func (r record) awaitDatabase(ctx context.Context) error {
	return r.await(ctx, "MariaDB", []server{r.database()}, func(ctx context.Context) (bool, error) {
		_, err := r.sql(ctx, "SELECT 1")
		return err == nil, err
	})
}
