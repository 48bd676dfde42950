package openstack_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"testing"

	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
)

const publicKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPhqf2bNpLhR9mX4lDxYb0Q4dS9c6GZ8mNn2eQ0W1t5v"

// disk returns the address and checksum of a raw image that the bench serves.
func (b *bench) disk(t *testing.T, size int) (url, checksum string) {
	t.Helper()
	content := bytes.Repeat([]byte("disk"), size/4)
	path := "/" + unique("disk") + ".img"
	b.served.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(content) })
	sum := sha256.Sum256(content)
	return b.images + path, "sha256:" + hex.EncodeToString(sum[:])
}

func smallFlavor(t *testing.T) unit.Target {
	t.Helper()
	return target(t, "flavor", unique("flavor"), values{"vcpus": cty.NumberIntVal(1), "ram": cty.NumberIntVal(64), "disk": cty.NumberIntVal(1)})
}

func TestBedFlavorAndKeypair(t *testing.T) {
	b := newBench(t)
	flavor := with(t, smallFlavor(t), values{
		"description": text("Small"), "public": cty.False, "swap": cty.NumberIntVal(0),
		"extra_specs": cty.MapVal(map[string]cty.Value{"hw:cpu_policy": text("shared")}),
	})
	b.converge(t, &flavor)
	b.settled(t, flavor, "/v2.1/flavors/detail")
	flavor = with(t, flavor, values{"description": text("Tiny"), "extra_specs": cty.MapVal(map[string]cty.Value{"hw:mem_page_size": text("any")})})
	st := b.converge(t, &flavor)
	if got := st.Outputs.GetAttr("extra_specs").LengthInt(); got != 2 {
		t.Errorf("%d extra specs: those that are not written stay", got)
	}
	if _, diff := b.compare(t, with(t, flavor, values{"ram": cty.NumberIntVal(128)})); diff.Action != unit.ActionReplace {
		t.Errorf("a size cannot be changed, but the diff is %+v", diff)
	}

	pair := target(t, "keypair", unique("key"), values{"public_key": text(publicKey + " ops@example.org\n")})
	st = b.converge(t, &pair)
	if st.Outputs.GetAttr("fingerprint").AsString() == "" {
		t.Error("there is no fingerprint")
	}
	b.settled(t, pair, "/v2.1/os-keypairs")

	same := target(t, "keypair", pair.Address.Name(), values{"public_key": text(publicKey)})
	if _, diff := b.compare(t, same); diff.Action != unit.ActionAdopt {
		t.Errorf("the same key under the same name: %+v", diff)
	}
	other := with(t, same, values{"public_key": text(strings.Replace(publicKey, "hqf2", "hqf3", 1))})
	if _, diff := b.compare(t, other); diff.Action != unit.ActionBlocked {
		t.Errorf("another key under the same name: %+v", diff)
	}
	cut := same
	cut.Fresh = false
	if st := b.see(t, cut); !st.Owned || st.ID != pair.ID {
		t.Errorf("a pair that an earlier attempt has made is not found: %+v", st)
	}
}

func TestBedWholeChain(t *testing.T) {
	t.Parallel()
	told := make(chan addr.Object, 10)
	b := newBench(t, func(o *openstack.Options) { o.Notify = func(a ...addr.Object) { told <- a[0] } })
	project := target(t, "project", unique("project"), values{})
	b.converge(t, &project)
	network := target(t, "network", unique("net"), values{"project": text(project.ID)})
	b.converge(t, &network)
	subnet := target(t, "subnet", unique("sub"), values{"network": text(network.ID), "cidr": text("10.8.0.0/24"), "project": text(project.ID)})
	b.converge(t, &subnet)
	group := target(t, "security_group", unique("group"), values{"project": text(project.ID), "rule": cty.ListVal([]cty.Value{ruleValue(22, "")})})
	b.converge(t, &group)
	flavor := smallFlavor(t)
	b.converge(t, &flavor)
	pair := target(t, "keypair", unique("key"), values{"public_key": text(publicKey)})
	b.converge(t, &pair)
	url, checksum := b.disk(t, 1<<20)
	image := target(t, "image", unique("image"), values{
		"source": text(url), "checksum": text(checksum), "disk_format": text("raw"), "container_format": text("bare"), "visibility": text("public"),
		"properties": cty.MapVal(map[string]cty.Value{"hw_disk_bus": text("scsi")}), "tags": set("base"),
	})
	if st := b.converge(t, &image); !st.Outputs.GetAttr("size").RawEquals(cty.NumberIntVal(1 << 20)) {
		t.Errorf("the size is %#v", st.Outputs.GetAttr("size"))
	}
	if a := <-told; a != image.Address {
		t.Errorf("%s was told to be done", a)
	}
	b.settled(t, image, imagesPath)

	server := target(t, "instance", unique("vm"), values{
		"project": text(project.ID), "image": text(image.ID), "flavor": text(flavor.ID), "networks": list(network.ID), "keypair": text(pair.ID),
		"security_groups": list(group.ID), "user_data": text("#cloud-config\npassword: verysecret\n").Mark(model.Sensitive),
		"metadata": cty.MapVal(map[string]cty.Value{"tier": text("web")}), "tags": set("shop"),
	})
	b.fleet.Add(faultproxy.Rule{Match: faultproxy.Match{Verb: "POST", Path: "/v2.1/servers"}, Action: faultproxy.ResetAfter(), Limit: 1})
	if _, err := b.Apply(t.Context(), server, wantedOf(server), unit.State{Existence: unit.Absent}); err == nil {
		t.Error("the answer was lost, but there is no error")
	}
	server.Fresh = false
	st := b.converge(t, &server)
	if n := b.fleet.Counts().Of("POST", "/v2.1/servers"); n != 1 {
		t.Errorf("%d creating requests, want 1", n)
	}
	if st.Project != project.ID || !strings.HasPrefix(st.Outputs.GetAttr("access_ip").AsString(), "10.8.0.") || st.Outputs.GetAttr("host").AsString() == "" {
		t.Errorf("the instance is %+v", st)
	}
	b.settled(t, server, "/v2.1/servers/detail", "/v2.0/ports")
	hosts, err := b.Hosts(t.Context())
	if err != nil || hosts[st.Outputs.GetAttr("host").AsString()] < 1 {
		t.Errorf("the hosts are %v, %v", hosts, err)
	}

	if _, diff := b.compare(t, with(t, server, values{"user_data": text("#cloud-config\nother: othersecret\n").Mark(model.Sensitive)})); diff.Action != unit.ActionReplace ||
		strings.Contains(diff.Fields[0].Before+diff.Fields[0].After, "secret") {
		t.Errorf("the diff is %+v", diff)
	}
	if _, diff := b.compare(t, with(t, server, values{"flavor": text("other")})); diff.Action != unit.ActionUpdate || diff.Cost == "" {
		t.Errorf("the diff is %+v", diff)
	}
	server = with(t, server, values{
		"name": text(unique("renamed")), "security_groups": cty.ListValEmpty(cty.String), "tags": set("shop", "two"),
		"metadata": cty.MapVal(map[string]cty.Value{"tier": text("db")}),
	})
	b.converge(t, &server)
	b.settled(t, server, "/v2.1/servers/detail", "/v2.0/ports")
	b.rescued(t, server)

	for _, each := range []unit.Target{server, image, pair, flavor, group, subnet, network, project} {
		each.Spec = nil // the block is gone, as when a configuration drops it
		if st, diff := b.see(t, each), b.Compare(each, cty.NilVal, unit.State{}); !st.Owned || st.ID != each.ID || diff.Action != unit.ActionNone {
			t.Errorf("%s without its block is %+v, the diff %+v", each.Address, st, diff)
		}
		if err := b.destroy(t.Context(), t, each); err != nil {
			t.Fatalf("delete %s: %v", each.Address, err)
		}
		if st := b.see(t, each); !st.Gone() {
			t.Errorf("%s is not gone: %+v", each.Address, st)
		}
	}
}

// rescued has somebody rescue the instance: it is as they want it, and what Nova then refuses waits for them.
func (b *bench) rescued(t *testing.T, server unit.Target) {
	t.Helper()
	compute := computeClient(t)
	if _, err := servers.Rescue(t.Context(), compute, server.ID, servers.RescueOpts{AdminPass: "secret"}).Extract(); err != nil {
		t.Fatal(err)
	}
	changed := with(t, server, values{"metadata": cty.MapVal(map[string]cty.Value{"tier": text("cache")})})
	until := func(target unit.Target, action unit.Action, reason string) {
		t.Helper()
		for {
			st, diff := b.compare(t, target)
			if st.Ready() && diff.Action == action && !diff.Waits && strings.Contains(diff.Reason, reason) {
				return
			}
			pause(t.Context(), t)
		}
	}
	until(server, unit.ActionNone, "")
	until(changed, unit.ActionBlocked, "unrescue it")
	if err := servers.Unrescue(t.Context(), compute, server.ID).ExtractErr(); err != nil {
		t.Fatal(err)
	}
	until(changed, unit.ActionUpdate, "")
}

func TestBedImageWithWrongChecksum(t *testing.T) {
	b := newBench(t)
	url, checksum := b.disk(t, 1<<20)
	wrong := checksum[:len(checksum)-1] + map[bool]string{true: "1", false: "0"}[checksum[len(checksum)-1] == '0']
	image := target(t, "image", unique("image"), values{"source": text(url), "checksum": text(wrong), "disk_format": text("raw"), "container_format": text("bare")})
	st, _ := b.compare(t, image)
	st, err := b.Apply(t.Context(), image, wantedOf(image), st)
	if err != nil || st.ID == "" {
		t.Fatalf("create: %v", err)
	}
	image.ID, image.Fresh = st.ID, false
	b.remove(t, image)
	for {
		st, diff := b.compare(t, image)
		if diff.Action == unit.ActionNone {
			if st.Ready() {
				t.Fatal("an image with the wrong bytes is active")
			}
			pause(t.Context(), t)
			continue
		}
		if _, err = b.Apply(t.Context(), image, wantedOf(image), st); err != nil {
			break
		}
	}
	if !unit.IsBlocked(err) || !strings.Contains(err.Error(), checksum[len("sha256:"):]) {
		t.Errorf("the error is %v, want the checksum %s", err, checksum)
	}
}
