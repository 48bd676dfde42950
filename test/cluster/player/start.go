package player

import (
	"context"

	"k8s.io/client-go/rest"
)

// Start runs a player in the background until stop is called, which waits for its end and
// returns what Run returned. A player that failed earlier is noticed then, and not before.
func Start(config *rest.Config, options Options) (stop func() error) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- Run(ctx, config, options) }()
	return func() error {
		cancel()
		return <-done
	}
}
