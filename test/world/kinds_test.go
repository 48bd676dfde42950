package world

import (
	"regexp"
	"testing"

	"github.com/kupenstack/kupenstack-sync/schema"
)

// TestDaemonsAreKilledAtAllKinds wants each kind of OpenStack in one of the clouds that daemons are killed in.
func TestDaemonsAreKilledAtAllKinds(t *testing.T) {
	language := schema.New()
	for _, kind := range language.Kinds(schema.ClassResource) {
		if language.Resource(kind).Cluster {
			continue // it is no object of OpenStack
		}
		if !regexp.MustCompile(`(?m)^` + kind + ` "`).MatchString(small + others) {
			t.Errorf("no daemon is killed in a cloud with a %s", kind)
		}
	}
}
