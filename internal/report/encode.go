package report

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// maxFile is the size that no file but the history exceeds.
const maxFile = 3 << 20

// statusJSON returns status.json with as much detail as its size allows. d is the document with
// all of it.
func statusJSON(in *Input, d *document) []byte {
	text := encode(d)
	for l, ok := tighter(roomy()); ok && len(text) > maxFile; l, ok = tighter(l) {
		text = encode(newDocument(in, d.Verdict, l))
	}
	return text
}

// encode returns a value as JSON that a person and a diff can read: what is in the object is on
// lines of its own, and so are the elements of its lists; anything deeper is on one line.
func encode(v any) []byte {
	compact, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("report: %T has no JSON: %v", v, err)) // only our own types come here: a bug
	}
	const deep = 2
	var out bytes.Buffer
	depth, quoted := 0, false
	newline := func() {
		out.WriteByte('\n')
		out.WriteString("    "[:2*depth])
	}
	for i := 0; i < len(compact); i++ {
		c := compact[i]
		if quoted {
			out.WriteByte(c)
			switch c {
			case '\\':
				i++
				out.WriteByte(compact[i])
			case '"':
				quoted = false
			}
			continue
		}
		switch c {
		case '"':
			quoted = true
			out.WriteByte(c)
		case '{', '[':
			out.WriteByte(c)
			depth++
			if empty := compact[i+1] == '}' || compact[i+1] == ']'; !empty && depth <= deep {
				newline()
			}
		case '}', ']':
			depth--
			if empty := compact[i-1] == '{' || compact[i-1] == '['; !empty && depth < deep {
				newline()
			}
			out.WriteByte(c)
		case ',':
			out.WriteByte(c)
			if depth <= deep {
				newline()
			} else {
				out.WriteByte(' ')
			}
		case ':':
			out.WriteString(": ")
		default:
			out.WriteByte(c)
		}
	}
	out.WriteByte('\n')
	return out.Bytes()
}
