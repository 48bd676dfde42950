package wire

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/rs/zerolog"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
)

// maskedLines is where a logger writes to: each write is a line of JSON.
type maskedLines struct {
	to     io.Writer
	masker *redact.Masker
}

// Write takes all of a line, or says why it is not written.
func (m maskedLines) Write(line []byte) (int, error) {
	if _, err := m.to.Write(m.masked(line)); err != nil {
		return 0, err
	}
	return len(line), nil
}

// masked returns a line without secrets. They are looked for in its texts as these are meant, as JSON can write a text in
// many ways, and in nothing else: a secret may be a word that there is in every line, such as "level", and what is left has
// to be JSON. What is no line of a logger is a text itself.
func (m maskedLines) masked(line []byte) []byte {
	if !bytes.HasPrefix(line, []byte("{")) {
		return []byte(m.masker.Text(string(line)).String())
	}
	var out bytes.Buffer
	key := ""
	for rest := line; ; {
		begin := bytes.IndexByte(rest, '"')
		if begin < 0 {
			out.Write(rest)
			return out.Bytes()
		}
		end := endOfText(rest, begin)
		var text string
		if end < 0 || json.Unmarshal(rest[begin:end], &text) != nil {
			return []byte(m.masker.Text(string(line)).String())
		}
		out.Write(rest[:begin])
		quoted := rest[begin:end]
		rest = rest[end:]
		switch {
		case bytes.HasPrefix(rest, []byte(":")):
			key = text // all of ours
		case key == zerolog.LevelFieldName || key == zerolog.TimestampFieldName: // the same words with and without secrets
		default:
			if safe := m.masker.Text(text).String(); safe != text {
				quoted = quotedText(safe)
			}
		}
		out.Write(quoted)
	}
}

// endOfText returns the place behind the text that begins with the quote at a place, -1 where it has no end.
func endOfText(line []byte, begin int) int {
	for i := begin + 1; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return -1
}

func quotedText(text string) []byte {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(text); err != nil {
		return []byte(`"` + redact.Mask + `"`) // cannot happen: every text has a form in JSON
	}
	return bytes.TrimSpace(b.Bytes())
}
