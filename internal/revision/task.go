package revision

import (
	"bytes"
	"encoding/gob"
	"fmt"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/confine"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// jobLoad reads and evaluates a configuration.
const jobLoad = "load"

// Jobs are what the commands can do in a process of its own with files in a language; see [confine.Child].
func Jobs(language *schema.Definition) map[string]confine.Job {
	return map[string]confine.Job{jobLoad: func(t confine.Task) []byte { return tryLoad(language, t) }}
}

// The phases of jobLoad after everything was read.
const (
	phaseSound  = "sound"  // and nothing is wrong with it so far
	phaseFaulty = "faulty" // and it has mistakes
)

// task is what jobLoad is told besides the tree.
type task struct {
	Path  string
	Given []config.Given  // the values of variables
	Only  map[string]bool // the configuration files that are read; nil for all
	// What encrypted files are opened with: they may be as hostile as all others.
	Identities string
	Sealed     bool
}

// argument is the task for the child. It goes through a pipe, so it is seen by nobody else, and has
// every byte of the values as it is.
func (t task) argument() (string, error) {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(t); err != nil {
		return "", fmt.Errorf("%w: %w", confine.ErrUnavailable, err)
	}
	return b.String(), nil
}

// tryLoad does what [Reader.Load] and [Loaded.Compose] are going to do, and keeps nothing of it.
func tryLoad(language *schema.Definition, t confine.Task) []byte {
	var what task
	if err := gob.NewDecoder(bytes.NewReader([]byte(t.Arguments[0]))).Decode(&what); err != nil {
		panic(err) // the parent is this same program
	}
	files := t.Files
	if what.Only != nil {
		files = only{FS: t.Files, names: what.Only}
	}
	cfg, diags := config.Load(language, files, what.Path, config.DefaultLimits())
	cfg.Tree = t.Files // functions may read what is no part of the configuration
	if cfg.Faulty {
		t.Phase(phaseFaulty)
	} else {
		t.Phase(phaseSound)
	}
	options := Options{Language: language, Given: what.Given, Keys: config.Keys{Identities: redact.NewSecret(what.Identities), Optional: what.Sealed}}
	if loaded, _ := evaluate("", t.Files, what.Path, cfg, options, diags); loaded != nil {
		_, _ = loaded.Compose(compose.Facts{OpenStackGiven: true}) // with mistakes, it was composed as far as it goes
	}
	return nil
}
