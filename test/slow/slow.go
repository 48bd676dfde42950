package slow

import (
	"os"
	"testing"
)

// Variable names the environment variable with the directory of the running test beds. A run that has
// them has time, too.
const Variable = "KUPENSTACK_TESTBED"

// Test skips a test outside of such a run.
func Test(t testing.TB) {
	t.Helper()
	if os.Getenv(Variable) == "" {
		t.Skip("it takes seconds: run `make test`")
	}
}
