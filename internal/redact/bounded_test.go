package redact_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
)

// However a text is read, and wherever it ends, the beginning of a secret that ends with it is known.
func TestBounded(t *testing.T) {
	const secret = "canary-of-the-text"
	masker := redact.NewMasker()
	masker.Add(redact.NewSecret(secret))
	broken := errors.New("broke off")
	breaks := func(text string) io.Reader { return io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken)) }
	for _, test := range []struct {
		name  string
		from  func() io.Reader
		limit int64
		want  string
		err   error
	}{
		{"all", func() io.Reader { return strings.NewReader("no " + secret) }, 100, "no " + secret, nil},
		{"just all", func() io.Reader { return strings.NewReader("no " + secret) }, 21, "no " + secret, nil},
		{"too much", func() io.Reader { return strings.NewReader("no " + secret + secret) }, 31, "no " + secret + "canary-of-…", nil},
		{"of which nothing is wanted", func() io.Reader { return strings.NewReader(secret) }, 0, "…", nil},
		{"breaks off", func() io.Reader { return breaks("no " + secret[:10]) }, 100, "no canary-of-…", broken},
		{"breaks off at the limit", func() io.Reader { return breaks("no " + secret[:10]) }, 13, "no canary-of-…", broken},
		{"breaks off behind it", func() io.Reader { return breaks("no " + secret) }, 13, "no canary-of-…", nil},
		{"empty", func() io.Reader { return strings.NewReader("") }, 10, "", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, through := range []func(io.Reader) io.Reader{
				func(r io.Reader) io.Reader { return r }, iotest.OneByteReader, iotest.DataErrReader, iotest.HalfReader,
			} {
				text, err := io.ReadAll(through(redact.Bounded(through(test.from()), test.limit)))
				if string(text) != test.want || !errors.Is(err, test.err) || err != nil && test.err == nil {
					t.Errorf("got %q, %v", text, err)
				}
				if shown := masker.Text(string(text)).String(); strings.Contains(shown, "canary") {
					t.Errorf("it is shown as %q", shown)
				}
			}
		})
	}
}
