package openstack_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
)

// TestBedComputeServices has Nova place nothing on a host whose service is disabled as its node leaves, and instances there
// once more when it is enabled. What somebody else has disabled stays so, be it another installation.
func TestBedComputeServices(t *testing.T) {
	const mark = "kupenstack:services.ours"
	by := func(mark string) func(*openstack.Options) { return func(o *openstack.Options) { o.Closes = mark } }
	b, other := newDiskBench(t, by(mark)), newBench(t, by("kupenstack:services.others"))
	nodes := computeHosts(t, b.bench)
	if len(nodes) < 2 {
		t.Skip("there are not two hosts")
	}
	host := nodes[0]
	id := computeServiceOn(t, host)["id"].(string)
	set := func(ctx context.Context, body map[string]any) error {
		_, err := b.compute.Put(ctx, b.compute.ServiceURL("os-services", id), body, nil, &gophercloud.RequestOpts{OkCodes: []int{http.StatusOK}})
		return err
	}
	afterwards(t, func(ctx context.Context) error { return set(ctx, map[string]any{"status": "enabled"}) })
	stands := func(status, reason string) {
		t.Helper()
		service := computeServiceOn(t, host)
		if got, _ := service["disabled_reason"].(string); service["status"] != status || got != reason {
			t.Errorf("it is %v for %q, want %s for %q", service["status"], got, status, reason)
		}
	}
	closes := func(want bool) {
		t.Helper()
		if closed, err := b.CloseComputes(t.Context(), nodes, map[string]string{host: "leaves slot 1"}); closed != want || err != nil {
			t.Errorf("closed %t, %v", closed, err)
		}
	}
	opens := func(staying map[string]time.Time, want ...string) {
		t.Helper()
		if left, err := b.OpenComputes(t.Context(), nodes, staying); !slices.Equal(left, want) || err != nil {
			t.Errorf("left %q, %v, want %q", left, err, want)
		}
	}
	stays := map[string]time.Time{host: {}}

	closes(true)
	before := "KupenStack: node " + host + " leaves slot 1" // as we wrote it when there was no mark in it
	reason := before + " [" + mark + "]"
	stands("disabled", reason)
	closes(false)
	if status, fault := b.placed(t, host); status != "ERROR" || !strings.Contains(fault, "No valid host") {
		t.Errorf("an instance that is wanted there is %s: %s", status, fault)
	}
	opens(nil, host)
	if left, err := other.OpenComputes(t.Context(), nodes, stays); len(left) > 0 || err != nil {
		t.Errorf("to another installation is left %q, %v", left, err)
	}
	opens(map[string]time.Time{host: time.Now().Add(time.Hour)}, host)
	stands("disabled", reason)
	opens(stays)
	stands("enabled", "")
	if status, fault := b.placed(t, host); status != "ACTIVE" {
		t.Errorf("an instance that is wanted there is %s: %s", status, fault)
	}
	if count, err := b.Hosts(t.Context()); err != nil || count[host] == 0 {
		t.Errorf("the instances are %v, %v", count, err)
	}
	closes(true) // with an instance there
	opens(map[string]time.Time{host: time.Now().Add(-time.Hour)})
	stands("enabled", "")

	if err := set(t.Context(), map[string]any{"status": "disabled", "disabled_reason": before}); err != nil {
		t.Fatal(err)
	}
	opens(stays)
	stands("enabled", "")
	if err := set(t.Context(), map[string]any{"status": "disabled", "disabled_reason": "a disk is replaced"}); err != nil {
		t.Fatal(err)
	}
	closes(false)
	opens(stays)
	stands("disabled", "a disk is replaced")
}

// computeServiceOn is what Nova tells of the service on a host.
func computeServiceOn(t *testing.T, host string) map[string]any {
	t.Helper()
	client := computeClient(t)
	client.Microversion = "2.53"
	var answer struct{ Services []map[string]any }
	if _, err := client.Get(t.Context(), client.ServiceURL("os-services")+"?binary=nova-compute&host="+host, &answer, nil); err != nil || len(answer.Services) != 1 {
		t.Fatalf("%v, %v", answer, err)
	}
	return answer.Services[0]
}

// placed has somebody start an instance on a host, and returns what comes of it.
func (b *diskBench) placed(t *testing.T, host string) (status, fault string) {
	t.Helper()
	type server struct {
		ID, Status string
		Fault      struct{ Message string }
	}
	var answer struct{ Server server }
	body := map[string]any{"server": map[string]any{
		"name": unique("placed"), "flavorRef": b.flavor, "imageRef": b.image, "networks": "none", "host": host,
	}}
	if _, err := b.compute.Post(t.Context(), b.compute.ServiceURL("servers"), body, &answer, &gophercloud.RequestOpts{OkCodes: []int{http.StatusAccepted}}); err != nil {
		t.Fatal(err)
	}
	at := b.compute.ServiceURL("servers", answer.Server.ID)
	afterwards(t, func(ctx context.Context) error {
		_, err := b.compute.Delete(ctx, at, nil)
		return err
	})
	for {
		if _, err := b.compute.Get(t.Context(), at, &answer, nil); err != nil {
			t.Fatal(err)
		}
		if answer.Server.Status != "BUILD" {
			return answer.Server.Status, answer.Server.Fault.Message
		}
		pause(t.Context(), t)
	}
}
