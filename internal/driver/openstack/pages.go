package openstack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

var errCircle = errors.New("the pages go in a circle")

// errMorePages says of a list that was to have one page that there are others.
var errMorePages = errors.New("the list has more than one page")

const (
	pageSize = 1000
	maxPages = 1000
)

// all follows the pages of a list and returns the objects below a key.
func (s *session) all(ctx context.Context, c call, key string) ([]map[string]any, error) {
	var objects []map[string]any
	err := s.pages(ctx, c, key, func(page []map[string]any) { objects = append(objects, page...) })
	if err != nil {
		return nil, err
	}
	return objects, nil
}

// pages follows the pages of a list, and has the objects of each taken. An answer that is cut short
// is an error: what was not seen must never count as absent.
func (s *session) pages(ctx context.Context, c call, key string, take func(page []map[string]any)) error {
	c.method = http.MethodGet
	if c.query == nil {
		c.query = url.Values{}
	}
	if c.service != serviceIdentity { // Keystone has no pages unless its administrator limits lists
		c.query.Set("limit", strconv.Itoa(cmp.Or(s.connector.options.Page, pageSize)))
	}
	seen, behind := map[string]bool{}, trail{last: []string{""}}
	for range maxPages {
		answer, err := s.do(ctx, c)
		if err != nil && (notFound(err) || statusIs(err, http.StatusBadRequest)) && behind.back(c.query) {
			continue
		}
		if err != nil {
			return err
		}
		some, err := listIn(c, answer, key)
		if err != nil {
			return err
		}
		had := len(some)
		some = behind.unseen(some)
		if behind.begun(some) {
			if behind.back(c.query) {
				continue
			}
			return fmt.Errorf("GET %s of the %s service: %w", c.path, c.service, errCircle)
		}
		next, more := nextPage(answer, key)
		if c.service == serviceNetwork && had == 0 && !more && c.query.Get("marker") != "" {
			if behind.leave(c.query) {
				continue
			}
			if behind.spent(c.query) {
				return fmt.Errorf("GET %s of the %s service: all that the next page could begin behind is gone", c.path, c.service)
			}
		}
		if len(some) == 0 && had > 0 {
			more = false // what the empty page began behind is there, and is the last one
		}
		if more {
			behind.add(some)
		}
		if s.needed != nil {
			some = slices.DeleteFunc(some, func(raw map[string]any) bool { return !s.needed(raw) })
		}
		take(some)
		if !more {
			return nil
		}
		if next == nil {
			return fmt.Errorf("GET %s of the %s service: the address of the next page: %w", c.path, c.service, errUnreadable)
		}
		if s.onePage {
			return errMorePages
		}
		if seen[next.Encode()] {
			return fmt.Errorf("GET %s of the %s service: %w", c.path, c.service, errCircle)
		}
		seen[next.Encode()] = true
		c.query = next
	}
	return fmt.Errorf("GET %s of the %s service: more than %d pages", c.path, c.service, maxPages)
}

// trail tells where a list went. A page begins behind an object, its marker. For one that was deleted meanwhile, Nova
// and Glance answer 400, Cinder and Neutron 404, and where Neutron keeps versioned objects (subnets, security groups,
// QoS policies, ...), it gives the first page again (neutron/objects/base.py: Pager). A plugin without pages of its own, as
// that of OVN for routers and floating IPs, gives an empty page (neutron/api/api_common.py: PaginationEmulatedHelper), as
// it also does behind the last object.
type trail struct {
	first map[string]bool // the ids of the first page
	last  []string        // the ids of what was listed last, before them "" where that is all
	left  map[string]bool // those of them that an empty page began behind
}

// maxTrail is how many objects at the end of a page may be deleted while the next one is asked for.
const maxTrail = 32

func (l *trail) add(page []map[string]any) {
	begins := l.first == nil
	if begins {
		l.first = map[string]bool{}
	}
	for i, raw := range page {
		id := textAt(raw, "id")
		if id == "" {
			continue
		}
		if begins {
			l.first[id] = true
		}
		if len(page)-i <= maxTrail {
			l.last = append(l.last, id)
		}
	}
	if surplus := len(l.last) - maxTrail; surplus > 0 {
		l.last = slices.Delete(l.last, 0, surplus)
	}
}

// begun tells whether a page is the first one once more.
func (l *trail) begun(page []map[string]any) bool {
	return slices.ContainsFunc(page, func(raw map[string]any) bool { return l.first[textAt(raw, "id")] })
}

// back has a query begin one object earlier, which shows nothing twice: what lay between is gone. It returns false
// when the query does not begin behind the last of them, or there is none before.
func (l *trail) back(query url.Values) bool {
	at := len(l.last) - 1
	if at < 1 || query.Get("marker") != l.last[at] {
		return false
	}
	l.last = l.last[:at]
	query.Set("marker", l.last[at-1])
	if l.last[at-1] == "" {
		query.Del("marker")
	}
	return true
}

// leave is [trail.back] for an empty page, which does not say whether what it begins behind is gone, or the last one.
func (l *trail) leave(query url.Values) bool {
	marker := query.Get("marker")
	if !l.back(query) {
		return false
	}
	if l.left == nil {
		l.left = map[string]bool{}
	}
	l.left[marker] = true
	return true
}

// spent tells whether a query begins behind the first object that is known of more.
func (l *trail) spent(query url.Values) bool {
	return len(l.last) == 1 && query.Get("marker") == l.last[0]
}

// unseen is a page without what was listed already and is there after all.
func (l *trail) unseen(page []map[string]any) []map[string]any {
	if len(l.left) == 0 {
		return page
	}
	return slices.DeleteFunc(page, func(raw map[string]any) bool { return l.left[textAt(raw, "id")] })
}

// nextPage tells whether there is another page, and returns its query, nil where that cannot be read. Only the query
// counts: behind a proxy, services often give an address that leads nowhere.
func nextPage(answer map[string]any, key string) (query url.Values, more bool) {
	next := answer["next"]                                                                    // Glance
	for _, links := range []string{key + "_links", strings.TrimSuffix(key, "s") + "_links"} { // the second is Cinder's of volume types
		for _, link := range objectsAt(answer, links) {
			if textAt(link, "rel") == "next" {
				next = link["href"]
			}
		}
	}
	if links, ok := answer["links"].(map[string]any); ok && next == nil { // Keystone
		next = links["next"]
	}
	address, ok := next.(string)
	if next == nil || address == "" && ok {
		return nil, false
	}
	parsed, err := url.Parse(address)
	if err != nil || parsed.RawQuery == "" {
		return nil, true
	}
	return parsed.Query(), true
}
