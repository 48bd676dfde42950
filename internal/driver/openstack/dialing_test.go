package openstack

import (
	"context"
	"net"
)

// Dialing is options with connections of another make.
func Dialing(options Options, dial func(ctx context.Context, network, address string) (net.Conn, error)) Options {
	options.dial = dial
	return options
}
