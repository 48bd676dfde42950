package kube

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/record"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

const (
	// eventSource is who events say they are of.
	eventSource = "kupenstackd"
	// maxEvent is how long the message of an event may be, in bytes: the API server takes no more of newer ones.
	maxEvent = 1024
	// tellWithin is how long the API server may take for an event.
	tellWithin = 10 * time.Second
)

// Tell has an Event say what happened to an object that is there. It waits for nothing that is sent: the library keeps a
// thousand that are to be written, drops more, writes what is alike as one with a count, and of one object 25 at once
// and one in five minutes after that.
func (c *Cluster) Tell(ctx context.Context, told unit.Told) error {
	found, err := c.Get(ctx, told.Ref)
	if err != nil {
		return fmt.Errorf("tell of %s: %w", told.Ref, err)
	}
	if object := found[told.Ref]; object != nil { // else nobody could find it by that
		c.tell(told, object.GetUID())
	}
	return nil
}

func (c *Cluster) tell(told unit.Told, uid types.UID) {
	kind := corev1.EventTypeNormal
	if told.Warning {
		kind = corev1.EventTypeWarning
	}
	c.events.of(c).Event(&corev1.ObjectReference{
		APIVersion: told.Ref.APIVersion, Kind: told.Ref.Kind, Namespace: told.Ref.Namespace, Name: told.Ref.Name, UID: uid,
	}, kind, told.Reason, within(c.mask(told.Message), maxEvent))
}

// within cuts a text where it is too long, between two characters.
func within(text string, most int) string {
	const more = "…"
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most-len(more)], "") + more
}

// events writes events, from the first one on until the connection ends.
type events struct {
	once     sync.Once
	recorder record.EventRecorder
}

func (e *events) of(c *Cluster) record.EventRecorder {
	e.once.Do(func() {
		broadcaster := record.NewBroadcaster(record.WithContext(c.ctx))
		broadcaster.StartRecordingToSink(eventSink{c})
		e.recorder = broadcaster.NewRecorder(runtime.NewScheme(), corev1.EventSource{Component: eventSource})
	})
	return e.recorder
}

// eventSink writes through the guarded connection. What the guard is against is left out and not tried again: another
// process tells of what it sees itself.
type eventSink struct{ cluster *Cluster }

// Create implements [record.EventSink].
func (s eventSink) Create(event *corev1.Event) (*corev1.Event, error) {
	return s.write(event, func(ctx context.Context) (*corev1.Event, error) {
		return s.cluster.core.Events(event.Namespace).Create(ctx, event, metav1.CreateOptions{})
	})
}

// Update implements [record.EventSink].
func (s eventSink) Update(event *corev1.Event) (*corev1.Event, error) { return s.Create(event) }

// Patch implements [record.EventSink]: there is one more of the same.
func (s eventSink) Patch(event *corev1.Event, data []byte) (*corev1.Event, error) {
	return s.write(event, func(ctx context.Context) (*corev1.Event, error) {
		return s.cluster.core.Events(event.Namespace).Patch(ctx, event.Name, types.StrategicMergePatchType, data, metav1.PatchOptions{})
	})
}

func (s eventSink) write(event *corev1.Event, send func(context.Context) (*corev1.Event, error)) (*corev1.Event, error) {
	ctx, cancel := context.WithTimeout(s.cluster.ctx, tellWithin)
	defer cancel()
	written, err := send(ctx)
	if errors.Is(err, unit.ErrNotWriter) || s.cluster.ctx.Err() != nil {
		return event, nil
	}
	return written, err
}
