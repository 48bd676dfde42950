package openstack

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/contain"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

const panicCanary = "canary-in-a-goroutine"

// panickingKind panics in requests of its own.
type panickingKind struct{ kind }

func (panickingKind) list(context.Context, *session) ([]*object, error) { panic(panicCanary) }

// A panic in a list is one of who wanted it, where it can be contained, and tells no value.
func TestPanicInAListIsOneOfTheCall(t *testing.T) {
	d := &Driver{kinds: map[string]kind{"network": panickingKind{}}}
	err := contain.Do(func() error {
		d.lists(t.Context(), nil, []string{"network"}, nil)
		return nil
	})
	var p *contain.Panic
	if !errors.As(err, &p) || !strings.Contains(p.Where, "contained_test.go:") || strings.Contains(p.Error()+p.Stack, panicCanary) {
		t.Errorf("got %v", err)
	}
}

// panickingSource is where an image comes from.
type panickingSource struct{}

func (panickingSource) RoundTrip(*http.Request) (*http.Response, error) { panic(panicCanary) }

// An upload that panics has failed, like one that could not be read.
func TestPanicInAnUploadIsItsError(t *testing.T) {
	sources, err := ParseSources([]string{"https://images.example.org/"})
	if err != nil {
		t.Fatal(err)
	}
	told := make(chan struct{})
	u := newUploads(&http.Client{Transport: panickingSource{}}, nil, sources, func(...addr.Object) { close(told) })
	defer u.close()
	job := upload{image: "i1", source: "https://images.example.org/debian"}
	if err := u.begin(&session{}, job); err != nil {
		t.Fatal(err)
	}
	select {
	case <-told:
	case <-time.After(time.Minute):
		t.Fatal("nothing was told of it")
	}
	err = u.begin(&session{}, job)
	var p *contain.Panic
	if !errors.As(err, &p) || strings.Contains(err.Error(), panicCanary) || unit.IsBlocked(err) {
		t.Errorf("got %v", err)
	}
	if u.running(job.image) {
		t.Error("it goes on")
	}
}
