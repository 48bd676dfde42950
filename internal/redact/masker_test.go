package redact_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
)

func masker(values ...string) *redact.Masker {
	m := redact.NewMasker()
	for _, value := range values {
		m.Add(redact.NewSecret(value))
	}
	return m
}

func TestText(t *testing.T) {
	const M = redact.Mask
	tests := []struct {
		name    string
		secrets []string
		in      string
		want    string
	}{
		{"no secrets", nil, "a text", "a text"},
		{"nothing to mask", []string{"secret"}, "a text", "a text"},
		{"empty", []string{"secret"}, "", ""},
		{"all", []string{"secret"}, "secret", M},
		{"within", []string{"secret"}, "a secret, and a secret", "a " + M + ", and a " + M},
		{"one after another", []string{"secret"}, "secretsecret", M + M},
		{"beginning alike", []string{"secret", "secret-longer"}, "secret-longer secret", M + " " + M},
		{"one in another", []string{"cret", "secret-longer"}, "secret-longer cret", M + " " + M},
		{"overlapping", []string{"abcdef", "defghi"}, "xabcdefghix", "x" + M + "x"},
		{"a chain of them", []string{"abcdef", "defghi", "ghijkl"}, "abcdefghijkl", M},
		{"itself", []string{"abab"}, "ababab-", M + "-"},
		{"only a beginning", []string{"secret"}, "secre secre", "secre secre"},
		{"too short", []string{"abc"}, "abc", "abc"},
		{"white space only", []string{"\r\r\r\r\r", "    "}, "    \r\r\r\r\r", "    \r\r\r\r\r"},
		{"too short but for spaces", []string{"abc  "}, "abc  ", "abc  "},
		{"four bytes", []string{"abcd"}, "abcd", M},
		{"with a newline at the end", []string{"secret\n"}, "secret secret\n", M + " " + M},
		{"not UTF-8", []string{"a\xff\xfeb"}, "-a\xff\xfeb-", "-" + M + "-"},
		{"a mask in the text", []string{"secret"}, M + "secret", M + M},
		{"the mask as a secret", []string{M}, M, M},
		{
			"a key of several lines, indented",
			[]string{"-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG\nshort\n-----END KEY-----\n"},
			"-----BEGIN KEY-----\n  MIIEvQIBADANBgkqhkiG\n  short", "-----BEGIN KEY-----\n  " + M + "\n  short",
		},
	}
	for _, tt := range tests {
		if got := masker(tt.secrets...).Text(tt.in).String(); got != tt.want {
			t.Errorf("%s:\ngot  %q\nwant %q", tt.name, got, tt.want)
		}
	}
}

func TestTextInEncodings(t *testing.T) {
	for _, secret := range []string{"s3cr", "hunter2-hunter2", `p@ss/w"o'r\d $x %{y} ${z} <&> ü😀` + "\n\t`id`", "pässwörd", "a+b c=d&e?f#g:h"} {
		m := masker(secret)
		html := jsonText(t, secret, true)
		encodings := map[string]string{
			"plain":          secret,
			"JSON":           html[1 : len(html)-1],
			"JSON plain":     strings.Trim(jsonText(t, secret, false), `"`),
			"query":          url.QueryEscape(secret),
			"path":           url.PathEscape(secret),
			"Go":             strings.Trim(strconv.Quote(secret), `"`),
			"Go ASCII":       strings.Trim(strconv.QuoteToASCII(secret), `"`),
			"HCL":            strings.ReplaceAll(strings.ReplaceAll(strings.Trim(jsonText(t, secret, false), `"`), "${", "$${"), "%{", "%%{"),
			"URL":            (&url.URL{Scheme: "mysql", User: url.UserPassword("u", secret), Host: "h"}).String()[len("mysql://u:"):],
			"JSON in JSON":   strings.Trim(jsonText(t, strings.Trim(jsonText(t, secret, false), `"`), false), `"`),
			"YAML":           strings.ReplaceAll(secret, "'", "''"),
			"shell":          strings.ReplaceAll(secret, "'", `'\''`),
			"base64":         base64.StdEncoding.EncodeToString([]byte(secret)),
			"base64 raw":     base64.RawStdEncoding.EncodeToString([]byte(secret)),
			"base64 URL":     base64.URLEncoding.EncodeToString([]byte(secret)),
			"base64 URL raw": base64.RawURLEncoding.EncodeToString([]byte(secret)),
		}
		encodings["URL"] = strings.TrimSuffix(encodings["URL"], "@h")
		for name, text := range encodings {
			if got := m.Text("a " + text + " z").String(); got != "a "+redact.Mask+" z" {
				t.Errorf("%q in %s as %s becomes %s", secret, name, text, got)
			}
		}
	}
}

func jsonText(t *testing.T, s string, html bool) string {
	t.Helper()
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(html)
	if err := encoder.Encode(s); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// What other programs write is compared with the programs where the machine has them.
func TestTextInEncodingsOfPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 on this machine")
	}
	const secret = `p@ss/w"o'r\d $x ü😀 ~a`
	program := `
import json, shlex, sys, urllib.parse
s = sys.argv[1]
print(json.dumps(s)[1:-1])
print(urllib.parse.quote(s))
print(urllib.parse.quote_plus(s))
print(urllib.parse.quote(s, safe=""))
print(shlex.quote(s)[1:-1])`
	command := exec.CommandContext(t.Context(), python, "-X", "utf8", "-c", program, secret)
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		line = strings.TrimSuffix(line, "\n")
		if got := masker(secret).Text(line).String(); got != redact.Mask {
			t.Errorf("%s becomes %s", line, got)
		}
	}
}

// A secret within a longer text that is encoded as a whole, such as user:password.
func TestTextWithinBase64(t *testing.T) {
	const secret = "hunter2-hunter2"
	m := masker(secret)
	for before := range 7 {
		for after := range 4 {
			plain := strings.Repeat("u", before) + secret + strings.Repeat("z", after)
			got := m.Text(base64.StdEncoding.EncodeToString([]byte(plain))).String()
			if !strings.Contains(got, redact.Mask) {
				t.Errorf("%s is not masked: %s", plain, got)
			}
			// Whatever is put in place of the mask, less than a byte of the value comes back at
			// either end.
			for piece := range strings.SplitSeq(got, redact.Mask) {
				decoded, _ := base64.RawStdEncoding.DecodeString(strings.TrimRight(piece, "="))
				if strings.Contains(string(decoded), secret[:2]) || strings.Contains(string(decoded), secret[len(secret)-2:]) {
					t.Errorf("%s becomes %s, which shows %q", plain, got, decoded)
				}
			}
		}
	}
}

// TestTextThatWasCut: wherever a text was cut that has a secret, nothing of it is left that could be known for one.
func TestTextThatWasCut(t *testing.T) {
	const secret = "canary-hunter2-of-a-service"
	m := redact.NewMasker()
	m.Add(redact.NewSecret(secret), redact.NewSecret("two-of-them"))
	for cut := range len(secret) + 1 {
		text := "the database says " + secret[:cut] + "\u2026"
		want := "the database says (sensitive)\u2026"
		if cut < redact.MinLength {
			want = text
		}
		if got := m.Text(text).String(); got != want {
			t.Errorf("cut behind %d characters: %q, want %q", cut, got, want)
		}
	}
	for text, want := range map[string]string{
		"no can\u2026": "no can\u2026", "canary birds\u2026": "canary birds\u2026", "canary-": "canary-", "\u2026": "\u2026",
		"canary-\u2026, then two-of\u2026 and canary-hunter2-of-a-service": "(sensitive)\u2026, then (sensitive)\u2026 and (sensitive)",
		"canary-canary-hunt\u2026": "canary-(sensitive)\u2026", "Y2FuYXJ5LWh1bnRlcj\u2026": "(sensitive)\u2026", // in base64
		"canary-hunter2-of-a-servicetwo-of\u2026": "(sensitive)(sensitive)\u2026",
	} {
		if got := m.Text(text).String(); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func TestAddCountsWhatIsTooShort(t *testing.T) {
	m := redact.NewMasker()
	if got := m.Add(redact.NewSecret("abc"), redact.NewSecret(""), redact.NewSecret("abcd"), redact.NewSecret("x\n\n\n")); got != 2 {
		t.Errorf("%d are omitted, want 2", got)
	}
	if got := m.Text("abc abcd x").String(); got != "abc "+redact.Mask+" x" {
		t.Errorf("got %s", got)
	}
}

// What is known already changes nothing: those who look tell the same secrets at each look.
func TestAddWhatIsKnown(t *testing.T) {
	const many = 500
	masker := redact.NewMasker()
	var all []redact.Secret
	for i := range many {
		all = append(all, redact.NewSecret(fmt.Sprintf("%04d-canary %d", i, i)))
	}
	masker.Add(all...)
	if made := testing.AllocsPerRun(5, func() { masker.Add(all[7]) }); made >= many {
		t.Errorf("to add what is known makes %v things", made)
	}
	if left := masker.Add(redact.NewSecret("xyz"), all[7]); left != 1 {
		t.Errorf("%d are too short", left)
	}
	const longer = "0007-canary 7-and-more"
	masker.Add(redact.NewSecret(longer))
	if got := masker.Text("is " + longer).String(); got != "is "+redact.Mask {
		t.Errorf("got %s", got)
	}
}

func TestWriterPassesOnWhatIsNoSecretAtOnce(t *testing.T) {
	var out bytes.Buffer
	w := masker("secret", "set").Writer(&out)
	steps := []struct{ write, want string }{
		{"a line\n", "a line\n"},
		{"sec", ""},
		{"ond\n", "second\n"},
		{"a se", "a "},
		{"cret", redact.Mask},
		{" secre", " "},
		{"", ""},
		{"secret", "secre" + redact.Mask},
		{"\n", "\n"},
	}
	for _, step := range steps {
		out.Reset()
		if n, err := w.Write([]byte(step.write)); n != len(step.write) || err != nil {
			t.Errorf("writing %q gives %d, %v", step.write, n, err)
		}
		if got := out.String(); got != step.want {
			t.Errorf("writing %q passes on %q, want %q", step.write, got, step.want)
		}
	}
	out.Reset()
	w.Write([]byte("the end: se"))
	if err := w.Flush(); err != nil || out.String() != "the end: se" {
		t.Errorf("after the flush there is %q, %v", out.String(), err)
	}
}

func TestWriterLearnsSecretsOnTheWay(t *testing.T) {
	var out bytes.Buffer
	m := masker("abcdef")
	w := m.Writer(&out)
	w.Write([]byte("secret abc"))
	m.Add(redact.NewSecret("secret"), redact.NewSecret("defghi"))
	w.Write([]byte("def"))
	w.Write([]byte("ghi secret\n"))
	w.Flush()
	if got, want := out.String(), "secret "+redact.Mask+" "+redact.Mask+"\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestWriterReturnsTheErrorBehindIt(t *testing.T) {
	broken := errors.New("broken")
	w := masker("secret").Writer(failing{broken})
	if n, err := w.Write([]byte("text")); n != 0 || !errors.Is(err, broken) {
		t.Errorf("got %d, %v", n, err)
	}
	w.Write([]byte("sec"))
	if err := w.Flush(); !errors.Is(err, broken) {
		t.Errorf("the flush gives %v", err)
	}
}

func TestMaskerIsSafeForManyGoroutines(t *testing.T) {
	var mu sync.Mutex
	var out bytes.Buffer
	m := masker("secret-0")
	w := m.Writer(writerFunc(func(p []byte) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		return out.Write(p)
	}))
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for n := range 10 {
				secret := fmt.Sprintf("secret-%d-%d", i, n)
				m.Add(redact.NewSecret(secret))
				fmt.Fprintf(w, "line with %s\n", secret)
				if got := m.Text(secret).String(); got != redact.Mask {
					t.Errorf("got %s", got)
				}
			}
		})
	}
	group.Wait()
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if got, want := out.String(), strings.Repeat("line with "+redact.Mask+"\n", 80); got != want {
		t.Errorf("the log is wrong: %.200s", got)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// FuzzMasker checks that no secret is left, and that a stream is masked like the whole text however
// it is cut.
func FuzzMasker(f *testing.F) {
	f.Add("a secret and another", "secret", "another", []byte{3, 1, 4})
	f.Add("abcdefghi", "abcdef", "defghi", []byte{1})
	f.Add("abababab", "abab", "baba", []byte{2, 3})
	f.Add("c2VjcmV0 secret+%2f", "secret", "a/b/c", []byte{5})
	f.Add("(sensitive)", "sensitive", "(sens", []byte{1})
	f.Fuzz(func(t *testing.T, text, a, b string, cuts []byte) {
		texts := []string{text, a + text + b, text + base64.StdEncoding.EncodeToString([]byte(text+a)) + url.QueryEscape(b), a[:len(a)/2] + b + a[len(a)/2:]}
		m := masker(a, b)
		for _, text := range texts {
			whole := m.Text(text).String()
			for piece := range strings.SplitSeq(whole, redact.Mask) {
				for _, secret := range []string{a, b} {
					if len(strings.TrimSpace(secret)) < redact.MinLength {
						continue
					}
					for _, form := range []string{secret, url.QueryEscape(secret), base64.StdEncoding.EncodeToString([]byte(secret))} {
						if strings.Contains(piece, form) {
							t.Fatalf("%q with secrets %q and %q becomes %q, which shows %q", text, a, b, whole, form)
						}
					}
				}
			}
			var out bytes.Buffer
			w := m.Writer(&out)
			rest := []byte(text)
			for i := 0; len(rest) > 0; i++ {
				n := len(rest)
				if len(cuts) > 0 {
					n = min(n, int(cuts[i%len(cuts)])+1)
				}
				if _, err := w.Write(rest[:n]); err != nil {
					t.Fatal(err)
				}
				rest = rest[n:]
			}
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
			if out.String() != whole {
				t.Fatalf("%q with secrets %q and %q, cut at %v, becomes %q, but as a whole %q", text, a, b, cuts, out.String(), whole)
			}
		}
	})
}

// TestRandomStreams does the same with a small alphabet, where secrets overlap all the time.
func TestRandomStreams(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	word := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = "ab"[random.IntN(2)]
		}
		return string(b)
	}
	for range 1000 {
		m := masker(word(4+random.IntN(3)), word(4+random.IntN(6)), word(4+random.IntN(9)))
		text := word(random.IntN(60))
		var out bytes.Buffer
		w := m.Writer(&out)
		for at := 0; at < len(text); {
			n := min(1+random.IntN(6), len(text)-at)
			w.Write([]byte(text[at : at+n]))
			at += n
		}
		w.Flush()
		if got, want := out.String(), m.Text(text).String(); got != want {
			t.Fatalf("%s becomes %s, as a whole %s", text, got, want)
		}
	}
}
