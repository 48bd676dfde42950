package redact

import (
	"io"
	"slices"
	"sync"
	"sync/atomic"
)

// Masker removes the secrets it knows from texts. It may be used by many goroutines, and learn
// secrets while it is in use. The zero Masker is not usable; create it with [NewMasker].
type Masker struct {
	mu       sync.Mutex // held by Add
	patterns atomic.Pointer[patterns]
}

// NewMasker returns a masker that knows no secrets yet.
func NewMasker() *Masker {
	m := &Masker{}
	m.patterns.Store(newPatterns(nil))
	return m
}

// Add makes secrets known, and returns how many of them are too short to be removed from texts.
// The empty value counts as none. Texts that are masked from now on are free of them.
func (m *Masker) Add(secrets ...Secret) (omitted int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	texts := m.patterns.Load().texts // readers may have the same array
	var unknown []string
	for _, secret := range secrets {
		value := secret.Reveal()
		if value != "" && tooShort(value) {
			omitted++
		}
		for _, form := range forms(value) {
			if _, known := slices.BinarySearch(texts, form); !known && len(form) >= MinLength {
				unknown = append(unknown, form)
			}
		}
	}
	if len(unknown) > 0 { // else all is as it was, for those who tell the same at each look
		m.patterns.Store(newPatterns(slices.Concat(texts, unknown)))
	}
	return omitted
}

// MinShared is the length from which [Masker.Share] takes a value.
const MinShared = 16

// Share makes those secrets known that no text has by chance, for a masker of texts about anything: a shorter one may be a
// word, and is only taken out of what is about who has it. A nil masker learns nothing.
func (m *Masker) Share(secrets ...Secret) {
	if m == nil {
		return
	}
	m.Add(slices.DeleteFunc(slices.Clone(secrets), func(secret Secret) bool { return len(secret.Reveal()) < MinShared })...)
}

// Text returns s with all secrets replaced by [Mask], and so is what a text that was cut off has left of one at its end.
func (m *Masker) Text(s string) Masked {
	text, patterns := []byte(s), m.patterns.Load()
	spans := patterns.find(text, 0)
	if parts := patterns.cut(text); len(parts) > 0 {
		spans = joined(append(spans, parts...))
	}
	if len(spans) == 0 {
		return Masked{text: s}
	}
	return Masked{text: string(mask(make([]byte, 0, len(text)+len(spans)*len(Mask)), text, spans, 0))}
}

// Writer returns a writer that passes on to w what it is given, without secrets, also where a
// secret is spread over several writes. It may be used by many goroutines.
//
// What could be the beginning of a secret is held back until more is written, or until Flush. That
// is never more than the longest secret in its longest form, and nothing when writes are lines and
// no secret begins with the end of a line.
func (m *Masker) Writer(w io.Writer) *Writer { return &Writer{masker: m, to: w} }

// Writer masks a stream; see [Masker.Writer].
type Writer struct {
	masker *Masker
	to     io.Writer

	mu      sync.Mutex
	held    []byte // not yet passed on
	covered int    // so many bytes of held belong to a secret whose mask has been written
	out     []byte // scratch
}

// Write masks p and passes on what cannot belong to a secret any more. It always takes all of p;
// the error is that of the writer behind it, and what could not be passed on then is lost.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held = append(w.held, p...)
	patterns := w.masker.patterns.Load()
	if err := w.pass(patterns.open(w.held), patterns.find(w.held, w.covered)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush passes on what was held back. Call it at the end of the stream: if a secret goes on after
// it, its two parts are not recognised.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.pass(len(w.held), w.masker.patterns.Load().find(w.held, w.covered))
}

// pass writes the first n held bytes, masked, and forgets them.
func (w *Writer) pass(n int, spans []span) error {
	if n == 0 {
		return nil
	}
	w.out = mask(w.out[:0], w.held[:n], spans, w.covered)
	w.covered = max(0, w.covered-n)
	for _, s := range spans {
		if s.from < n { // it may reach beyond n
			w.covered = max(w.covered, s.to-n)
		}
	}
	w.held = append(w.held[:0], w.held[n:]...)
	var err error
	if len(w.out) > 0 {
		_, err = w.to.Write(w.out)
	}
	if cap(w.out)+cap(w.held) > maxScratch {
		w.held, w.out = slices.Clone(w.held), nil
	}
	return err
}

// maxScratch is the memory that a writer keeps for its next write; one huge write must not hold on
// to more.
const maxScratch = 256 << 10

// mask appends text to out, with a mask for each span that begins in it. The first covered bytes
// belong to a mask that has been written before, and so does a span that overlaps them.
func mask(out, text []byte, spans []span, covered int) []byte {
	at := min(covered, len(text))
	for _, s := range spans {
		if s.from >= len(text) {
			break
		}
		if s.from >= covered {
			out = append(out, text[at:s.from]...)
			out = append(out, Mask...)
		}
		at = min(max(at, s.to), len(text))
	}
	return append(out, text[at:]...)
}
