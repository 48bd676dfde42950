package slow

import (
	"os"
	"testing"
)

// Variable names the environment variable of a run that has time: one with test beds. It is none of theirs, as its value is the
// same in each run: so go knows that a test that it has run before would end as it did.
const Variable = "KUPENSTACK_TEST_SLOW"

// BedVariable names the environment variable with the directory of the running test beds, another one in each run.
const BedVariable = "KUPENSTACK_TESTBED"

// Test skips a test outside of such a run.
func Test(t testing.TB) {
	t.Helper()
	if os.Getenv(Variable) == "" {
		t.Skip("it takes seconds: run `make test`")
	}
}
