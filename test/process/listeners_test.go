package process_test

import (
	"net"
	"os"
	"slices"
	"testing"

	"github.com/kupenstack/kupenstack-sync/test/process"
)

func TestListeners(t *testing.T) {
	for network, address := range map[string]string{"tcp": "127.0.0.1:0", "tcp6": "[::1]:0"} {
		t.Run(network, func(t *testing.T) {
			listener, err := net.Listen(network, address)
			if err != nil {
				t.Skipf("no %s here: %v", network, err)
			}
			defer listener.Close()
			expectListener(t, network, listener.Addr().(*net.TCPAddr).AddrPort().String(), true)
			if err := listener.Close(); err != nil {
				t.Fatal(err)
			}
			expectListener(t, network, listener.Addr().(*net.TCPAddr).AddrPort().String(), false)
		})
	}
	t.Run("udp", func(t *testing.T) {
		socket, err := net.ListenPacket("udp4", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer socket.Close()
		expectListener(t, "udp", socket.LocalAddr().String(), true)
	})
}

func expectListener(t *testing.T, network, address string, want bool) {
	t.Helper()
	all, err := process.Listeners(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	found := slices.ContainsFunc(all, func(l process.Listener) bool {
		return l.PID == os.Getpid() && l.Network == network && l.Address.String() == address
	})
	if found != want {
		t.Errorf("%s %s: found is %v, want %v, in %v", network, address, found, want, all)
	}
}
