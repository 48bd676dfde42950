package main

import (
	"fmt"
	"net"

	"github.com/rs/zerolog"

	"github.com/kupenstack/kupenstack-sync/cmd/internal/wire"
	"github.com/kupenstack/kupenstack-sync/internal/daemon"
	"github.com/kupenstack/kupenstack-sync/internal/webhook"
)

// webhooks returns where forges tell of pushes; nil for nowhere. That all files can be read now is made sure of.
func (o *options) webhooks(log zerolog.Logger) (*daemon.Hooks, error) {
	if o.hooks == "" {
		for name, value := range map[string]string{"secret": o.hookSecret, "tls-cert": o.hookCert, "tls-key": o.hookKey} {
			if value != "" {
				return nil, fmt.Errorf("%w: --webhook-%s-file needs --webhook-listen", wire.ErrUsage, name)
			}
		}
		return nil, nil
	}
	secret, err := wire.WebhookSecret(o.hookSecret)
	if err != nil {
		return nil, err
	}
	files, err := certificate("webhook-tls", o.hookCert, o.hookKey)
	if err != nil {
		return nil, err
	}
	return &daemon.Hooks{
		Listen: o.hooks, Certificate: files, Secret: secret,
		Listening: func(address net.Addr) { log.Info().Stringer("address", address).Msg("answers webhooks") },
	}, nil
}

// certificate reads the files of two flags; nil when neither is given.
func certificate(flags, cert, key string) (*webhook.Certificate, error) {
	switch {
	case cert == "" && key == "":
		return nil, nil
	case cert == "" || key == "":
		return nil, fmt.Errorf("%w: --%s-cert-file and --%s-key-file go together", wire.ErrUsage, flags, flags)
	}
	files, err := webhook.NewCertificate(cert, key)
	if err != nil {
		return nil, fmt.Errorf("%w: --%s-cert-file: %w", wire.ErrUsage, flags, err)
	}
	return files, nil
}
