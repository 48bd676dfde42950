package resolve

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"unicode/utf8"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/ianaindex"
)

// base64Gzip compresses a text, always to the same bytes: there is no time of day in them.
func base64Gzip() function.Function {
	return textFunction(func(s string) (string, error) {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		if _, err := w.Write([]byte(s)); err != nil {
			return "", err
		}
		if err := w.Close(); err != nil {
			return "", err
		}
		return base64.StdEncoding.EncodeToString(b.Bytes()), nil
	})
}

// urlEncode writes a text as a value of a URL's query, with a plus for a blank.
func urlEncode() function.Function {
	return textFunction(func(s string) (string, error) { return url.QueryEscape(s), nil })
}

// textEncodeBase64 and textDecodeBase64 go through another encoding than UTF-8, such as UTF-16LE.
func textEncodeBase64() function.Function {
	return encoded("string", func(s string, by encoding.Encoding) (string, error) {
		out, err := by.NewEncoder().Bytes([]byte(s))
		if err != nil {
			return "", errors.New("the text has characters that the encoding does not have")
		}
		return base64.StdEncoding.EncodeToString(out), nil
	})
}

func textDecodeBase64() function.Function {
	return encoded("source", func(s string, by encoding.Encoding) (string, error) {
		raw, err := base64.StdEncoding.DecodeString(s)
		if err != nil {
			return "", errors.New("the text is not in base64")
		}
		out, err := by.NewDecoder().Bytes(raw)
		if err != nil || !utf8.Valid(out) {
			return "", errors.New("the decoded bytes are no text in that encoding")
		}
		return string(out), nil
	})
}

func encoded(name string, f func(string, encoding.Encoding) (string, error)) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: name, Type: cty.String}, {Name: "encoding", Type: cty.String}},
		Type:   function.StaticReturnType(cty.String),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			by, err := ianaindex.IANA.Encoding(args[1].AsString())
			if err != nil || by == nil {
				return cty.NilVal, function.NewArgError(1, fmt.Errorf("there is no encoding %q: use a name of the IANA registry, such as UTF-16LE", args[1].AsString()))
			}
			s, err := f(args[0].AsString(), by)
			if err != nil {
				return cty.NilVal, function.NewArgError(0, err)
			}
			return cty.StringVal(s), nil
		},
	})
}
