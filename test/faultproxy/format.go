package faultproxy

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

// format is how a watch is written on the wire.
type format interface {
	// reader returns a function that reads one event after another, framing included.
	reader(stream io.Reader) func() ([]byte, error)
	// expired returns the ERROR event, framing included, by which an API server says that
	// the resource version is too old.
	expired() ([]byte, error)
}

func watchFormat(contentType string) format {
	media, _, _ := mime.ParseMediaType(contentType)
	switch media {
	case runtime.ContentTypeJSON:
		return jsonFormat{}
	case runtime.ContentTypeProtobuf:
		return protobufFormat{}
	}
	return opaqueFormat{contentType}
}

func expiredStatus() *metav1.Status {
	return failure(http.StatusGone, metav1.StatusReasonExpired, "too old resource version: the watch was expired by the test")
}

// jsonFormat is one JSON document a line.
type jsonFormat struct{}

func (jsonFormat) reader(stream io.Reader) func() ([]byte, error) {
	buffered := bufio.NewReader(stream)
	return func() ([]byte, error) { return buffered.ReadBytes('\n') }
}

func (jsonFormat) expired() ([]byte, error) {
	event := metav1.WatchEvent{Type: string(watch.Error), Object: runtime.RawExtension{Raw: mustJSON(expiredStatus())}}
	return append(mustJSON(event), '\n'), nil
}

// protobufFormat is a length of four bytes, big-endian, before each event. client-go asks for
// it for Kubernetes' own types.
type protobufFormat struct{}

func (protobufFormat) reader(stream io.Reader) func() ([]byte, error) {
	buffered := bufio.NewReader(stream)
	return func() ([]byte, error) {
		frame := make([]byte, 4)
		if n, err := io.ReadFull(buffered, frame); err != nil {
			return frame[:n], err
		}
		size := binary.BigEndian.Uint32(frame)
		if size > 64<<20 { // no object of Kubernetes comes near; refuse to trust a garbled length
			return nil, fmt.Errorf("a watch event of %d bytes", size)
		}
		frame = append(frame, make([]byte, size)...)
		n, err := io.ReadFull(buffered, frame[4:])
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF // within an event it is no clean end
		}
		return frame[:4+n], err
	}
}

func (protobufFormat) expired() ([]byte, error) {
	status, err := expiredStatus().Marshal()
	if err != nil {
		return nil, err
	}
	object := runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: "v1", Kind: "Status"}, Raw: status}
	envelope, err := object.Marshal()
	if err != nil {
		return nil, err
	}
	event := metav1.WatchEvent{
		Type:   string(watch.Error),
		Object: runtime.RawExtension{Raw: append([]byte("k8s\x00"), envelope...)}, // the prefix marks Kubernetes' protobuf
	}
	frame, err := event.Marshal()
	if err != nil {
		return nil, err
	}
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(frame))), frame...), nil
}

// opaqueFormat can be ended but not expired, and its events are not told apart: each piece
// that arrives counts as one.
type opaqueFormat struct{ contentType string }

func (opaqueFormat) reader(stream io.Reader) func() ([]byte, error) {
	return func() ([]byte, error) {
		piece := make([]byte, 32<<10)
		n, err := stream.Read(piece)
		return piece[:n], err
	}
}

func (f opaqueFormat) expired() ([]byte, error) {
	return nil, fmt.Errorf("no way to write an event as %q", f.contentType)
}
