package freeport_test

import (
	"net"
	"strconv"
	"testing"

	"github.com/kupenstack/kupenstack-sync/test/freeport"
)

func TestTakeNeverHandsOutAPortTwice(t *testing.T) {
	var a, b freeport.Allocator
	defer a.Release()
	defer b.Release()
	seen := map[int]bool{}
	for _, allocator := range []*freeport.Allocator{&a, &b, &a} {
		ports, err := allocator.Take(20)
		if err != nil {
			t.Fatal(err)
		}
		if len(ports) != 20 {
			t.Fatalf("got %d ports, want 20", len(ports))
		}
		for _, port := range ports {
			if seen[port] {
				t.Errorf("port %d was handed out twice", port)
			}
			seen[port] = true
		}
	}
}

func TestTakenPortCanBeListenedOn(t *testing.T) {
	var a freeport.Allocator
	defer a.Release()
	ports, err := a.Take(1)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(ports[0])))
	if err != nil {
		t.Fatalf("the port is not free: %v", err)
	}
	defer listener.Close()
}

func TestTakeMoreThanThereAre(t *testing.T) {
	var a freeport.Allocator
	defer a.Release()
	if _, err := a.Take(100_000); err == nil {
		t.Fatal("want an error for more ports than the range has")
	}
}
