package openstack_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestNetworksOfWhichNothingIsOnRecord: an instance whose networks Nova chose, that an older program recorded, or that is
// imported, is not left in a network that its block does not name.
func TestNetworksOfWhichNothingIsOnRecord(t *testing.T) {
	for name, test := range map[string]struct {
		networks cty.Value
		imported bool
		action   unit.Action
	}{
		"one more":               {list(idOf("4"), idOf("5")), false, unit.ActionUpdate},
		"another one":            {list(idOf("5")), false, unit.ActionReplace},
		"imported, one more":     {list(idOf("4"), idOf("5")), true, unit.ActionAdopt},
		"imported, another one":  {list(idOf("5")), true, unit.ActionBlocked},
		"imported, the same one": {list(idOf("4")), true, unit.ActionAdopt},
	} {
		t.Run(name, func(t *testing.T) {
			tg := target(t, "instance", "web", values{"flavor": text("1"), "image": text(idOf("5")), "networks": test.networks})
			cloud := &plugged{mark: tg.Mark}
			cloud.port(idOf("6"), "", "")
			cloud.ports[0]["description"] = ""
			answers := cloud.answers()
			server := answers["/v2.1/servers/"+idOf("3")](nil).(map[string]any)["server"].(map[string]any)
			if test.imported {
				server["metadata"] = map[string]any{}
				tg.Import = idOf("3")
			} else {
				tg.ID, tg.Fresh = idOf("3"), false
			}
			answers["/v2.1/servers/detail"] = listed("servers", server)
			d := answering(t, answers)
			states, err := d.Observe(t.Context(), []unit.Target{tg})
			if err != nil {
				t.Fatal(err)
			}
			if diff := d.Compare(tg, wantedOf(tg), states[tg.Address]); diff.Action != test.action {
				t.Errorf("the diff is %+v", diff)
			}
		})
	}
}

// TestSlowAttaching: a request that went without an answer for a minute may still be carried out.
func TestSlowAttaching(t *testing.T) {
	tg := target(t, "instance", "web", values{"flavor": text("1"), "image": text(idOf("5")), "networks": list(idOf("4"), idOf("5"))})
	cloud := &plugged{mark: tg.Mark}
	cloud.port(idOf("9"), "", "")
	cloud.ports[0]["description"] = ""
	answers := cloud.answers()
	metadata := map[string]any{"kupenstack_mark": tg.Mark}
	cloud.plugs(answers, metadata)
	attach := "POST /v2.1/servers/" + idOf("3") + "/os-interface"
	posts := 0
	answers[attach] = func(*http.Request) any { // Nova waits a minute for its agent, which is at it only later
		posts++
		metadata["kupenstack_plug"] = fmt.Sprint(time.Now().Add(-time.Minute).Unix())
		return http.StatusInternalServerError
	}
	tg.ID, tg.Fresh, tg.Complete = idOf("3"), false, true
	tg = recorded(tg, map[string][]string{"networks": {idOf("4")}})
	d := answering(t, answers)
	for n := range 3 {
		states, err := d.Observe(t.Context(), []unit.Target{tg})
		if err != nil {
			t.Fatal(err)
		}
		_, err = d.Apply(t.Context(), tg, wantedOf(tg), states[tg.Address])
		if retry := (*unit.RetryError)(nil); n > 0 && !errors.As(err, &retry) {
			t.Errorf("try %d is not put off: %v", n, err)
		}
	}
	if posts != 1 {
		t.Errorf("%d interfaces were asked for", posts)
	}
}

// TestAttachingTakenBack: a network that is taken out again, and then written once more, while Nova is at the first request is
// not asked for twice; and once it came, or is lost, nothing is noted any more.
func TestAttachingTakenBack(t *testing.T) {
	one := values{"flavor": text("1"), "image": text(idOf("5")), "networks": list(idOf("4"))}
	tg := target(t, "instance", "web", values{"flavor": text("1"), "image": text(idOf("5")), "networks": list(idOf("4"), idOf("5"))})
	cloud := &plugged{mark: tg.Mark}
	cloud.port(idOf("9"), "", "")
	cloud.ports[0]["description"] = ""
	answers := cloud.answers()
	metadata := map[string]any{"kupenstack_mark": tg.Mark}
	cloud.plugs(answers, metadata)
	posts := 0
	answers["POST /v2.1/servers/"+idOf("3")+"/os-interface"] = func(*http.Request) any {
		posts++
		return http.StatusInternalServerError
	}
	d := answering(t, answers)
	tg.ID, tg.Fresh, tg.Complete = idOf("3"), false, true
	back := with(t, tg, one)
	step := func(tg unit.Target) (unit.Diff, error) {
		tg = recorded(tg, map[string][]string{"networks": {idOf("4")}})
		states, err := d.Observe(t.Context(), []unit.Target{tg})
		if err != nil {
			t.Fatal(err)
		}
		diff := d.Compare(tg, wantedOf(tg), states[tg.Address])
		if diff.Action == unit.ActionUpdate {
			_, err = d.Apply(t.Context(), tg, wantedOf(tg), states[tg.Address])
		}
		return diff, err
	}
	if _, err := step(tg); err == nil {
		t.Error("it was attached")
	}
	if diff, err := step(back); err != nil || diff.Action != unit.ActionNone {
		t.Errorf("without it: %s, %v", diff.Action, err)
	}
	if _, err := step(tg); !errors.As(err, new(*unit.RetryError)) || posts != 1 {
		t.Errorf("it was asked for %d times: %v", posts, err)
	}
	metadata["kupenstack_plug"] = fmt.Sprintf("%d %s 1", time.Now().Add(-time.Hour).Unix(), idOf("5"))
	if _, err := step(back); err != nil || metadata["kupenstack_plug"] != nil {
		t.Errorf("of one that is lost stays %v: %v", metadata["kupenstack_plug"], err)
	}
	metadata["kupenstack_plug"] = fmt.Sprintf("%d %s 1", time.Now().Unix(), idOf("5"))
	cloud.port(idOf("10"), "", "")
	cloud.ports[1]["network_id"], cloud.ports[1]["description"] = idOf("5"), ""
	if _, err := step(tg); err != nil || metadata["kupenstack_plug"] != nil {
		t.Errorf("of one that came stays %v: %v", metadata["kupenstack_plug"], err)
	}
}

// TestOddKeypairs: an element of the list that is no pair is no proof that one is absent.
func TestOddKeypairs(t *testing.T) {
	for _, odd := range []any{map[string]any{}, map[string]any{"keypair": nil}, map[string]any{"keypair": "ops"}, map[string]any{"name": "ops"}} {
		answers := whole()
		answers["/v2.1/os-keypairs"] = func(r *http.Request) any {
			if r.URL.Query().Has("marker") {
				return map[string]any{"keypairs": []any{}}
			}
			return map[string]any{"keypairs": []any{odd}}
		}
		d := answering(t, answers)
		tg := target(t, "keypair", "ops", values{"public_key": text(publicKey)})
		tg.ID, tg.Fresh = "ops", false
		states, err := d.Observe(t.Context(), []unit.Target{tg})
		if st := states[tg.Address]; err == nil || st.Existence != unit.Unknown {
			t.Errorf("%v: %v, %+v", odd, err, st)
		}
	}
}

// TestHostThatHangsWhileAttaching: as long as Nova has not come to an end with a request, no other one is sent.
func TestHostThatHangsWhileAttaching(t *testing.T) {
	for name, test := range map[string]struct {
		age    time.Duration
		events []any
		posts  int
	}{
		"not begun":         {3 * time.Minute, []any{}, 0},
		"begun":             {3 * time.Minute, []any{map[string]any{"event": "compute_attach_interface", "finish_time": nil}}, 0},
		"come to an end":    {3 * time.Minute, []any{map[string]any{"event": "compute_attach_interface", "finish_time": "2026-11-27T21:00:00.000000"}}, 1},
		"lost for long now": {time.Hour, []any{}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			tg := target(t, "instance", "web", values{"flavor": text("1"), "image": text(idOf("5")), "networks": list(idOf("4"), idOf("5"))})
			cloud := &plugged{mark: tg.Mark}
			cloud.port(idOf("9"), "", "")
			cloud.ports[0]["description"] = ""
			answers := cloud.answers()
			cloud.plugs(answers, map[string]any{"kupenstack_mark": tg.Mark, "kupenstack_plug": fmt.Sprint(time.Now().Add(-test.age).Unix())})
			actions := "/v2.1/servers/" + idOf("3") + "/os-instance-actions"
			answers[actions] = func(*http.Request) any {
				return map[string]any{"instanceActions": []any{map[string]any{"action": "reboot", "request_id": "req-2"}, map[string]any{"action": "attach_interface", "request_id": "req-1"}}}
			}
			answers[actions+"/req-1"] = func(*http.Request) any {
				return map[string]any{"instanceAction": map[string]any{"action": "attach_interface", "events": test.events}}
			}
			tg.ID, tg.Fresh, tg.Complete = idOf("3"), false, true
			tg = recorded(tg, map[string][]string{"networks": {idOf("4")}})
			d := answering(t, answers)
			states, err := d.Observe(t.Context(), []unit.Target{tg})
			if err != nil {
				t.Fatal(err)
			}
			_, err = d.Apply(t.Context(), tg, wantedOf(tg), states[tg.Address])
			posts := len(slices.DeleteFunc(slices.Clone(cloud.sent), func(sent string) bool { return sent != "attach "+idOf("5") }))
			if posts != test.posts || (err == nil) != (posts > 0) {
				t.Errorf("asked %d times: %v, %v", posts, cloud.sent, err)
			}
		})
	}
}
