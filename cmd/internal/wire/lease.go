package wire

import (
	"time"

	"github.com/rs/zerolog"

	"github.com/kupenstack/kupenstack-sync/internal/driver/kube"
)

// Lease is what a process of a program has to hold before it changes anything. It needs [kube.Lease.Access] before it is
// asked for.
func (f *Flags) Lease(program string, log zerolog.Logger) *kube.Lease {
	lease := kube.NewLease(f.Namespace, kube.Identity(program), log)
	lease.Duration = f.LeaseDuration
	return lease
}

// leaseFlag is the flag of how long a lease is for.
type leaseFlag struct{ duration *time.Duration }

func (l leaseFlag) String() string {
	if l.duration == nil { // pflag asks a zero value what no default looks like
		return ""
	}
	return l.duration.String()
}

func (l leaseFlag) Set(text string) error {
	d, err := time.ParseDuration(text)
	if err == nil {
		err = kube.CheckLeaseDuration(d)
	}
	if err == nil {
		*l.duration = d
	}
	return err
}

func (leaseFlag) Type() string { return "duration" }
