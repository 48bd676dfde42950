package revision_test

import (
	"os"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/confine"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/schema"
)

func TestMain(m *testing.M) {
	if code, is := confine.Child(os.Args, revision.Jobs(schema.New())); is {
		os.Exit(code)
	}
	os.Exit(m.Run())
}
