package suspension_test

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/suspension"
)

func at(hour int) time.Time { return time.Date(2026, 12, 1, hour, 0, 0, 0, time.UTC) }

func of(t *testing.T, target string, until time.Time) suspension.Suspension {
	t.Helper()
	a, err := addr.ParseTarget(target)
	if err != nil {
		t.Fatal(err)
	}
	return suspension.Suspension{Target: a, By: "alice", Reason: "because of " + cmp.Or(target, "all"), Since: at(1), Until: until}
}

// The suspension that names something most closely is the one that is told, and one whose time has passed none.
func TestOf(t *testing.T) {
	list := []suspension.Suspension{of(t, "", at(9)), of(t, "module.edge", at(6)), of(t, "module.edge.network.web", at(3)), of(t, "instance.web", time.Time{})}
	for _, c := range []struct {
		address string
		now     int
		want    string
	}{
		{"service.nova", 2, "all"},
		{"module.edge.network.web", 2, "module.edge.network.web"},
		{"module.edge.network.web", 3, "module.edge"},
		{`module.edge["fra"].network.web`, 2, "module.edge.network.web"},
		{"module.edge.network.other", 2, "module.edge"},
		{"module.edge.network.other", 6, "all"},
		{`instance.web["a"]`, 20, "instance.web"},
		{"instance.webx", 20, "none"},
		{"service.nova", 9, "none"},
	} {
		got := "none"
		if s := suspension.Of(list, addr.MustParseObject(c.address), at(c.now)); s != nil {
			got = strings.TrimPrefix(s.Reason, "because of ")
		}
		if got != c.want {
			t.Errorf("%s at %d: got %q, want %q", c.address, c.now, got, c.want)
		}
		slices.Reverse(list) // whichever comes first
		if s := suspension.Of(list, addr.MustParseObject(c.address), at(c.now)); s != nil && strings.TrimPrefix(s.Reason, "because of ") != c.want {
			t.Errorf("%s at %d, the other way round: got %q, want %q", c.address, c.now, s.Reason, c.want)
		}
	}
}

func TestWithAndWithout(t *testing.T) {
	var list []suspension.Suspension
	for _, target := range []string{"service.nova", "module.edge.network.web", "", "module.edge"} {
		list = suspension.With(list, of(t, target, time.Time{}))
	}
	list = suspension.With(list, of(t, "service.nova", at(5))) // in place of the first
	if got, want := names(list), "[the whole cloud service.nova module.edge module.edge.network.web]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	edge, err := addr.ParseTarget("module.edge")
	if err != nil {
		t.Fatal(err)
	}
	left, taken := suspension.Without(list, edge)
	if names(left) != "[the whole cloud service.nova]" || names(taken) != "[module.edge module.edge.network.web]" {
		t.Errorf("left %s, taken %s", names(left), names(taken))
	}
	if left, _ = suspension.Without(list, addr.Module{}); len(left) > 0 {
		t.Errorf("of the whole cloud there is left: %s", names(left))
	}
}

func names(list []suspension.Suspension) string {
	var all []string
	for i := range list {
		all = append(all, list[i].Name())
	}
	return fmt.Sprint(all)
}

func TestString(t *testing.T) {
	for _, c := range []struct {
		suspension suspension.Suspension
		want       string
	}{
		{suspension.Suspension{}, "suspended by the configuration"},
		{suspension.Suspension{By: "alice", Until: at(8).In(time.FixedZone("", 3600))}, "suspended until 2026-12-01T08:00:00Z by alice"},
		{suspension.Suspension{By: "alice", Reason: "disks are replaced"}, "suspended by alice: disks are replaced"},
	} {
		if got := c.suspension.String(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestDocument(t *testing.T) {
	list := []suspension.Suspension{of(t, "", at(9)), of(t, "service.nova", time.Time{})}
	list[1].Reason = "two\nlines \x1b[31m\xff of " + strings.Repeat("ä", 600)
	data, err := suspension.Encode(list)
	if err != nil {
		t.Fatal(err)
	}
	got, err := suspension.Decode(data)
	if err != nil || len(got) != 2 {
		t.Fatalf("%v: %v\n%s", got, err, data)
	}
	list[1].Reason = got[1].Reason
	if !slices.Equal(got, list) {
		t.Errorf("got %v, want %v", got, list)
	}
	if r := got[1].Reason; !strings.HasPrefix(r, "two lines [31m of ää") || len([]rune(r)) != 500 {
		t.Errorf("the reason is %q", r)
	}
	for text, want := range map[string]string{
		``:              "cannot be read",
		`[]`:            "cannot be read",
		`{"version":2}`: "the version 2",
		`{"version":1,"suspensions":[{"target":"nova"}]}`:                            "nova",
		`{"version":1,"suspensions":[{"target":"var.x"}]}`:                           "no address of an object",
		`{"version":1,"suspensions":[{"target":"service.nova","until":"tomorrow"}]}`: "cannot be read",
	} {
		if _, err := suspension.Decode([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
	if none, err := suspension.Decode(nil); err != nil || none != nil {
		t.Errorf("without a document: %v, %v", none, err)
	}
	if _, err := suspension.Encode(make([]suspension.Suspension, 1001)); !errors.Is(err, suspension.ErrTooMany) {
		t.Errorf("1001 of them: %v", err)
	}
}

// TestCutSaysSo: a reason that is too long ends so that whoever masks it knows the beginning of a credential, and stays as it is.
func TestCutSaysSo(t *testing.T) {
	list := []suspension.Suspension{of(t, "", at(9))}
	list[0].Reason = strings.Repeat("ä", 484) + " https://user:canary"
	want := strings.Repeat("ä", 484) + " https://user:c…"
	for range 2 {
		data, err := suspension.Encode(list)
		if err != nil {
			t.Fatal(err)
		}
		if list, err = suspension.Decode(data); err != nil || list[0].Reason != want {
			t.Errorf("the reason is %q, want %q, %v", list[0].Reason, want, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"version":1,"suspensions":[{"target":"","by":"alice","reason":"x","since":"2026-12-01T00:00:00Z","until":"2026-12-02T00:00:00Z"}]}`))
	f.Add([]byte(`{"version":1,"suspensions":[{"target":"module.edge[\"a\"].network.web"},{"target":"service.nova","by":"\u001b[31m"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := suspension.Decode(data)
		if err != nil {
			return
		}
		text, err := suspension.Encode(list)
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		again, err := suspension.Decode(text)
		if err != nil || names(again) != names(list) {
			t.Fatalf("%s became %s: %v", data, text, err)
		}
	})
}
