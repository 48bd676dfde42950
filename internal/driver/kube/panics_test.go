package kube

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
)

// whichPanics says what panics in this process, in a test that started it.
const whichPanics = "KUBE_TEST_PANIC"

// A panic in a goroutine of the libraries, or in what they call in one, ends the process and tells no value.
func TestPanicsInLibraries(t *testing.T) {
	const canary = "canary-of-a-panic"
	places := map[string]func(){
		"theirs": func() {
			go func() {
				defer runtime.HandleCrash()
				panic(errors.New(canary))
			}()
			select {}
		},
		"a loop of theirs": func() {
			wait.Until(func() { panic(canary) }, time.Second, nil)
		},
	}
	if which := os.Getenv(whichPanics); which != "" {
		LogLibraries(logr.Discard())
		places[which]()
		return
	}
	for which := range places {
		t.Run(which, func(t *testing.T) {
			command := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestPanicsInLibraries$")
			command.Env = append(os.Environ(), whichPanics+"="+which)
			output, err := command.CombinedOutput()
			if err == nil || !strings.Contains(string(output), "a mistake of this program, a panic with a ") || !strings.Contains(string(output), "panics_test.go:") {
				t.Errorf("it ended with %v:\n%s", err, output)
			}
			if strings.Contains(string(output), canary) {
				t.Errorf("it tells the value:\n%s", output)
			}
		})
	}
}
