package kube

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiwatch "k8s.io/apimachinery/pkg/watch"

	"github.com/kupenstack/kupenstack-sync/internal/contain"
)

const (
	// silence is how long nothing comes through a stream whose server sends bookmarks, one in a minute or two, until it is taken
	// for dead. A connection that is dead itself is noticed sooner, by the health check of HTTP/2: this is for one that
	// somebody in between keeps up, and for servers that speak HTTP/1.1.
	silence = 3 * time.Minute
	// streamGrace is how much longer than it was asked for a stream may last.
	streamGrace = 30 * time.Second
)

// attended is a stream that ends when its server seems to be gone. Whoever reads it asks for another one then.
type attended struct {
	apiwatch.Interface
	events  chan apiwatch.Event
	ended   chan struct{}
	stop    func() // once
	reading contain.Background
}

// attend has a stream that was asked for so many seconds, nil for any time, end when nothing comes through it any more.
func attend(stream apiwatch.Interface, seconds *int64) apiwatch.Interface {
	a := &attended{Interface: stream, events: make(chan apiwatch.Event), ended: make(chan struct{})}
	a.stop = sync.OnceFunc(func() { close(a.ended) })
	last := streamLife
	if seconds != nil {
		last = time.Duration(*seconds)*time.Second + streamGrace
	}
	a.reading.Go(func() { a.run(last) })
	return a
}

func (a *attended) run(last time.Duration) {
	defer close(a.events)
	defer a.Interface.Stop()
	over := time.NewTimer(last)
	defer over.Stop()
	quiet := time.NewTimer(silence)
	defer quiet.Stop()
	quiet.Stop() // not every server sends bookmarks
	from := a.Interface.ResultChan()
	for heard := false; ; {
		select {
		case event, open := <-from:
			if !open {
				return
			}
			if heard = heard || isHeartbeat(event); heard {
				quiet.Reset(silence)
			}
			select {
			case a.events <- event:
			case <-a.ended:
				return
			}
		case <-a.ended:
			return
		case <-quiet.C:
			return
		case <-over.C:
			return
		}
	}
}

// isHeartbeat tells whether an event is one of those that come again and again. The one after a first list does not.
func isHeartbeat(event apiwatch.Event) bool {
	if event.Type != apiwatch.Bookmark {
		return false
	}
	object, err := meta.Accessor(event.Object)
	return err == nil && object.GetAnnotations()[metav1.InitialEventsAnnotationKey] != "true"
}

// ResultChan returns the events.
func (a *attended) ResultChan() <-chan apiwatch.Event { return a.events }

// Stop ends the stream.
func (a *attended) Stop() { a.stop() }
