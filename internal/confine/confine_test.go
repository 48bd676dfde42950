package confine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/confine"
)

func TestMain(m *testing.M) {
	if code, is := confine.Child(os.Args, jobs()); is {
		os.Exit(code)
	}
	os.Exit(m.Run())
}

// jobs are what a child of this test can do.
func jobs() map[string]confine.Job {
	return map[string]confine.Job{
		"list": func(t confine.Task) []byte {
			var found []string
			err := fs.WalkDir(t.Files, ".", func(name string, entry fs.DirEntry, err error) error {
				if err == nil && entry.Type().IsRegular() {
					text, err := fs.ReadFile(t.Files, name)
					found = append(found, name+"="+string(text))
					return err
				}
				return err
			})
			if err != nil {
				found = append(found, err.Error())
			}
			return []byte(strings.Join(append(found, t.Arguments...), " "))
		},
		"conform": func(t confine.Task) []byte {
			if err := fstest.TestFS(t.Files, t.Arguments...); err != nil {
				return []byte(err.Error())
			}
			return nil
		},
		"missing": func(t confine.Task) []byte {
			_, err := t.Files.Open("nothing")
			_, invalid := t.Files.Open("../above")
			if errors.Is(err, fs.ErrNotExist) && errors.Is(invalid, fs.ErrInvalid) {
				return []byte("as it should be")
			}
			return []byte(errors.Join(err, invalid).Error())
		},
		// What it starts goes on for some seconds with its standard error.
		"linger": func(t confine.Task) []byte {
			left, err := os.StartProcess(t.Arguments[0], []string{"sleep", t.Arguments[1]}, &os.ProcAttr{Files: []*os.File{nil, nil, os.Stderr}})
			if err != nil {
				return []byte(err.Error())
			}
			return strconv.AppendInt(nil, int64(left.Pid), 10)
		},
		"environment": func(confine.Task) []byte { return []byte(strings.Join(os.Environ(), " ")) },
		"descriptors": func(confine.Task) []byte {
			var left []string
			for fd := 3; fd < 256; fd++ {
				if link, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd)); err == nil && !strings.HasPrefix(link, "anon_inode:") {
					left = append(left, link)
				}
			}
			return []byte(strings.Join(left, " "))
		},
		"write": func(t confine.Task) []byte {
			if err := os.WriteFile(t.Arguments[0], []byte("written"), 0o600); err != nil {
				return []byte("refused")
			}
			return []byte("written")
		},
		"grow": func(t confine.Task) []byte {
			t.Phase("growing")
			var all [][]byte
			for {
				all = append(all, bytes.Repeat([]byte{1}, 1<<16))
				runtime.KeepAlive(all)
			}
		},
		"litter": func(t confine.Task) []byte {
			pieces, _ := strconv.Atoi(t.Arguments[0])
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for range pieces {
				bytes.Repeat([]byte{1}, 1<<20)
			}
			t.Phase("next")
			runtime.ReadMemStats(&after)
			return strconv.AppendUint(nil, uint64(after.NumGC-before.NumGC), 10)
		},
		"spin":    func(confine.Task) []byte { return spin() },
		"descend": func(confine.Task) []byte { return fmt.Append(nil, descend(1)) },
		"panic":   func(confine.Task) []byte { panic("a secret") },
		"exit":    func(confine.Task) []byte { os.Exit(0); return nil },
	}
}

func spin() []byte {
	for n := 0; ; n++ {
		if n == -1 {
			return nil
		}
	}
}

func descend(n int) int {
	if n < 0 {
		return 0
	}
	return descend(n+1) + n
}

// TestTidiesBetweenPhases leaves garbage behind in the first of two phases.
func TestTidiesBetweenPhases(t *testing.T) {
	r := runner()
	r.Limits.CPU = time.Minute // pages are dear on a machine that has other work
	for pieces, want := range map[string]string{"10": "0", "120": "1"} {
		outcome, err := r.Run(t.Context(), "litter", tree(), pieces)
		if err != nil || outcome.Excess != confine.None || string(outcome.Answer) != want {
			t.Errorf("after %s MiB of garbage it was collected %s times, want %s; %v %v", pieces, outcome.Answer, want, outcome.Excess, err)
		}
	}
}

func tree() fs.FS {
	return fstest.MapFS{"a.hcl": {Data: []byte("one")}, "sub/b.hcl": {Data: []byte("two")}}
}

func runner() *confine.Runner { return &confine.Runner{Limits: confine.DefaultLimits()} }

func TestJobs(t *testing.T) {
	for _, c := range []struct{ job, argument, want string }{
		{"list", "last", "a.hcl=one sub/b.hcl=two last"},
		{"conform", "a.hcl", ""},
		{"missing", "", "as it should be"},
	} {
		t.Run(c.job, func(t *testing.T) {
			arguments := []string{c.argument}
			if c.job == "conform" {
				arguments = append(arguments, "sub/b.hcl")
			}
			outcome, err := runner().Run(t.Context(), c.job, tree(), arguments...)
			if err != nil {
				t.Fatal(err)
			}
			if outcome.Excess != confine.None || string(outcome.Answer) != c.want {
				t.Errorf("got %v, %q, want %q", outcome.Excess, outcome.Answer, c.want)
			}
			if d := outcome.Diagnostic(confine.DefaultLimits(), "work", ""); d != nil {
				t.Errorf("a diagnostic: %v", d)
			}
		})
	}
}

// TestExcess lets a child die in every way, while this process lives on.
func TestExcess(t *testing.T) {
	limits := confine.Limits{Memory: 128 << 20, CPU: time.Minute, Wall: 5 * time.Minute} // pages are dear on a machine that has other work
	for job, want := range map[string]confine.Excess{
		"grow": confine.Memory, "spin": confine.Time, "descend": confine.Stack,
		"panic": confine.Crash, "exit": confine.Crash,
	} {
		t.Run(job, func(t *testing.T) {
			r := &confine.Runner{Limits: limits}
			if job == "spin" {
				r.Limits.CPU = 100 * time.Millisecond
			}
			outcome, err := r.Run(t.Context(), job, tree())
			if err != nil {
				t.Fatal(err)
			}
			if outcome.Excess != want || outcome.Answer != nil {
				t.Errorf("got %v, want %v", outcome.Excess, want)
			}
			d := outcome.Diagnostic(limits, "reading the files", "a.hcl")
			if d == nil || d.Code == "" || d.Hint == "" || d.Subject == nil || strings.Contains(d.Detail, "secret") {
				t.Errorf("the diagnostic is %v", d)
			}
			if job == "grow" && outcome.Phase != "growing" {
				t.Errorf("the phase is %q", outcome.Phase)
			}
		})
	}
}

// TestAnswerCountsWhateverFollows: once a child has given its answer and ended, it does not matter when its
// standard error ends. On a machine that is busy elsewhere that may take longer than anybody waits.
func TestAnswerCountsWhateverFollows(t *testing.T) {
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Skip("there is no program that only waits: ", err)
	}
	outcome, err := runner().Run(t.Context(), "linger", tree(), sleep, "60")
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(string(outcome.Answer))
	if err != nil || outcome.Excess != confine.None {
		t.Fatalf("got %v, %q", outcome.Excess, outcome.Answer)
	}
	left, err := os.FindProcess(pid)
	if err == nil {
		err = left.Kill()
	}
	if err != nil {
		t.Errorf("nobody held the standard error: %v", err)
	}
}

func TestChildHasNoEnvironment(t *testing.T) {
	t.Setenv("OS_PASSWORD", "hidden")
	outcome, err := runner().Run(t.Context(), "environment", tree())
	if err != nil {
		t.Fatal(err)
	}
	if got := string(outcome.Answer); got != "GOTRACEBACK=none" {
		t.Errorf("the child has %q", got)
	}
}

func TestUnavailable(t *testing.T) {
	for name, r := range map[string]*confine.Runner{
		"no program":    {Limits: confine.DefaultLimits(), Program: "/does/not/exist"},
		"not a partner": {Limits: confine.DefaultLimits(), Program: "/bin/false"},
		"no time":       {Limits: confine.Limits{Memory: 128 << 20, CPU: time.Hour, Wall: time.Millisecond}},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := r.Run(t.Context(), "spin", tree()); !errors.Is(err, confine.ErrUnavailable) {
				t.Errorf("got %v", err)
			}
		})
	}
	if _, err := runner().Run(t.Context(), "unheard of", tree()); !errors.Is(err, confine.ErrUnavailable) {
		t.Errorf("an unknown job: %v", err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := runner().Run(cancelled, "list", tree()); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestReadIsRecorded(t *testing.T) {
	outcome, err := runner().Run(t.Context(), "list", tree())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(outcome.Read, []string{"a.hcl", "sub/b.hcl"}) || outcome.File != "sub/b.hcl" {
		t.Errorf("read %q, the last of them %q", outcome.Read, outcome.File)
	}
}
