package webhook

import (
	"crypto/tls"
	"fmt"
	"os"
	"sync"
	"time"
)

// Certificate is the certificate and the key of a server in two files. When a file changes, the next connection
// gets what is in there then; while that makes no sense, as between the writing of the two, it gets what there was
// before. It may be used by many goroutines.
type Certificate struct {
	cert, key string

	mutex  sync.Mutex
	stamps [2]stamp
	loaded *tls.Certificate
}

// stamp tells whether a file has changed.
type stamp struct {
	time time.Time
	size int64
}

// NewCertificate reads the files for the first time.
func NewCertificate(cert, key string) (*Certificate, error) {
	c := &Certificate{cert: cert, key: key}
	_, err := c.Get(nil)
	return c, err
}

// Get is for [tls.Config.GetCertificate].
func (c *Certificate) Get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if err := c.read(); err != nil && c.loaded == nil {
		return nil, err
	}
	return c.loaded, nil
}

// Examine returns why what is in the files now is not what connections get.
func (c *Certificate) Examine() error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.read()
}

// read takes up what is in the files, if that has changed; the mutex is held.
func (c *Certificate) read() error {
	stamps, err := stampsOf(c.cert, c.key)
	if err == nil && c.loaded != nil && stamps == c.stamps {
		return nil
	}
	if err == nil {
		var pair tls.Certificate
		if pair, err = tls.LoadX509KeyPair(c.cert, c.key); err == nil {
			c.loaded, c.stamps = &pair, stamps
			return nil
		}
	}
	return fmt.Errorf("reading the certificate: %w", err)
}

func stampsOf(names ...string) (stamps [2]stamp, err error) {
	for i, name := range names {
		info, err := os.Stat(name)
		if err != nil {
			return stamps, err
		}
		stamps[i] = stamp{info.ModTime(), info.Size()}
	}
	return stamps, nil
}
