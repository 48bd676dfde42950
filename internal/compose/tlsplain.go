package compose

import (
	"fmt"
	"maps"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
)

// plainAddresses warns of addresses in conf that are reached without TLS, where the service or those that it talks to
// have it. They count all the same: what is there may have nothing to do with OpenStack.
func (k tlsKeeper) plainAddresses(written map[string]any, settings []model.Setting) {
	for _, path := range plainIn(written["conf"], []string{"conf"}) {
		at, text := k.whereKey(k.service, settings, path)
		if _, told := k.told[at.where]; told {
			continue
		}
		k.failAt(codeUnsafe, at, "plain http beside TLS",
			fmt.Sprintf("%s of %s begins with http:// beside tls: what is sent there can be read on the way, be it passwords or tokens, and an API that speaks TLS does not answer", text, k.service.Name),
			"write https://, or take it away where the chart or tls sets the address; nothing has to be done for what has no TLS and may be read")
		k.told[at.where] = len(k.diags) - 1
		k.diags[k.told[at.where]].Severity = diag.Warning
	}
}

// plainIn returns the paths to texts that are such addresses, or to lists with one.
func plainIn(v any, path []string) [][]string {
	switch v := v.(type) {
	case string:
		if isPlainAddress(v) {
			return [][]string{path}
		}
	case []any:
		if slices.ContainsFunc(v, func(element any) bool { return plainIn(element, path) != nil }) {
			return [][]string{path}
		}
	case map[string]any:
		var found [][]string
		for _, key := range slices.Sorted(maps.Keys(v)) {
			found = append(found, plainIn(v[key], append(slices.Clone(path), key))...)
		}
		return found
	}
	return nil
}

// isPlainAddress tells whether a text is an address without TLS, on more than its own host.
func isPlainAddress(text string) bool {
	text = strings.ToLower(strings.TrimSpace(text))
	if !strings.HasPrefix(text, "http://") {
		return false
	}
	where, err := url.Parse(text)
	if err != nil {
		return true
	}
	ip, err := netip.ParseAddr(where.Hostname())
	return where.Hostname() != "localhost" && (err != nil || !ip.IsLoopback())
}
