package player

import (
	"context"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// startBroker imports the administrator from the Secret at every start of a member; the other
// users stay as they are.
func (p *player) startBroker(ctx context.Context, c container) error {
	data := broker{}
	if _, err := p.recall(ctx, c.pod, brokerAnnotation, &data); err != nil {
		return err
	}
	if data.Users == nil {
		data.Users = map[string]string{}
	}
	for _, spec := range c.pod.Spec.InitContainers {
		preparing := container{world: c.world, pod: c.pod, spec: spec}
		if !preparing.has("RABBITMQ_ADMIN_USERNAME", "RABBITMQ_ADMIN_PASSWORD") {
			continue
		}
		user, err := preparing.env("RABBITMQ_ADMIN_USERNAME")
		if err != nil {
			return refuse("%v", err)
		}
		if data.Users[user], err = preparing.env("RABBITMQ_ADMIN_PASSWORD"); err != nil {
			return refuse("%v", err)
		}
	}
	return p.remember(ctx, c.pod, brokerAnnotation, data)
}

// declareUser is rabbit-init: it sets the service user's password each time.
func (p *player) declareUser(ctx context.Context, c container) error {
	if err := p.managesBroker(ctx, c); err != nil {
		return err
	}
	connection, err := c.env("RABBITMQ_USER_CONNECTION")
	if err != nil {
		return refuse("%v", err)
	}
	who, server, data, err := p.broker(ctx, c, connection)
	if err != nil || data.Users[who.user] == who.password {
		return err
	}
	data.Users[who.user] = who.password
	return p.remember(ctx, server, brokerAnnotation, data)
}

// managesBroker logs in with RABBITMQ_ADMIN_CONNECTION.
func (p *player) managesBroker(ctx context.Context, c container) error {
	connection, err := c.env("RABBITMQ_ADMIN_CONNECTION")
	if err != nil {
		return refuse("%v", err)
	}
	who, _, data, err := p.broker(ctx, c, connection)
	if err != nil {
		return err
	}
	if password, exists := data.Users[who.user]; !exists || password != who.password {
		return refuse("API responded with a client error: status code of 401 Unauthorized: user '%s': not_authorised", who.user)
	}
	return nil
}

// joinsBroker logs in with a transport_url.
func (p *player) joinsBroker(ctx context.Context, c container, transport string) error {
	if !strings.HasPrefix(transport, "rabbit") {
		return nil
	}
	who, _, data, err := p.broker(ctx, c, transport)
	if err != nil {
		return err
	}
	if password, exists := data.Users[who.user]; !exists || password != who.password {
		return refuse("ERROR oslo.messaging._drivers.impl_rabbit Connection failed: (403) ACCESS_REFUSED - Login was refused for user '%s'", who.user)
	}
	return nil
}

// broker reaches the first member of a connection URL that answers.
func (p *player) broker(ctx context.Context, c container, connection string) (account, *corev1.Pod, broker, error) {
	all, err := accounts(connection)
	if err != nil {
		return account{}, nil, broker{}, refuse("%v", err)
	}
	for _, who := range all {
		for _, server := range p.behind(who.host, c.pod.Namespace) {
			data := broker{}
			found, err := p.recall(ctx, server, brokerAnnotation, &data)
			if err != nil || found {
				return who, server, data, err
			}
		}
	}
	return all[0], nil, broker{}, refuse("[Errno 111] ECONNREFUSED: AMQP server on %s is unreachable", all[0].host)
}
