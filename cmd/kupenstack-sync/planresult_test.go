package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestIncompletePlan: what is unknown though everything answered, such as a release whose chart cannot be had, ends the
// command with words as well.
func TestIncompletePlan(t *testing.T) {
	for want, unseen := range map[string]error{
		"kupenstack-sync: not everything could be observed: no answer\n":                                  errors.New("no answer"),
		"kupenstack-sync: not everything could be observed: the plan says why of what it calls unknown\n": nil,
	} {
		made := &plan.Plan{Changes: []plan.Change{{Address: addr.MustParseObject("service.glance"), Action: unit.ActionUnknown, Reason: "no chart"}}}
		read, write, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		stderr := os.Stderr
		os.Stderr = write
		result := (&planning{options: newOptions(nil)}).result(made, unseen)
		os.Stderr = stderr
		_ = write.Close()
		said, err := io.ReadAll(read)
		if err != nil {
			t.Fatal(err)
		}
		var code exit
		if !errors.As(result, &code) || code != exitFailed || !bytes.Equal(said, []byte(want)) {
			t.Errorf("ends with %v and %q, want %q", result, said, want)
		}
	}
}
