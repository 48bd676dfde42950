package player

import (
	"fmt"
	"net/url"
	"strings"
)

// account is who logs in where, as a connection URL says it.
type account struct {
	user, password string
	host           string
	path           string
}

// accounts parses scheme://user:password@host:port[,user:password@host:port...]/path, which
// net/url does not understand with more than one host.
func accounts(text string) ([]account, error) {
	scheme, rest, found := strings.Cut(text, "://")
	if !found || scheme == "" {
		return nil, fmt.Errorf("could not parse connection URL %q", text)
	}
	authority, path, _ := strings.Cut(rest, "/")
	path, _, _ = strings.Cut(path, "?")
	var all []account
	for _, one := range strings.Split(authority, ",") {
		at := strings.LastIndex(one, "@")
		if at < 0 {
			return nil, fmt.Errorf("connection URL without a user")
		}
		user, password, _ := strings.Cut(one[:at], ":")
		host, _, _ := strings.Cut(one[at+1:], ":")
		a := account{host: host, path: path}
		var err error
		if a.user, err = url.QueryUnescape(user); err != nil {
			return nil, fmt.Errorf("user in a connection URL: %w", err)
		}
		if a.password, err = url.QueryUnescape(password); err != nil {
			return nil, fmt.Errorf("password in a connection URL: %w", err)
		}
		all = append(all, a)
	}
	return all, nil
}
