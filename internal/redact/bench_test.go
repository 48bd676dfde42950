package redact_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
)

// log makes text of about a mebibyte like a log, and secrets of which a few occur in it.
func log() ([]string, string) {
	random := rand.New(rand.NewPCG(1, 2))
	secrets := make([]string, 200)
	for i := range secrets {
		b := make([]byte, 32)
		for n := range b {
			b[n] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"[random.IntN(62)]
		}
		secrets[i] = string(b)
	}
	var text strings.Builder
	for i := 0; text.Len() < 1<<20; i++ {
		fmt.Fprintf(&text, `{"level":"info","address":"instance.web[\"%d\"]","duration":%d,"message":"reconciled the unit, nothing to do"}`+"\n", i, random.IntN(1e6))
		if i%100 == 0 {
			fmt.Fprintf(&text, "connecting to mysql://keystone:%s@mariadb\n", secrets[random.IntN(len(secrets))])
		}
	}
	return secrets, text.String()
}

func BenchmarkText(b *testing.B) {
	secrets, text := log()
	m := masker(secrets...)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		m.Text(text)
	}
}

func BenchmarkWriterOfLines(b *testing.B) {
	secrets, text := log()
	w := masker(secrets...).Writer(writerFunc(func(p []byte) (int, error) { return len(p), nil }))
	lines := bytes.SplitAfter([]byte(text), []byte("\n"))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		for _, line := range lines {
			if _, err := w.Write(line); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkReplacer is what the standard library would take, for the values only, without their
// encodings.
func BenchmarkReplacer(b *testing.B) {
	secrets, text := log()
	var pairs []string
	for _, secret := range secrets {
		pairs = append(pairs, secret, redact.Mask)
	}
	replacer := strings.NewReplacer(pairs...)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		replacer.Replace(text)
	}
}

func BenchmarkAdd200(b *testing.B) {
	values, _ := log()
	var secrets []redact.Secret
	for _, value := range values {
		secrets = append(secrets, redact.NewSecret(value))
	}
	b.ReportAllocs()
	for b.Loop() {
		redact.NewMasker().Add(secrets...)
	}
}

// BenchmarkHostile has a secret and a text made to take as long as possible.
func BenchmarkHostile(b *testing.B) {
	m := masker(strings.Repeat("a", 4096) + "b")
	text := strings.Repeat("a", 1<<20)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		m.Text(text)
	}
}
