package daemon

import (
	"context"
	"errors"
	"testing"
)

// What is wrong with the installation is among what keeps the daemon from being ready, until it is not any
// more, and is reported at once. A standby does not know.
func TestTroubleWithTheInstallationIsReported(t *testing.T) {
	d := &Daemon{trouble: map[string]string{}}
	changed := make(chan struct{}, 1)
	d.tend(t.Context(), "installation", d.Keep, changed) // nobody looks
	if len(changed) > 0 {
		t.Error("reported without a look")
	}
	var tell func(error)
	d.Keep = func(_ context.Context, f func(error)) { tell = f }
	d.tend(t.Context(), "installation", d.Keep, changed)
	tell(nil)
	if len(changed) > 0 {
		t.Error("reported that nothing is wrong, before the world was looked at")
	}
	tell(errors.New("it is lost"))
	if len(changed) != 1 || d.trouble["installation"] != "it is lost" {
		t.Errorf("%d reports, %v", len(changed), d.trouble)
	}
	<-changed
	tell(nil)
	if len(d.trouble) > 0 || len(changed) != 1 {
		t.Errorf("afterwards: %v", d.trouble)
	}
	tell(errors.New("it is lost"))
	d.setStandby(true)
	if len(d.trouble) > 0 {
		t.Errorf("as a standby: %v", d.trouble)
	}
}
