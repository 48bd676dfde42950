package player

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// startDatabase initializes the data of a MariaDB cluster when no member has any, and gives a
// new member the data of the others. A password that changed later changes nothing.
func (p *player) startDatabase(ctx context.Context, c container) error {
	var data database
	found, err := p.recall(ctx, c.pod, databaseAnnotation, &data)
	if err != nil {
		return err
	}
	if !found {
		data = database{Users: map[string]string{}, Keystone: map[string]string{}}
		if data.Root.User, err = c.env("MYSQL_DBADMIN_USERNAME"); err != nil {
			return refuse("%v", err)
		}
		if data.Root.Password, err = c.env("MYSQL_DBADMIN_PASSWORD"); err != nil {
			return refuse("%v", err)
		}
	}
	return p.remember(ctx, c.pod, databaseAnnotation, data)
}

// createUser is db-init: it makes the database's user with CREATE USER IF NOT EXISTS, which
// never changes a password, and then logs in as that user.
func (p *player) createUser(ctx context.Context, c container) error {
	server, data, err := p.root(ctx, c)
	if err != nil {
		return err
	}
	user, err := c.ownDatabase()
	if err != nil {
		return err
	}
	if _, exists := data.Users[user.user]; !exists {
		data.Users[user.user] = user.password
		if err := p.remember(ctx, server, databaseAnnotation, data); err != nil {
			return err
		}
	}
	if data.Users[user.user] != user.password {
		return refuse("OpenStack-Helm DB Init - CRITICAL - Could not connect to database as user: %v", denied(user.user))
	}
	return nil
}

// dropUser is db-drop.
func (p *player) dropUser(ctx context.Context, c container) error {
	server, data, err := p.root(ctx, c)
	if err != nil {
		return err
	}
	user, err := c.ownDatabase()
	if err != nil {
		return err
	}
	delete(data.Users, user.user)
	return p.remember(ctx, server, databaseAnnotation, data)
}

// root logs in with ROOT_DB_CONNECTION.
func (p *player) root(ctx context.Context, c container) (*corev1.Pod, database, error) {
	connection, err := c.env("ROOT_DB_CONNECTION")
	if err != nil {
		return nil, database{}, refuse("%v", err)
	}
	who, server, data, err := p.database(ctx, c, connection)
	if err != nil {
		return nil, data, err
	}
	if data.Root.User != who.user || data.Root.Password != who.password {
		return nil, data, refuse("OpenStack-Helm DB Init - CRITICAL - Could not connect to database as root user: %v", denied(who.user))
	}
	return server, data, nil
}

// connects logs in as a service's own user.
func (p *player) connects(ctx context.Context, c container, connection string) error {
	if !strings.HasPrefix(connection, "mysql") {
		return nil
	}
	who, _, data, err := p.database(ctx, c, connection)
	if err != nil {
		return err
	}
	if password, exists := data.Users[who.user]; !exists || password != who.password {
		return refuse("ERROR oslo_db.sqlalchemy.engines %v", denied(who.user))
	}
	return nil
}

// database reaches the server of a connection URL.
func (p *player) database(ctx context.Context, c container, connection string) (account, *corev1.Pod, database, error) {
	all, err := accounts(connection)
	if err != nil {
		return account{}, nil, database{}, refuse("%v", err)
	}
	who := all[0]
	for _, server := range p.behind(who.host, c.pod.Namespace) {
		data := database{}
		found, err := p.recall(ctx, server, databaseAnnotation, &data)
		if err != nil || found {
			return who, server, data, err
		}
	}
	return who, nil, database{}, refuse("(pymysql.err.OperationalError) (2003, \"Can't connect to MySQL server on '%s'\")", who.host)
}

// ownDatabase is the user that db-init makes: of DB_CONNECTION, or of the configuration file
// that the environment names.
func (c container) ownDatabase() (account, error) {
	connection, err := c.env("DB_CONNECTION")
	if err != nil {
		return account{}, refuse("%v", err)
	}
	env := c.environment()
	if connection == "" {
		text, found := c.files()[env["OPENSTACK_CONFIG_FILE"]]
		if !found {
			return account{}, refuse("OpenStack-Helm DB Init - CRITICAL - Tried to load config from %s but failed.", env["OPENSTACK_CONFIG_FILE"])
		}
		connection = ini(text, env["OPENSTACK_CONFIG_DB_KEY"])[env["OPENSTACK_CONFIG_DB_SECTION"]]
	}
	all, err := accounts(connection)
	if err != nil {
		return account{}, refuse("OpenStack-Helm DB Init - CRITICAL - Could not get user database config: %v", err)
	}
	return all[0], nil
}

func denied(user string) string {
	return fmt.Sprintf("(pymysql.err.OperationalError) (1045, \"Access denied for user '%s'@'%%' (using password: YES)\")", user)
}
