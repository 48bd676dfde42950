package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
)

// storing is Cinder with a backend of each type.
func storing() (*model.Cloud, *model.Service) {
	s := model.Service{
		Name: "cinder", Enabled: true, RollBack: true, Retry: "once more",
		IgnoreDrift: []model.DriftRule{{Kind: "Deployment", Name: "cinder-api", Path: "spec.replicas"}, {Kind: "Service", Path: "metadata.labels"}},
		Backends: []model.Backend{
			{Name: "disks", Type: "lvm"},
			{Name: "fast", Type: "rbd", Pool: "ssd"},
			{Name: "files", Type: "nfs", Share: "nfs.example.org:/volumes"},
			{
				Name: "san", Driver: "cinder.volume.drivers.san.san.SanISCSIDriver", ISCSI: true, Range: diag.Range{File: "main.hcl", Start: diag.Pos{Line: 7}},
				Options: cty.ObjectVal(map[string]cty.Value{"san_ip": cty.StringVal("192.0.2.10"), "san_password": cty.StringVal("hunter").Mark(model.Sensitive)}),
			},
			{Name: "slow", Type: "rbd", Default: true},
		},
	}
	return &model.Cloud{StorageBackend: "ceph", Ceph: &model.Ceph{Volumes: model.CephUser{Pool: "volumes"}}}, &s
}

func TestServiceRows(t *testing.T) {
	cloud, s := storing()
	want := [][2]string{
		{"Backend disks", "lvm, volume group cinder-volumes"},
		{"Backend fast", "rbd, pool ssd"},
		{"Backend files", "nfs, share nfs.example.org:/volumes"},
		{"Backend san", "cinder.volume.drivers.san.san.SanISCSIDriver, reached by iSCSI"},
		{"Backend slow", "rbd, pool volumes, the default"},
		{"On failure", "rollback"},
		{"Retry", "once more"},
		{"Ignored drift", "Deployment cinder-api: spec.replicas; Service: metadata.labels"},
	}
	if got := serviceRows(cloud, s); !slices.Equal(got, want) {
		t.Errorf("the rows are %q, want %q", got, want)
	}
	got := serviceRows(&model.Cloud{}, &model.Service{StorageSize: "9Gi", Storage: "pvc", VirtType: "qemu"})
	if want := [][2]string{{"Storage size", "9Gi"}, {"Storage", "pvc"}, {"Virt type", "qemu"}}; !slices.Equal(got, want) {
		t.Errorf("the rows are %q, want %q", got, want)
	}
	if rows := serviceRows(&model.Cloud{}, &model.Service{}); rows != nil {
		t.Errorf("of nothing the rows are %q", rows)
	}
}

// TestSettingsOfBackends shows the options of backends, but not what is secret in them.
func TestSettingsOfBackends(t *testing.T) {
	cloud, s := storing()
	var p page
	p.settings(cloud, s)
	text := string(p.bytes())
	for _, want := range []string{"### Options of the backend san", `"san_ip": "192.0.2.10"`, `"san_password": "(sensitive)"`, "| `backend.san` | `cloud` | `main.hcl:7` |"} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %s in\n%s", want, text)
		}
	}
	if strings.Contains(text, "hunter") || strings.Contains(text, "Options of the backend fast") {
		t.Errorf("too much is shown:\n%s", text)
	}
}
