//go:build beds

package kube_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/driver/kube"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/testbed"
)

func credentials(namespace string, uses ...string) *unit.Credentials {
	c := &unit.Credentials{Namespace: namespace, Name: "passwords", Keys: []unit.Credential{
		{Key: "admin"}, {Key: "db", Length: 20}, {Key: "id", UUID: true}, {Key: "fernet", Fernet: true},
	}}
	for _, release := range uses {
		c.Keys[0].Uses = append(c.Keys[0].Uses, unit.CredentialUse{Namespace: namespace, Release: release, Path: []string{"a"}})
	}
	return c
}

func TestCredentialsAreGeneratedOnce(t *testing.T) {
	w := newWorld(t, testbed.Cluster(t))
	w.namespace()
	d, told := w.driver(releases{})
	target := w.target("credentials", credentials(w.name, "keystone"))
	diff := w.compare(d, target)
	if diff.Action != unit.ActionCreate || len(diff.Fields) != 4 || diff.Fields[0] != (unit.Field{Path: "data.admin", After: "(sensitive)"}) {
		t.Fatalf("got %+v", diff)
	}
	// Many at once, as in two processes: all end with the same values.
	var wg sync.WaitGroup
	for range 5 {
		wg.Go(func() {
			if _, err := d.Apply(w.ctx, target, cty.NilVal, unit.State{}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	first := w.passwords()
	for key, pattern := range map[string]string{
		"admin": `^[A-Za-z0-9]{32}$`, "db": `^[A-Za-z0-9]{20}$`, "fernet": `^[A-Za-z0-9_-]{43}=$`,
		"id": `^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`,
	} {
		if !regexp.MustCompile(pattern).MatchString(first[key]) {
			t.Errorf("the value of %s is not as wanted", key)
		}
	}
	if diff := w.compare(d, target); diff.Action != unit.ActionNone {
		t.Errorf("afterwards: %+v", diff)
	}

	// Another key is added, the others stay.
	more := credentials(w.name)
	more.Keys = append(more.Keys, unit.Credential{Key: "extra"})
	target = w.target("credentials", more)
	if diff := w.compare(d, target); diff.Action != unit.ActionUpdate || len(diff.Fields) != 1 {
		t.Errorf("one more: %+v", diff)
	}
	w.converge(d, target, told)
	second := w.passwords()
	if second["admin"] != first["admin"] || second["db"] != first["db"] || len(second["extra"]) != 32 {
		t.Error("values changed")
	}
	if state, err := d.Delete(w.ctx, target, unit.State{}); err != nil || !w.exists("secrets", "passwords") || state.Existence != unit.Present {
		t.Errorf("deleted: %+v %v", state, err)
	}
}

func TestCredentialsThatWereLost(t *testing.T) {
	const known = "known-value-of-the-release"
	tests := []struct {
		name     string
		releases releases
		blocked  bool
		want     string // part of the error, or the value when there is none
	}{
		{"are read back", releases{"keystone": known}, false, known},
		{"are read back from any release", releases{"keystone": "", "glance": known}, false, known},
		{"block when the release does not tell", releases{"keystone": ""}, true, "is lost, release"},
		{"block when releases differ", releases{"keystone": known, "glance": "another"}, true, "different ones"},
		{"are read back from any release while another one lost its record", releases{"keystone": "unrecorded", "glance": known}, false, known},
		{"block when the record of the release is lost, too", releases{"keystone": "unrecorded"}, true, "keystone-server"},
		{"wait when the release cannot be read", releases{"keystone": "unreachable"}, false, "cannot be read"},
	}
	bed := testbed.Cluster(t)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t, bed)
			w.namespace()
			d, _ := w.driver(test.releases)
			target := w.target("credentials", credentials(w.name, "keystone", "glance"))
			_, err := d.Apply(w.ctx, target, cty.NilVal, unit.State{})
			if test.want == known {
				w.must(err)
				if w.passwords()["admin"] != known {
					t.Error("it is not the value of the release")
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), test.want) || unit.IsBlocked(err) != test.blocked || strings.Contains(err.Error(), known) {
				t.Errorf("got %v", err)
			}
			if w.exists("secrets", "passwords") {
				t.Error("values were made nevertheless")
			}
		})
	}
}

func TestCredentialsAdoptWhatIsThere(t *testing.T) {
	w := newWorld(t, testbed.Cluster(t))
	w.namespace()
	d, told := w.driver(releases{})
	_, err := w.resource("secrets", w.name).Create(w.ctx, object(t,
		"apiVersion: v1\nkind: Secret\nmetadata: {name: passwords, namespace: "+w.name+", labels: {"+kube.LabelManagedBy+": someone}}\nstringData: {admin: theirs}"), metav1.CreateOptions{})
	w.must(err)
	target := w.target("credentials", credentials(w.name))
	if diff := w.compare(d, target); diff.Action != unit.ActionAdopt {
		t.Errorf("got %+v", diff)
	}
	w.converge(d, target, told)
	if w.passwords()["admin"] != "theirs" {
		t.Error("the value changed")
	}
}

func (w *world) passwords() map[string]string {
	w.t.Helper()
	values := map[string]string{}
	for _, key := range []string{"admin", "db", "id", "fernet", "extra"} {
		value, _, err := w.cluster.Secret(w.ctx, w.name, "passwords", key)
		w.must(err)
		values[key] = value.Reveal()
	}
	return values
}

// setPassword writes a value into the Secret as somebody else.
func (w *world) setPassword(key, value string) {
	w.t.Helper()
	patch := fmt.Sprintf(`{"stringData":{%q:%q}}`, key, value)
	_, err := w.resource("secrets", w.name).Patch(w.ctx, "passwords", types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	w.must(err)
}

// observeUntil observes until the watch has what somebody else did.
func (w *world) observeUntil(d *kube.Driver, target unit.Target, told chan addr.Object, reached func(unit.State, unit.Diff) bool) (unit.State, unit.Diff) {
	w.t.Helper()
	for {
		state := w.observe(d, target)
		diff := d.Compare(target, cty.NilVal, state)
		if reached(state, diff) {
			return state, diff
		}
		select {
		case <-told:
		case <-time.After(100 * time.Millisecond):
		case <-w.ctx.Done():
			w.t.Fatalf("it did not come: %+v, %+v", state, diff)
		}
	}
}

func TestAnEditedCredentialIsPutBack(t *testing.T) {
	w := newWorld(t, testbed.Cluster(t))
	w.namespace()
	known := releases{}
	d, told := w.driver(known)
	target := w.target("credentials", credentials(w.name, "keystone", "glance"))
	w.converge(d, target, told)
	first := w.passwords()

	// Without a release nobody has the old value, and the new one stays.
	w.setPassword("admin", "chosen-by-somebody")
	hasChosen := func(unit.State, unit.Diff) bool { return w.passwords()["admin"] == "chosen-by-somebody" }
	if state, diff := w.observeUntil(d, target, told, hasChosen); diff.Action != unit.ActionNone || !state.Installed {
		t.Fatalf("without a release: %+v", diff)
	}

	known["keystone"], known["glance"] = "chosen-by-somebody", ""
	w.setPassword("admin", "edited-by-somebody")
	changed := func(_ unit.State, diff unit.Diff) bool { return diff.Action != unit.ActionNone }
	state, diff := w.observeUntil(d, target, told, changed)
	want := unit.Field{Path: "data.admin", Before: unit.TextSensitive, After: unit.TextSensitive, By: filepath.Base(os.Args[0])}
	if diff.Action != unit.ActionUpdate || !slices.Equal(diff.Fields, []unit.Field{want}) || diff.Reason != "it was changed outside" {
		t.Errorf("edited: %+v", diff)
	}
	if state.Installed || !strings.Contains(state.Message, "admin") || strings.Contains(fmt.Sprintf("%+v %+v", state, diff), "by-somebody") {
		t.Errorf("edited: %+v", state)
	}
	w.converge(d, target, told)
	if got := w.passwords(); got["admin"] != "chosen-by-somebody" || got["db"] != first["db"] || got["id"] != first["id"] {
		t.Error("it is not put back, or others changed")
	}
	if diff := w.compare(d, target); diff.Action != unit.ActionNone {
		t.Errorf("afterwards: %+v", diff)
	}
}

func TestAnEditedCredentialThatIsNotClear(t *testing.T) {
	bed := testbed.Cluster(t)
	t.Run("releases differ", func(t *testing.T) {
		w := newWorld(t, bed)
		w.namespace()
		known := releases{}
		d, told := w.driver(known)
		target := w.target("credentials", credentials(w.name, "keystone", "glance"))
		w.converge(d, target, told)
		known["keystone"], known["glance"] = "value-of-keystone", "value-of-glance"
		w.setPassword("admin", "edited")
		state, diff := w.observeUntil(d, target, told, func(_ unit.State, diff unit.Diff) bool { return diff.Action != unit.ActionNone })
		_, err := d.Apply(w.ctx, target, cty.NilVal, state)
		for _, text := range []string{diff.Reason, fmt.Sprint(err)} {
			for _, part := range []string{"admin", w.name + "/keystone", w.name + "/glance"} {
				if !strings.Contains(text, part) || strings.Contains(text, "value-of") {
					t.Errorf("%q does not name %s, or shows a value", text, part)
				}
			}
		}
		if diff.Action != unit.ActionBlocked || !unit.IsBlocked(err) || w.passwords()["admin"] != "edited" {
			t.Errorf("got %+v, %v", diff, err)
		}
	})
	t.Run("a release cannot be read", func(t *testing.T) {
		w := newWorld(t, bed)
		w.namespace()
		known := releases{}
		d, told := w.driver(known)
		target := w.target("credentials", credentials(w.name, "keystone"))
		w.converge(d, target, told)
		asked := w.passwords()["admin"]
		known["keystone"] = "unreachable"
		if diff := w.compare(d, target); diff.Action != unit.ActionNone {
			t.Errorf("what was in order is asked for again: %+v", diff)
		}
		again, _ := w.driver(known) // as after a start
		states, err := again.Observe(w.ctx, []unit.Target{target})
		if err == nil || states[target.Address].Existence != unit.Unknown {
			t.Errorf("got %+v, %v", states, err)
		}
		if _, err := again.Apply(w.ctx, target, cty.NilVal, unit.State{}); err == nil || unit.IsBlocked(err) || w.passwords()["admin"] != asked {
			t.Errorf("applied: %v", err)
		}
	})
}
