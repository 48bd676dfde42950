package openstack_test

import (
	"crypto/rand"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
)

// testedCloud has Nova and Cinder that do what they are asked for by the time that somebody looks again.
type testedCloud struct {
	mutex   sync.Mutex
	servers map[string]map[string]any
	volumes map[string]map[string]any
	changes []string // requests that change something, without ids
	looks   int

	// refuse answers a request that changes something, as it is in changes, with a status; settle says what becomes of
	// the state of a server or volume, "" for what is usual.
	refuse map[string]int
	settle func(thing map[string]any, status string) string
	// kill is called when so many requests have changed something, before the last of them is answered.
	kill   func()
	killAt int
}

func newTestedCloud() *testedCloud {
	return &testedCloud{servers: map[string]map[string]any{}, volumes: map[string]map[string]any{}}
}

func (c *testedCloud) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	w.Header().Set("X-Openstack-Request-Id", requestOf)
	parts := strings.Split(strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, "/v2.1/"), "/v3/p1/"), "/")
	kind := parts[0]
	of := map[string]map[string]map[string]any{"servers": c.servers, "volumes": c.volumes}[kind]
	answer := func(status int, body any) {
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(body)
	}
	if r.Method == http.MethodGet {
		switch {
		case parts[len(parts)-1] == "detail":
			c.looks++
			c.goOn()
			list := []any{}
			for _, thing := range of {
				list = append(list, thing)
			}
			answer(http.StatusOK, map[string]any{kind: list})
		case parts[len(parts)-1] == "os-instance-actions":
			answer(http.StatusOK, map[string]any{"instanceActions": []any{
				map[string]any{"action": "attach_volume", "request_id": requestOf}, map[string]any{"action": "create", "request_id": requestOf},
			}})
		case of[parts[1]] == nil:
			answer(http.StatusNotFound, map[string]any{})
		default:
			answer(http.StatusOK, map[string]any{strings.TrimSuffix(kind, "s"): of[parts[1]]})
		}
		return
	}
	change := r.Method + " " + kind
	if len(parts) > 2 {
		change = r.Method + " " + parts[2]
	}
	c.changes = append(c.changes, change)
	if len(c.changes) == c.killAt {
		defer c.kill()
	}
	if status := c.refuse[change]; status != 0 {
		answer(status, map[string]any{"computeFault": map[string]any{"message": "no luck"}})
		return
	}
	var body map[string]map[string]any
	_ = json.NewDecoder(r.Body).Decode(&body)
	switch change {
	case "POST servers", "POST volumes":
		one := strings.TrimSuffix(kind, "s")
		thing := map[string]any{"id": rand.Text(), "name": body[one]["name"], "metadata": body[one]["metadata"], "status": map[string]string{"server": "BUILD", "volume": "creating"}[one]}
		of[thing["id"].(string)] = thing
		answer(http.StatusAccepted, map[string]any{one: thing})
	case "POST os-volume_attachments":
		c.volumes[body["volumeAttachment"]["volumeId"].(string)]["status"] = "attaching"
		answer(http.StatusOK, map[string]any{"volumeAttachment": map[string]any{}})
	case "DELETE os-volume_attachments":
		c.volumes[parts[3]]["status"] = "detaching"
		w.WriteHeader(http.StatusAccepted)
	case "DELETE servers":
		of[parts[1]]["OS-EXT-STS:task_state"] = "deleting"
		w.WriteHeader(http.StatusNoContent)
	case "DELETE volumes":
		of[parts[1]]["status"] = "deleting"
		w.WriteHeader(http.StatusAccepted)
	}
}

// goOn is what Nova and Cinder do by themselves.
func (c *testedCloud) goOn() {
	then := map[string]string{"BUILD": "ACTIVE", "creating": "available", "attaching": "in-use", "detaching": "available"}
	for _, list := range []map[string]map[string]any{c.servers, c.volumes} {
		for id, thing := range list {
			status, _ := thing["status"].(string)
			if thing["OS-EXT-STS:task_state"] == "deleting" || status == "deleting" {
				delete(list, id)
				for _, volume := range c.volumes {
					if thing["OS-EXT-STS:task_state"] != nil && volume["status"] != "error_attaching" {
						volume["status"] = "available"
					}
				}
				continue
			}
			next := then[status]
			if c.settle != nil && next != "" {
				if other := c.settle(thing, status); other != "" {
					next = other
				}
			}
			if next != "" {
				thing["status"] = next
			}
		}
	}
}
