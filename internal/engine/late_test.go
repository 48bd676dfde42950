package engine_test

import (
	"errors"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// settling is for how long a driver expects that a request may still be carried out which was given up.
const settling = 30 * time.Second

var errLate = errors.New("it may still come")

// comes has an object there some time after the request for it was given up.
func (w *world) comes(o *object, later time.Duration) {
	a := o.address.String()
	delete(w.late, a)
	w.until[a] = time.Now().Add(settling)
	time.AfterFunc(later, func() {
		w.mutex.Lock()
		defer w.mutex.Unlock()
		w.objects = append(w.objects, o)
		w.trace = append(w.trace, "create "+a)
	})
}

// mayCome tells whether a target may still come of a request that was given up.
func (w *world) mayCome(t unit.Target) bool {
	return t.Attempted && t.ID == "" && time.Now().Before(w.until[t.Address.String()])
}
