package openstack

import (
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"
	"sync"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

const verifyChunk = 256 << 10

// verified passes bytes on and keeps the last ones back until the digest of all is known to be
// right. So whoever gets them never has a complete but wrong image.
type verified struct {
	from     io.Reader
	hash     hash.Hash // nil when nothing is to be verified
	want     string
	progress func()
	left     int64

	ready [][]byte // to be passed on
	held  []byte   // the last that came

	mu  sync.Mutex
	err error // what ended it
}

func newVerified(from io.Reader, checksum string, progress func()) (*verified, error) {
	v := &verified{from: from, progress: progress, left: largestImage}
	algorithm, digest, _ := strings.Cut(checksum, ":")
	switch algorithm {
	case "":
	case "sha256":
		v.hash = sha256.New()
	case "sha512":
		v.hash = sha512.New()
	default:
		return nil, unit.Blocked(fmt.Sprintf("checksums of the kind %q are not known", algorithm))
	}
	v.want = digest
	return v, nil
}

// problem returns why the bytes ended too early, nil when they did not.
func (v *verified) problem() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if errors.Is(v.err, io.EOF) {
		return nil
	}
	return v.err
}

func (v *verified) Read(p []byte) (int, error) {
	for len(v.ready) == 0 {
		v.mu.Lock()
		err := v.err
		v.mu.Unlock()
		if err != nil {
			return 0, err
		}
		v.fill()
	}
	n := copy(p, v.ready[0])
	if v.ready[0] = v.ready[0][n:]; len(v.ready[0]) == 0 {
		v.ready = v.ready[1:]
	}
	return n, nil
}

// fill reads the next bytes and releases those before them.
func (v *verified) fill() {
	next := make([]byte, verifyChunk)
	n, err := io.ReadFull(v.from, next)
	v.progress()
	next = next[:n]
	if v.hash != nil {
		v.hash.Write(next) // a hash never returns an error
	}
	if v.left -= int64(n); v.left < 0 {
		v.end(unit.Blocked("the image is larger than any that is taken"))
		return
	}
	last := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
	if err != nil && !last {
		v.end(fmt.Errorf("download the image: %s", cause(err)))
		return
	}
	if last && v.hash != nil {
		if got := hex.EncodeToString(v.hash.Sum(nil)); got != v.want {
			v.end(unit.Blocked(fmt.Sprintf("the image has another checksum than the one written: %s", got)))
			return
		}
	}
	v.release()
	v.held = next
	if last {
		v.release()
		v.end(io.EOF)
	}
}

func (v *verified) release() {
	if len(v.held) > 0 {
		v.ready = append(v.ready, v.held)
	}
	v.held = nil
}

func (v *verified) end(err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.err = err
}
