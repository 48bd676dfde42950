package redact

import (
	"errors"
	"io"
)

// Bounded returns a reader of the first limit bytes of r. Where r has more, or breaks off, an ellipsis comes after them, by
// which [Masker.Text] knows the beginning of a secret that was cut.
func Bounded(r io.Reader, limit int64) io.Reader { return &bounded{from: r, left: limit} }

type bounded struct {
	from io.Reader
	left int64
	rest string // what comes before the end
	end  error  // nil while more is read
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.end == nil {
		n, err := b.next(p)
		if b.left -= int64(n); err == nil {
			return n, nil
		}
		b.end = err
		if !errors.Is(err, io.EOF) {
			b.rest = ellipsis
		}
		if errors.Is(err, errMore) {
			b.end = io.EOF
		}
		if n > 0 {
			return n, nil
		}
	}
	if b.rest == "" {
		return 0, b.end
	}
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

// errMore says that there was more than what may be read.
var errMore = errors.New("there is more")

func (b *bounded) next(p []byte) (int, error) {
	if b.left > 0 {
		return b.from.Read(p[:min(int64(len(p)), b.left)])
	}
	n, err := b.from.Read(make([]byte, 1))
	if n > 0 {
		return 0, errMore
	}
	return 0, err
}
