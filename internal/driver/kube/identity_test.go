package kube_test

import (
	"os"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/driver/kube"
)

func TestIdentity(t *testing.T) {
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for range 1000 {
		identity := kube.Identity("kupenstack-sync")
		if seen[identity] {
			t.Fatalf("two have the identity %s", identity)
		}
		seen[identity] = true
		if !strings.HasPrefix(identity, "kupenstack-sync_"+host+"_") {
			t.Fatalf("%s shows neither the program nor the host", identity)
		}
	}
}
