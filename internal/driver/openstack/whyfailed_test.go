package openstack_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestWhyItFailed: what the list does not tell of a failure is asked for once for each failure, and an answer that does not
// come takes nothing from what the list says.
func TestWhyItFailed(t *testing.T) {
	t.Parallel()
	type object = map[string]any
	for name, c := range map[string]struct {
		kind, rows, key, asks string
		row, told             object
		well, failed          string // states
		want, without         string // messages
	}{
		"an instance that no host takes": {
			"instance", "/v2.1/servers/detail", "servers", "/v2.1/servers/a",
			object{"tenant_id": "p1"},
			object{"server": object{"id": "a", "status": "ERROR", "fault": object{"message": "No valid host was found. "}}},
			"ACTIVE", "ERROR", "No valid host was found.", "Nova does not say why",
		},
		"an instance of which the list tells it": {
			"instance", "/v2.1/servers/detail", "servers", "",
			object{"tenant_id": "p1", "fault": object{"message": "Out of memory"}},
			nil,
			"ACTIVE", "ERROR", "Out of memory", "",
		},
		"a volume": {
			"volume", "/v3/p1/volumes/detail", "volumes", "/v3/p1/messages",
			object{"size": 1, "os-vol-tenant-attr:tenant_id": "p1"},
			object{"messages": []any{object{"user_message": "Could not find any available weighted backend.", "request_id": "req-1"}}, "messages_links": []any{object{"rel": "next", "href": "/more"}}},
			"available", "error", "in the state error, and its newest message is: Could not find any available weighted backend. (request req-1)", "see the log of the service",
		},
		"a snapshot": {
			"snapshot", "/v3/p1/snapshots/detail", "snapshots", "/v3/p1/messages",
			object{"size": 1, "os-extended-snapshot-attributes:project_id": "p1"},
			object{"messages": []any{object{"user_message": "No space.", "request_id": ""}}},
			"available", "error", "in the state error, and its newest message is: No space.", "see the log of the service",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			row := object{"id": "a", "name": "a", "metadata": object{"kupenstack_mark": "kupenstack:a"}, "status": c.well}
			for key, value := range c.row {
				row[key] = value
			}
			asked := 0
			var told any = http.StatusConflict
			answers := map[string]func(*http.Request) any{
				c.rows:              func(*http.Request) any { return object{c.key: []any{row}} },
				"/v3/p1":            listed("nothing"),
				"/v2.0/ports":       listed("ports"),
				"/v2.1/os-services": listed("services"),
			}
			if c.asks != "" {
				answers[c.asks] = func(r *http.Request) any {
					if asked++; strings.HasSuffix(c.asks, "messages") && r.FormValue("resource_uuid") != "a" {
						return http.StatusTeapot
					}
					return told
				}
			}
			d := answering(t, answers)
			tg := known(t, c.kind, "a", values{})
			look := func(when string, health unit.Health, message string, asks int) {
				t.Helper()
				asked = 0
				states, err := d.Observe(t.Context(), []unit.Target{tg})
				st := states[tg.Address]
				if err != nil || st.Health != health || !strings.Contains(st.Message, message) || asked != asks {
					t.Errorf("%s: %s %q, %v; asked %d times", when, st.Health, st.Message, err, asked)
				}
			}
			look("it works", unit.HealthReady, "", 0)
			row["status"] = c.failed
			if c.asks == "" {
				look("it has failed", unit.HealthFailed, c.want, 0)
				return
			}
			look("nobody says why", unit.HealthFailed, c.without, 1)
			told = c.told
			look("somebody does", unit.HealthFailed, c.want, 1)
			look("that is known", unit.HealthFailed, c.want, 0)
			row["updated_at"] = "2026-01-02T03:04:05Z"
			look("it has failed anew", unit.HealthFailed, c.want, 1)
			if c.kind == "instance" {
				return
			}
			for i, never := range []int{http.StatusBadRequest, http.StatusForbidden, http.StatusNotFound, http.StatusNotAcceptable} {
				row["updated_at"], told = fmt.Sprintf("2026-01-03T03:04:0%dZ", i), never
				look("our user may not know", unit.HealthFailed, c.without, 1)
				look("nor the next time", unit.HealthFailed, c.without, 0)
			}
			messages := func(at string) object {
				return object{"messages": []any{object{"user_message": "Full.", "created_at": at}}}
			}
			row["updated_at"], told = "2026-01-03T03:05:00.000000", messages("2026-01-03T03:03:59.000000")
			look("the message is older", unit.HealthFailed, "its newest message, of 2026-01-03T03:03:59Z and so perhaps of an earlier failure, is: Full.", 1)
			row["updated_at"], told = "2026-01-03T03:06:00.000000", messages("2026-01-03T03:05:01.000000")
			look("it came just before", unit.HealthFailed, "its newest message is: Full.", 1)
			row["updated_at"], told = "2026-01-03T03:07:00.000000", object{"messages": []any{}}
			look("there is none", unit.HealthFailed, c.without, 1)
			look("nor will there be", unit.HealthFailed, c.without, 0)
			row["updated_at"] = time.Now().UTC().Format("2006-01-02T15:04:05.000000")
			look("it has failed a moment ago", unit.HealthFailed, c.without, 1)
			told = messages(row["updated_at"].(string))
			look("now there is one", unit.HealthFailed, "its newest message is: Full.", 1)
			look("which is known then", unit.HealthFailed, "its newest message is: Full.", 0)
			for _, ahead := range []time.Duration{-time.Hour, time.Hour} { // Cinder's clock is another one
				there := time.Now().UTC().Add(ahead)
				row["updated_at"] = there.Add(-time.Second).Format("2006-01-02T15:04:05.000000")
				told = answerAt{there, object{"messages": []any{}}}
				look("it has failed a moment ago, there", unit.HealthFailed, c.without, 1)
				look("there may be one the next time", unit.HealthFailed, c.without, 1)
				told = answerAt{there.Add(2 * time.Minute), object{"messages": []any{}}}
				look("it has failed long ago, there", unit.HealthFailed, c.without, 1)
				look("there will be none", unit.HealthFailed, c.without, 0)
			}
		})
	}
}

// TestBedWhyItFailed has a real Nova and Cinder find no place for what is made.
func TestBedWhyItFailed(t *testing.T) {
	b := newBench(t)
	kind := target(t, "volume_type", unique("type"), values{"extra_specs": texted("volume_backend_name", "nowhere")})
	b.converge(t, &kind)
	url, checksum := b.disk(t, 1<<20)
	image := target(t, "image", unique("image"), values{"source": text(url), "checksum": text(checksum), "disk_format": text("raw"), "container_format": text("bare")})
	b.converge(t, &image)
	flavor := with(t, smallFlavor(t), values{"extra_specs": texted("trait:CUSTOM_NOWHERE", "required")})
	b.converge(t, &flavor)
	for want, tg := range map[string]unit.Target{
		"in the state error, and its newest message is: schedule allocate volume:Could not find any available weighted backend. (request req-": target(t, "volume", unique("volume"), values{"size": number(1), "type": text(kind.ID)}),
		"No valid host was found.": target(t, "instance", unique("vm"), values{
			"image": text(image.ID), "flavor": text(flavor.ID), "networks": cty.ListValEmpty(cty.String),
		}),
	} {
		st, err := b.Apply(t.Context(), tg, wantedOf(tg), b.see(t, tg))
		if err != nil {
			t.Fatal(err)
		}
		tg.ID, tg.Fresh = st.ID, false
		b.remove(t, tg)
		until(t, b, tg, func(st unit.State) bool { return st.Health == unit.HealthFailed })
		if st := b.see(t, tg); !strings.Contains(st.Message, want) {
			t.Errorf("it says %q, want %q", st.Message, want)
		}
	}
}
