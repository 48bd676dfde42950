package faultproxy

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

// Rewrite maps base URLs of servers to those of the proxies before them, so that a client
// that follows addresses in answers keeps going through proxies. The longest base URL that
// an address starts with counts. What is rewritten:
//   - the headers Location, Content-Location, Link and WWW-Authenticate;
//   - in JSON bodies the links: members href, self, next, previous, prev, first and last;
//   - in the answers of auth/tokens and auth/catalog also url, which is the catalogue.
//
// Everything else that happens to hold an address, such as the url of an endpoint that a
// client manages as an object, stays as the server said it. JSON bodies are read as a whole;
// other bodies pass untouched.
type Rewrite map[string]string

// A JSON member whose value is an address: its name and the quotes, then the address.
var (
	linkMember    = regexp.MustCompile(`("(?:href|self|next|previous|prev|first|last)"\s*:\s*")(https?://[^"\\]*)`)
	catalogMember = regexp.MustCompile(`("(?:url|href|self|next|previous|prev|first|last)"\s*:\s*")(https?://[^"\\]*)`)
	// An address within a header: up to what cannot be part of it, "<" before, ">" behind.
	headerAddress = regexp.MustCompile(`()(https?://[^\s"'<>,;]*)`)
)

// apply rewrites an answer of a server. It returns the body, if it has read it.
func (m Rewrite) apply(response *http.Response) ([]byte, error) {
	for _, name := range []string{"Location", "Content-Location", "Link", "Www-Authenticate"} {
		for i, value := range response.Header[name] {
			response.Header[name][i] = string(m.replace(headerAddress, []byte(value)))
		}
	}
	if !strings.Contains(response.Header.Get("Content-Type"), "json") || response.Body == nil ||
		response.Request.Method == http.MethodHead || response.ContentLength == 0 {
		return nil, nil
	}
	if encoding := response.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return nil, fmt.Errorf("rewrite an answer: it is encoded with %s", encoding)
	}
	body, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	if err != nil {
		return nil, fmt.Errorf("rewrite an answer: %w", err)
	}
	member := linkMember
	if path := strings.TrimSuffix(response.Request.URL.Path, "/"); strings.HasSuffix(path, "/auth/tokens") || strings.HasSuffix(path, "/auth/catalog") {
		member = catalogMember
	}
	body = m.replace(member, body)
	response.Body = io.NopCloser(bytes.NewReader(body))
	response.ContentLength = int64(len(body))
	response.Header.Set("Content-Length", strconv.Itoa(len(body)))
	return body, nil
}

// replace rewrites the second group of every match; the first is kept.
func (m Rewrite) replace(pattern *regexp.Regexp, text []byte) []byte {
	return pattern.ReplaceAllFunc(text, func(match []byte) []byte {
		groups := pattern.FindSubmatch(match)
		return append(append([]byte(nil), groups[1]...), m.address(string(groups[2]))...)
	})
}

// address rewrites one address, or returns it as it is.
func (m Rewrite) address(address string) string {
	best, replaced := -1, address
	for original, proxy := range m {
		original = strings.TrimSuffix(original, "/")
		rest, ok := strings.CutPrefix(address, original)
		if !ok || len(original) <= best || rest != "" && !strings.ContainsAny(rest[:1], "/?#") {
			continue // not its beginning, or only because 80 is the beginning of 8080
		}
		best, replaced = len(original), strings.TrimSuffix(proxy, "/")+rest
	}
	return replaced
}
