package faultproxy

import "net/http"

// recordingWriter notes the status that the client is sent.
type recordingWriter struct {
	http.ResponseWriter
	x *exchange
}

func (w *recordingWriter) WriteHeader(status int) {
	if status >= 200 || status == http.StatusSwitchingProtocols { // other 1xx are not the answer yet
		w.x.proxy.update(w.x, func(record *Request) { record.Status = status })
	}
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController reach Flush and Hijack.
func (w *recordingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// truncatingWriter breaks the connection when the body exceeds what is left.
type truncatingWriter struct {
	http.ResponseWriter
	left int64
}

func (w *truncatingWriter) Write(data []byte) (int, error) {
	if int64(len(data)) <= w.left {
		n, err := w.ResponseWriter.Write(data)
		w.left -= int64(n)
		return n, err
	}
	_, _ = w.ResponseWriter.Write(data[:w.left])
	_ = http.NewResponseController(w.ResponseWriter).Flush() // the client is to see what comes before the break
	panic(http.ErrAbortHandler)
}

func (w *truncatingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// unseenWriter swallows an answer.
type unseenWriter struct {
	header   http.Header
	answered func() // called at the header of the answer; may be nil
}

func (w *unseenWriter) Header() http.Header { return w.header }

func (w *unseenWriter) WriteHeader(status int) {
	if status >= 200 && w.answered != nil {
		w.answered()
	}
}

func (w *unseenWriter) Write(data []byte) (int, error) { return len(data), nil }
