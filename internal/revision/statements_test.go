package revision_test

import (
	"testing"
	"testing/fstest"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/schema"
)

func TestLoadHandsOnWhatBecameOfThings(t *testing.T) {
	loaded, found := revision.Load("abc", fstest.MapFS{"main.hcl": {Data: []byte(one + `
project "kept" {}
project "taken" {}
moved {
  from = project.old
  to   = project.kept
}
import {
  to = project.taken
  id = "an-id"
}
removed {
  from = service.heat
}
`)}}, ".", revision.Options{Language: schema.New()})
	if loaded == nil {
		t.Fatal(found.Text(false))
	}
	got, diags := loaded.Compose(compose.Facts{})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	heat := addr.MustParseObject("service.heat")
	if len(got.Moves) != 1 || got.Imports[addr.MustParseObject("project.taken")].ID != "an-id" || !got.Removals.Names(heat) || got.Removals.Forgets(heat) {
		t.Errorf("moves %v, imports %v, removals %v", got.Moves, got.Imports, got.Removals)
	}
}
