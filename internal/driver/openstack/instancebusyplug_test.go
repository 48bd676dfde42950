package openstack_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestNetworkThatIsTakenBackWhileNovaIsBusy: as long as nobody knows what became of a request for a port in a network that was
// taken out, the instance is not as it is wanted, whatever else Nova does with it or it is in: the record would leave the
// network out, and what comes there would be taken for others'.
func TestNetworkThatIsTakenBackWhileNovaIsBusy(t *testing.T) {
	for status, test := range map[string]struct {
		task  any
		waits bool
	}{
		"ACTIVE":      {"reboot_pending_hard", true},
		"HARD_REBOOT": {"reboot_pending_hard", true},
		"PAUSED":      {nil, false},
		"SUSPENDED":   {nil, false},
		"SHUTOFF":     {nil, false},
	} {
		tg := target(t, "instance", "web", values{"flavor": text("1"), "image": text(idOf("5")), "networks": list(idOf("4"))})
		cloud := &plugged{mark: tg.Mark}
		cloud.made(idOf("6"), idOf("4"), "2026-01-06")
		answers := cloud.answers()
		cloud.plugs(answers, map[string]any{"kupenstack_mark": tg.Mark, "kupenstack_plug": fmt.Sprintf("%d %s 1", time.Now().Unix(), idOf("5"))})
		server := answers["/v2.1/servers/"+idOf("3")](nil).(map[string]any)["server"].(map[string]any)
		server["status"], server["OS-EXT-STS:task_state"] = status, test.task
		tg.ID, tg.Fresh, tg.Complete = idOf("3"), false, true
		tg = recorded(tg, map[string][]string{"networks": {idOf("4"), idOf("5")}})
		d := answering(t, answers)
		states, err := d.Observe(t.Context(), []unit.Target{tg})
		if err != nil {
			t.Fatal(err)
		}
		if diff := d.Compare(tg, wantedOf(tg), states[tg.Address]); diff.Action != unit.ActionUpdate || diff.Waits != test.waits {
			t.Errorf("%s, %v: the diff is %+v", status, test.task, diff)
		}
	}
}
