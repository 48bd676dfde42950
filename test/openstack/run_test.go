package openstack

import (
	"context"
	"errors"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/test/process"
)

func TestRun(t *testing.T) {
	r := testRecord(t)
	if err := r.run(t.Context(), "good", "/bin/sh", "-c", `test "$HOME" = "$1"`, "sh", r.home()); err != nil {
		t.Error(err)
	}
	err := r.run(t.Context(), "bad", "/bin/sh", "-c", "echo spoken; exit 3")
	if err == nil || !strings.Contains(err.Error(), "spoken") || !strings.Contains(err.Error(), "3") {
		t.Errorf("got %v, want the exit status and the log", err)
	}
	if records, err := process.LoadAll(r.runDir()); err != nil || len(records) > 0 {
		t.Errorf("records left: %v, %v", records, err)
	}
}

func TestRunStopsWhenCancelled(t *testing.T) {
	r := testRecord(t)
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error, 1)
	go func() { result <- r.run(ctx, "endless", "/bin/sh", "-c", "sleep 1000 & wait") }()
	var p *process.Process
	// Polls, because only the record tells that the process was started.
	for tick := time.NewTicker(5 * time.Millisecond); p == nil; <-tick.C {
		if err := t.Context().Err(); err != nil {
			t.Fatal(err)
		}
		p, _ = process.Load(r.runDir(), "endless")
	}
	cancel()
	if err := <-result; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if p.Alive() {
		t.Error("it still runs")
	}
}

func TestAwait(t *testing.T) {
	r := testRecord(t)
	dies := server{name: "dies", args: []string{"/bin/sh", "-c", "echo last words"}}
	lives := server{name: "lives", args: []string{"/bin/sleep", "1000"}}
	if err := r.start(dies, lives); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := r.stop(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	never := func(context.Context) (bool, error) { return false, errors.New("not yet") }

	err := r.await(t.Context(), "the dying", []server{lives, dies}, never)
	if err == nil || !strings.Contains(err.Error(), "last words") || !strings.Contains(err.Error(), "the dying") {
		t.Errorf("got %v, want the log of the process that ended", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	err = r.await(ctx, "the living", []server{lives}, never)
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "not yet") {
		t.Errorf("got %v, want the deadline and the last reason", err)
	}
	if err := r.await(t.Context(), "nothing", []server{lives}, func(context.Context) (bool, error) { return true, nil }); err != nil {
		t.Error(err)
	}
	if err := r.await(t.Context(), "a stranger", []server{{name: "stranger"}}, never); err == nil {
		t.Error("want an error for a server without a record")
	}
}

func TestStartRefusesARunningBed(t *testing.T) {
	r := testRecord(t)
	if err := r.start(server{name: "lives", args: []string{"/bin/sleep", "1000"}}); err != nil {
		t.Fatal(err)
	}
	if err := r.save(); err != nil {
		t.Fatal(err)
	}
	_, err := Start(t.Context(), Options{Dir: r.Dir, Cache: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "runs already") {
		t.Errorf("got %v", err)
	}
	if p, err := process.Load(r.runDir(), "lives"); err != nil || !p.Alive() {
		t.Errorf("the running bed was touched: %v", err)
	}
	cloud, err := Open(r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := cloud.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(r.Dir + "/" + recordFile); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the record is still there: %v", err)
	}
}

func TestQuote(t *testing.T) {
	for in, want := range map[string]string{
		`plain`:              `'plain'`,
		`it's`:               `'it\'s'`,
		`back\slash`:         `'back\\slash'`,
		`\'; DROP TABLE x`:   `'\\\'; DROP TABLE x'`,
		`{"json": "in SQL"}`: `'{"json": "in SQL"}'`,
	} {
		if got := quote(in); got != want {
			t.Errorf("quote(%s) = %s, want %s", in, got, want)
		}
	}
}

func TestAgentSQLRefuses(t *testing.T) {
	for name, agent := range map[string]NeutronAgent{
		"unknown type": {Type: "Coffee agent", Host: "h"},
		"no host":      {Type: AgentL3},
	} {
		if _, err := agentSQL([]NeutronAgent{agent}); err == nil {
			t.Errorf("%s: want an error", name)
		}
	}
	for _, kind := range []AgentType{AgentOpenVSwitch, AgentL3, AgentDHCP, AgentMetadata, AgentOVNController, AgentOVNMetadata} {
		if _, err := agentSQL([]NeutronAgent{{Type: kind, Host: "h"}}); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

func TestReportSQL(t *testing.T) {
	statements, err := reportSQL([]string{"w1", "it's"})
	if err != nil || len(statements) != 6 || !strings.Contains(statements[3], `'it\'s', 'nova-compute', 'compute'`) || !strings.Contains(statements[5], `host = 'it\'s'`) {
		t.Errorf("%q, %v", statements, err)
	}
	if _, err := reportSQL([]string{"w1", ""}); err == nil {
		t.Error("no host: want an error")
	}
}

func TestCopySQLRefuses(t *testing.T) {
	cidr := netip.MustParsePrefix("10.0.0.0/24")
	for name, one := range map[string]NetworkCopy{
		"no id":           {SubnetID: "s", CIDR: cidr},
		"no id of subnet": {ID: "n", CIDR: cidr},
		"no network":      {ID: "n", SubnetID: "s"},
		"no addresses":    {ID: "n", SubnetID: "s", CIDR: netip.MustParsePrefix("10.0.0.0/30")},
		"of IPv6":         {ID: "n", SubnetID: "s", CIDR: netip.MustParsePrefix("fd00::/24")},
	} {
		if _, err := copySQL("original", []NetworkCopy{one}); err == nil {
			t.Errorf("%s: want an error", name)
		}
	}
	if statements, err := copySQL("original", nil); statements != nil || err != nil {
		t.Errorf("of none: %q, %v", statements, err)
	}
}

// TestCopySQLLeavesRoom: what others have Neutron make beside gets none of the numbers of copies. The next number is behind the highest one
// that there is, so that this one comes first.
func TestCopySQLLeavesRoom(t *testing.T) {
	statements, err := copySQL("original", []NetworkCopy{{ID: "n", SubnetID: "s", CIDR: netip.MustParsePrefix("10.0.0.0/24")}})
	if err != nil {
		t.Fatal(err)
	}
	var numbered []string
	for _, statement := range statements {
		if strings.HasPrefix(statement, "SET @last = 1000 + (") {
			numbered = append(numbered, "room")
		}
		if _, from, ok := strings.Cut(statement, "SELECT @last + "); ok && strings.Contains(statement, "INTO neutron.standardattributes ") {
			from, _, _ = strings.Cut(from, ",")
			numbered = append(numbered, from)
		}
	}
	if want := []string{"room", "2 * @all + n", "@all + n", "0 + n"}; !slices.Equal(numbered, want) {
		t.Errorf("numbered are %q, want %q", numbered, want)
	}
}
