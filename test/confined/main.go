package main

import (
	"os"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/confine"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/report"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/schema"
)

func main() {
	jobs := revision.Jobs(schema.New())
	jobs["findings"] = func(t confine.Task) []byte {
		_, _, text := read(t)
		return text
	}
	jobs["report"] = func(t confine.Task) []byte {
		loaded, wanted, text := read(t)
		if wanted == nil {
			return text
		}
		in := report.Input{Model: loaded.Model, Now: time.Unix(0, 0)}
		for i := range wanted.Units {
			u := &wanted.Units[i]
			in.Snapshot.Units = append(in.Snapshot.Units, engine.UnitStatus{
				Address: u.Address, Class: u.Class, Kind: u.Spec.Locator().Kind, Phase: engine.PhaseReady, Edges: u.Edges,
			})
		}
		files, _ := report.Render(in)
		size := 0
		for _, content := range files {
			size += len(content)
		}
		if size > 64<<20 {
			return []byte("the report is too large")
		}
		return text
	}
	code, is := confine.Child(os.Args, jobs)
	if !is {
		code = 64 // EX_USAGE
	}
	os.Exit(code)
}

// read reads and composes a configuration, and says "valid" or what is wrong with it.
func read(t confine.Task) (*revision.Loaded, *engine.Revision, []byte) {
	loaded, found := revision.Load("", t.Files, t.Arguments[0], revision.Options{Language: schema.New()})
	if loaded == nil {
		return nil, nil, []byte(found.Text(false))
	}
	wanted, more := loaded.Compose(compose.Facts{OpenStackGiven: true, Unlocked: true})
	found.Diagnostics.Append(more...)
	text := found.Text(false)
	if wanted != nil {
		text += "valid"
	}
	return loaded, wanted, []byte(text)
}
