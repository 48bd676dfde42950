package contain_test

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/contain"
)

const canary = "canary-of-a-secret"

// whole takes what a panic tells, its stack included.
func whole(p *contain.Panic) string { return p.Error() + p.What + p.Where + p.Stack }

func TestDo(t *testing.T) {
	var none []int
	var unnamed any = canary
	for _, test := range []struct {
		name, want string
		work       func() error
	}{
		{"a text", "a panic with a string", func() error { panic(canary) }},
		{"an error", "a panic with a *errors.errorString", func() error { panic(errors.New(canary)) }},
		{"an index", "index out of range [0] with length 0", func() error { none[0]++; return nil }},
		{"a type", "interface conversion: interface {} is string, not int", func() error { _ = unnamed.(int); return nil }},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := contain.Do(test.work)
			var p *contain.Panic
			if !errors.As(err, &p) || !strings.Contains(p.What, test.want) || !strings.Contains(err.Error(), "contain_test.go:") {
				t.Fatalf("%v, want %q and where", err, test.want)
			}
			if strings.Contains(whole(p), canary) {
				t.Errorf("it tells the value:\n%s", whole(p))
			}
		})
	}
	failure := errors.New("away")
	if err := contain.Do(func() error { return failure }); !errors.Is(err, failure) {
		t.Errorf("an error becomes %v", err)
	}
	if err := contain.Do(func() error { return nil }); err != nil {
		t.Errorf("nothing becomes %v", err)
	}
}

// A panic in one goroutine is one of who waits, once all others are done, also through a group in a group.
func TestGroup(t *testing.T) {
	done := 0
	err := contain.Do(func() error {
		var outer contain.Group
		outer.Go(func() {
			inner := contain.AtOnce(1)
			inner.Go(func() { panic(canary) })
			for range 3 { // there is room after a panic
				inner.Go(func() { done++ })
			}
			inner.Wait()
		})
		outer.Wait()
		return nil
	})
	var p *contain.Panic
	if !errors.As(err, &p) || strings.Contains(whole(p), canary) || !strings.Contains(p.Stack, "TestGroup") {
		t.Errorf("got %v", err)
	}
	if done != 3 {
		t.Errorf("%d of 3 others are done", done)
	}
}

// asked says which panic this process ends with, in a test that started it.
const asked = "CONTAIN_TEST_PANIC"

// What ends the process tells no value on its standard error.
func TestBackground(t *testing.T) {
	work := map[string]func(func()){
		"goroutine": func(work func()) {
			var b contain.Background
			b.Go(work)
			b.Wait()
			select {} // nobody else ends it
		},
		"statement": func(work func()) {
			contain.Go(work)
			select {}
		},
		"timer": func(work func()) {
			time.AfterFunc(0, contain.Callback(work))
			select {}
		},
		"recovered": func(work func()) { // by who may not go on
			defer func() { contain.Of(recover()).End() }()
			work()
		},
		"group": func(work func()) {
			contain.Go(func() {
				var g contain.Group
				g.Go(work)
				g.Wait()
			})
			select {}
		},
		"callback": contain.Unsaid,
	}
	if of := os.Getenv(asked); of != "" {
		work[of](func() { panic(canary) })
		return
	}
	for name := range work {
		t.Run(name, func(t *testing.T) {
			command := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestBackground$")
			command.Env = append(os.Environ(), asked+"="+name)
			output, err := command.CombinedOutput()
			if err == nil || !strings.Contains(string(output), "a mistake of this program, a panic with a string in contain_test.TestBackground") {
				t.Errorf("it ended with %v:\n%s", err, output)
			}
			if strings.Contains(string(output), canary) {
				t.Errorf("it tells the value:\n%s", output)
			}
			if name != "callback" && !strings.Contains(string(output), "TestBackground") { // in the stack of who panicked
				t.Errorf("it tells no stack:\n%s", output)
			}
		})
	}
}
