package report_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/report"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

func TestLines(t *testing.T) {
	before, after := cloud(), progressing()
	of(&after, "node.two").Phase = engine.PhaseGone
	of(&after, "node.one").Phase, of(&after, "node.one").Reason = engine.PhaseFailed, "a\n\x1b[31mb https://u:hunter22@h/"
	after.Snapshot.Units = after.Snapshot.Units[1:] // the namespace is no longer spoken of
	tests := []struct {
		name       string
		prev, next engine.Snapshot
		want       []string
	}{
		{"nothing changed", after.Snapshot, after.Snapshot, nil},
		{"changed", before.Snapshot, after.Snapshot, []string{
			"service.keystone: progressing (Deployment openstack/keystone-api: 0 of 2 pods ready)",
			"node.one: failed (a <U+001B>[31mb https://(sensitive)@h/)",
			"node.two: gone",
			"network.web: waiting (waits for service.keystone)",
			`instance.web["a"]: waiting (waits for network.web)`,
			"system.namespace: gone",
		}},
		{"new", engine.Snapshot{}, engine.Snapshot{Units: after.Snapshot.Units[:4]}, []string{
			"service.mariadb: ready",
			"service.keystone: progressing (Deployment openstack/keystone-api: 0 of 2 pods ready)",
			"node.one: failed (a <U+001B>[31mb https://(sensitive)@h/)",
		}},
	}
	for _, tt := range tests {
		if got := report.Lines(tt.prev, tt.next); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
		}
	}
}

func TestTable(t *testing.T) {
	in := degraded()
	of(&in, "network.web").Waits = objects("service.a", "service.b", "service.c", "service.d", "service.e")
	want := `4 of 8 ready, 1 failed, 1 blocked, 2 waiting
service.keystone   failed       Job openstack/keystone-db-sync failed: exit cod…
node.two           blocked      4 instances run there: move or delete them befo…
network.web        waiting      waits for service.a, service.b, service.c and 2…
instance.web["a"]  waiting      waits for network.web
`
	if got := report.Table(in.Snapshot, 80, 24); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got, want := report.Table(cloud().Snapshot, 0, 0), "8 of 8 ready\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for rows, last := range map[int]string{5: "instance.web", 4: "and 2 more\n", 3: "and 3 more\n", 2: "and 4 more\n", 1: "4 of 8 ready"} {
		got := report.Table(in.Snapshot, 80, rows)
		lines := strings.SplitAfter(got, "\n")
		if len(lines) != rows+1 || !strings.HasPrefix(lines[0], "4 of 8 ready") || !strings.HasPrefix(lines[rows-1], last) {
			t.Errorf("in %d rows: got\n%s\nwhich has to end with %q", rows, got, last)
		}
	}
	for i := range 100 {
		u := status(fmt.Sprintf(`network.n["%s%d"]`, strings.Repeat("網", 50), i), unit.ClassResource, "network")
		u.Phase, u.Reason = engine.PhaseWaiting, strings.Repeat("路\n", 200)
		in.Snapshot.Units = append(in.Snapshot.Units, u)
	}
	table := strings.Split(report.Table(in.Snapshot, 60, 24), "\n")
	if len(table) != 18 || table[16] != "and 89 more" {
		t.Errorf("%d lines:\n%s", len(table), strings.Join(table, "\n"))
	}
	for _, row := range table {
		wide := utf8.RuneCountInString(row) + strings.Count(row, "網") + strings.Count(row, "路")
		if wide > 60 {
			t.Errorf("%d columns: %s", wide, row)
		}
	}
}
