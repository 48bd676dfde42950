package request_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/request"
)

func TestDocument(t *testing.T) {
	list := []request.Request{
		{ID: "a", Targets: []addr.Address{addr.Module{}}, By: "alice", At: time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC)},
		{ID: "b", Targets: []addr.Address{addr.MustParseObject("service.nova"), addr.MustParseObject(`instance.web["a"]`)}, At: time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)},
	}
	data, err := request.Encode(list)
	if err != nil {
		t.Fatal(err)
	}
	got, err := request.Decode(data)
	if err != nil || fmt.Sprint(got) != fmt.Sprint(list) {
		t.Errorf("got %v, %v\n%s", got, err, data)
	}
	if left := request.Without(got, "a", "c"); len(left) != 1 || left[0].ID != "b" {
		t.Errorf("left: %v", left)
	}
	for text, want := range map[string]string{
		``: "cannot be read", `{"version":2}`: "the version 2", `{"version":1,"requests":[{"targets":["nova"]}]}`: "nova",
	} {
		if _, err := request.Decode([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
	if none, err := request.Decode(nil); err != nil || none != nil {
		t.Errorf("without a document: %v, %v", none, err)
	}
}

// Where nobody takes requests, whoever makes another one is told.
func TestBounds(t *testing.T) {
	var list []request.Request
	for i := range 50 {
		list = request.With(list, request.Request{ID: fmt.Sprint(i)})
	}
	if _, err := request.Encode(list); err != nil {
		t.Error(err)
	}
	if _, err := request.Encode(request.With(list, request.Request{})); !errors.Is(err, request.ErrTooMany) {
		t.Errorf("51 requests: %v", err)
	}
	if _, err := request.Encode([]request.Request{{Targets: slices.Repeat([]addr.Address{addr.Module{}}, 101)}}); err == nil {
		t.Error("101 targets were taken")
	}
}

// What was taken is kept until it was looked at, but neither for ever nor in the way of others.
func TestTaken(t *testing.T) {
	now := time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC)
	var list []request.Request
	for i := range 50 {
		list = request.With(list, request.Request{ID: fmt.Sprint(i), At: now})
	}
	list = request.Taken(list, "7", "9", "withdrawn")
	data, err := request.Encode(list)
	if err != nil {
		t.Fatal(err)
	}
	if list, err = request.Decode(data); err != nil || !list[7].Taken || !list[7].Open() || list[8].Taken {
		t.Fatalf("got %+v, %v", list, err)
	}
	ids := func(list []request.Request) (all []string) {
		for _, r := range list {
			all = append(all, r.ID)
		}
		return all
	}
	more := request.With(list, request.Request{ID: "new", At: now})
	if got := ids(more); len(got) != 50 || slices.Contains(got, "7") || !slices.Contains(got, "9") || got[49] != "new" {
		t.Errorf("with one more there are %v", got)
	}
	for _, later := range [][]request.Request{
		request.Answered(more, "new", request.Outcome{}, now.Add(3*time.Hour)), request.With(more[:49], request.Request{ID: "b", At: now.Add(3 * time.Hour)}),
	} {
		if got := ids(later); slices.Contains(got, "9") || !slices.Contains(got, "8") {
			t.Errorf("hours later there are %v", got)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"version":1,"requests":[{"id":"a","targets":["","module.edge"],"by":"alice","at":"2026-12-01T00:00:00Z"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := request.Decode(data)
		if err != nil {
			return
		}
		text, err := request.Encode(list)
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		if again, err := request.Decode(text); err != nil || len(again) != len(list) {
			t.Fatalf("%s became %s: %v", data, text, err)
		}
	})
}

// What is awaited is kept with its outcome until it is withdrawn, and not for ever.
func TestAnswered(t *testing.T) {
	now := time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC)
	outcome := request.Outcome{Commit: "c0ffee", Path: ".", Verdict: "converged", Units: "3 ready"}
	list := []request.Request{{ID: "a", At: now, Awaited: true}, {ID: "b", At: now.Add(-time.Minute)}}
	list = request.Answered(list, "a", outcome, now)
	data, err := request.Encode(list)
	if err != nil {
		t.Fatal(err)
	}
	got, err := request.Decode(data)
	if err != nil || len(got) != 2 || got[0].Open() || *got[0].Outcome != outcome || !got[1].Open() {
		t.Errorf("got %+v, %v\n%s", got, err, data)
	}
	if unknown := request.Answered(got, "withdrawn", outcome, now); len(unknown) != 2 {
		t.Errorf("with another answer there are %v", unknown)
	}
	if later := request.Answered(got, "b", outcome, now.Add(3*time.Hour)); len(later) != 1 || later[0].ID != "b" || later[0].Open() {
		t.Errorf("hours later there are %+v", later)
	}
	// Neither does a list fill with what nobody reads.
	if later := request.With(got, request.Request{ID: "c", At: now.Add(3 * time.Hour)}); len(later) != 2 || later[0].ID != "b" || later[1].ID != "c" {
		t.Errorf("with one more hours later there are %+v", later)
	}
	// A program of before takes it as any other request, and what it wrote is read.
	old, err := request.Decode([]byte(`{"version":1,"requests":[{"id":"a","targets":[""],"at":"2026-12-01T08:00:00Z"}]}`))
	if err != nil || len(old) != 1 || old[0].Awaited || !old[0].Open() {
		t.Errorf("of before: %+v, %v", old, err)
	}
}
