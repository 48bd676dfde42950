package wire

import (
	"fmt"
	"net/url"
	"os"
	"strings"
)

// checkProxies looks at the variables that say how servers are reached, as Go's libraries read them: those pass over one
// that they cannot read, so that servers were asked directly. Its value may have a password, and is not told.
func checkProxies() error {
	for _, names := range [][]string{{"HTTP_PROXY", "http_proxy"}, {"HTTPS_PROXY", "https_proxy"}} {
		for _, name := range names {
			value := os.Getenv(name)
			if value == "" {
				continue
			}
			if !isProxy(value) {
				return fmt.Errorf("%w: the variable %s is no URL of a proxy: write it as http://HOST:PORT, and a character of a name or password that is neither letter nor digit as %% with its two digits, such as %%25 for %% and %%40 for @", ErrUsage, name)
			}
			break // the other one is not looked at
		}
	}
	return nil
}

// isProxy tells whether a text is a URL, or a host with or without a port.
func isProxy(value string) bool {
	if !strings.Contains(value, "://") {
		value = "http://" + value
	}
	proxy, err := url.Parse(value)
	return err == nil && proxy.Scheme != "" && proxy.Hostname() != ""
}
