package faultproxy

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
)

// Skew has the clocks of the target and of all who talk to it otherwise be ahead of the client's, or behind for a
// negative duration: every time in the text of an answer, and its Date, is later by that, and every time in what the client sends
// is earlier, so that others read of the client's times what its clock would say. Times are those that Kubernetes and
// OpenStack write, such as 2026-01-02T15:04:05.000000Z. What clients of Kubernetes send in protobuf goes on as JSON, and so
// do the answers come back: there, times are no text. What is compressed or is no text otherwise passes as it is.
func Skew(by time.Duration) Action {
	return Action{name: "skew", run: func(c call) {
		sent, err := io.ReadAll(c.r.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		r := c.r.Clone(c.r.Context())
		if r.Header.Get("Content-Type") == runtime.ContentTypeProtobuf && len(sent) > 0 {
			if sent, err = asJSON(sent); err != nil {
				http.Error(c.w, "the proxy cannot shift the times of this: "+err.Error(), http.StatusNotImplemented)
				return
			}
			r.Header.Set("Content-Type", runtime.ContentTypeJSON)
			r.ContentLength = int64(len(sent))
		}
		if accepted := r.Header.Get("Accept"); strings.Contains(accepted, runtime.ContentTypeProtobuf) {
			r.Header.Set("Accept", strings.ReplaceAll(accepted, runtime.ContentTypeProtobuf, runtime.ContentTypeJSON))
		}
		r.Body = io.NopCloser(bytes.NewReader(shift(sent, -by)))
		r.Header.Del("Accept-Encoding") // times in compressed answers could not be read
		w := &skewedWriter{ResponseWriter: c.w, by: by}
		defer w.rest()
		c.next.ServeHTTP(w, r)
	}}
}

// asJSON is an object that came in protobuf.
func asJSON(sent []byte) ([]byte, error) {
	object, _, err := scheme.Codecs.UniversalDeserializer().Decode(sent, nil, nil)
	if err != nil {
		return nil, err
	}
	return json.Marshal(object)
}

// stamp finds times. All of them are as long after they were shifted.
var stamp = regexp.MustCompile(`\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?`)

// shift makes all times in a text later.
func shift(text []byte, by time.Duration) []byte {
	return stamp.ReplaceAllFunc(text, func(found []byte) []byte {
		layout := "2006-01-02T15:04:05"
		if _, fraction, has := strings.Cut(string(found), "."); has {
			layout += "." + strings.Repeat("0", len(fraction))
		}
		at, err := time.Parse(layout, string(found))
		if err != nil || at.Year() < 2 { // no time, or the one that stands for none
			return found
		}
		return []byte(at.Add(by).Format(layout))
	})
}

// skewedWriter shifts the times of an answer. It keeps the end of a line back until all of that is there: an event of
// a watch is a line, and an answer that is none may be cut anywhere.
type skewedWriter struct {
	http.ResponseWriter
	by   time.Duration
	line []byte
}

// WriteHeader shifts the time of the answer itself.
func (w *skewedWriter) WriteHeader(status int) {
	if date, err := http.ParseTime(w.Header().Get("Date")); err == nil {
		w.Header().Set("Date", date.Add(w.by).UTC().Format(http.TimeFormat))
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *skewedWriter) Write(data []byte) (int, error) {
	w.line = append(w.line, data...)
	whole := bytes.LastIndexByte(w.line, '\n') + 1
	if whole == 0 {
		return len(data), nil
	}
	_, err := w.ResponseWriter.Write(shift(w.line[:whole], w.by))
	w.line = append([]byte(nil), w.line[whole:]...)
	if err != nil {
		return 0, err
	}
	return len(data), nil
}

// rest writes what is no whole line.
func (w *skewedWriter) rest() {
	if len(w.line) > 0 {
		_, _ = w.ResponseWriter.Write(shift(w.line, w.by)) // a client that went away does not want it
	}
}

// Unwrap lets http.ResponseController reach Flush and Hijack.
func (w *skewedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
