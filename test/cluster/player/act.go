package player

import (
	"context"
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// refusal is what a container says before it ends with an error. It is not an error of the
// player.
type refusal struct{ line string }

func (r refusal) Error() string { return r.line }

func refuse(format string, arguments ...any) error {
	return refusal{fmt.Sprintf(format, arguments...)}
}

// act runs containers of a pod and returns what those say that fail. An error means that a
// request of the player failed, and nothing was decided.
func (p *player) act(ctx context.Context, pod *corev1.Pod, specs []corev1.Container) ([]string, error) {
	p.acting.Lock()
	defer p.acting.Unlock()
	var lines []string
	for _, spec := range specs {
		err := p.run(ctx, container{world: p.world, pod: pod, spec: spec})
		var refused refusal
		switch {
		case errors.As(err, &refused):
			lines = append(lines, refused.line)
		case err != nil:
			return nil, fmt.Errorf("container %s of pod %s/%s: %w", spec.Name, pod.Namespace, pod.Name, err)
		}
	}
	return lines, nil
}

// run does what one container does. Servers remember, scripts change what servers remember,
// and everybody else only logs in.
func (p *player) run(ctx context.Context, c container) error {
	switch c.program() {
	case "start.py":
		if c.has("MYSQL_DBADMIN_USERNAME", "MYSQL_DBADMIN_PASSWORD") {
			return p.startDatabase(ctx, c)
		}
	case "rabbitmq-start.sh":
		return p.startBroker(ctx, c)
	case "db-init.py":
		return p.createUser(ctx, c)
	case "db-drop.py":
		return p.dropUser(ctx, c)
	case "rabbit-init.sh":
		return p.declareUser(ctx, c)
	}
	if err := p.logIn(ctx, c); err != nil {
		return err
	}
	switch c.program() {
	case "db-sync.sh":
		return p.bootstrap(ctx, c)
	case "ks-user.sh", "ks-domain-user.sh":
		return p.setUser(ctx, c)
	}
	return nil
}

// usesDatabase tells whether a container connects to the database in its configuration. Many
// have that file without using it: agents talk to the broker only, and of the jobs those use
// the database that migrate it or wait for the migration.
func (c container) usesDatabase() bool {
	if c.pod.Spec.RestartPolicy == corev1.RestartPolicyAlways {
		return !ownedBy(c.pod, "DaemonSet")
	}
	if c.program() == "db-sync.sh" {
		return true
	}
	for _, spec := range c.pod.Spec.InitContainers {
		for _, job := range items(container{spec: spec}.environment()["DEPENDENCY_JOBS"]) {
			if strings.HasSuffix(job, "-db-sync") {
				return true
			}
		}
	}
	return false
}

// logIn tries every credential that a container has where it would use it.
func (p *player) logIn(ctx context.Context, c container) error {
	if c.has("ROOT_DB_CONNECTION") {
		if _, _, err := p.root(ctx, c); err != nil {
			return err
		}
	}
	if c.has("RABBITMQ_ADMIN_CONNECTION") {
		if err := p.managesBroker(ctx, c); err != nil {
			return err
		}
	}
	if c.usesDatabase() {
		for _, connection := range c.settings("connection") {
			if err := p.connects(ctx, c, connection); err != nil {
				return err
			}
		}
	}
	if c.pod.Spec.RestartPolicy == corev1.RestartPolicyAlways {
		for _, transport := range c.settings("transport_url") {
			if err := p.joinsBroker(ctx, c, transport); err != nil {
				return err
			}
		}
		return nil
	}
	if c.has("OS_AUTH_URL", "OS_USERNAME", "OS_PASSWORD") {
		_, err := p.authenticate(ctx, c)
		return err
	}
	return nil
}
