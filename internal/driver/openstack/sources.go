package openstack

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// maxRedirects is how many redirects an image may be behind.
const maxRedirects = 5

// Sources are the beginnings of the addresses that images may be fetched from: scheme, host, and a path where one is
// written. Whoever may write into the repository would otherwise have us ask whatever we can reach, the metadata of the
// cloud under us and services inside of the cluster included, and read the answer from an image.
type Sources struct{ prefixes []*url.URL }

// ParseSources reads the beginnings. None allow nothing.
func ParseSources(prefixes []string) (Sources, error) {
	var s Sources
	for _, prefix := range prefixes {
		u, err := url.Parse(prefix)
		switch {
		case err != nil, u.Scheme != "https" && u.Scheme != "http", u.Hostname() == "":
			return Sources{}, fmt.Errorf("%q is not how an address begins: write scheme and host, and a path where only a part is meant, such as https://images.example.org/debian", prefix)
		case u.User != nil, u.RawQuery != "", u.ForceQuery, u.Fragment != "", ambiguous(u):
			return Sources{}, fmt.Errorf("%s://%s has more than scheme, host and a plain path: user, query, fragment, .. and encoded slashes cannot be there", u.Scheme, u.Host)
		}
		s.prefixes = append(s.prefixes, u)
	}
	return s, nil
}

// refuses returns "" or a sentence that says why nothing is fetched from the address, without all of the
// address: that may have a secret in it.
func (s Sources) refuses(address *url.URL) string {
	from := fmt.Sprintf("the image would be fetched from %s://%s", address.Scheme, address.Host)
	switch {
	case address.User != nil:
		return from + " with a user in the address: write one without"
	case ambiguous(address):
		return from + " by a path with .. or an encoded slash: write a plain one"
	case slices.ContainsFunc(s.prefixes, func(prefix *url.URL) bool { return covers(prefix, address) }):
		return ""
	}
	return from + ", which --image-sources does not allow: have who runs KupenStack add how the address begins, or write one that is allowed"
}

// problem is refuses for an address as it is written.
func (s Sources) problem(source string) string {
	address, err := url.Parse(source)
	if err != nil {
		return "the source of the image is no address"
	}
	return s.refuses(address)
}

// covers tells whether an address is the prefix, or below it.
func covers(prefix, address *url.URL) bool {
	if prefix.Scheme != address.Scheme || !strings.EqualFold(prefix.Hostname(), address.Hostname()) || portOf(prefix) != portOf(address) {
		return false
	}
	path := strings.TrimSuffix(prefix.Path, "/")
	return address.Path == path || strings.HasPrefix(address.Path, path+"/")
}

func portOf(u *url.URL) string {
	if port := u.Port(); port != "" {
		return port
	}
	return map[string]string{"https": "443", "http": "80"}[u.Scheme]
}

// ambiguous tells whether a server may take the path for another one than it looks like.
func ambiguous(u *url.URL) bool {
	encoded := strings.ToLower(u.EscapedPath())
	if strings.Contains(encoded, "%2f") || strings.Contains(encoded, "%5c") || strings.Contains(u.Path, `\`) || u.Opaque != "" {
		return true
	}
	return slices.ContainsFunc(strings.Split(u.Path, "/"), func(part string) bool { return part == "." || part == ".." })
}

// guarded is a client that follows redirects only to where the sources allow it, too.
func (s Sources) guarded(client *http.Client) *http.Client {
	guarded := *client
	guarded.CheckRedirect = func(next *http.Request, via []*http.Request) error {
		if problem := s.refuses(next.URL); problem != "" {
			return unit.Blocked("its source sends on: " + problem)
		}
		if len(via) > maxRedirects {
			return errors.New("its source sends on and on")
		}
		return nil
	}
	return &guarded
}
