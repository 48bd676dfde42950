package revision_test

import (
	"os"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/confine"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
)

func TestMain(m *testing.M) {
	if code, is := confine.Child(os.Args, revision.Jobs()); is {
		os.Exit(code)
	}
	os.Exit(m.Run())
}
