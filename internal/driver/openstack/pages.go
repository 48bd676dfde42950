package openstack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
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

// turns are how the next page of a list is asked for.
type turns int

const (
	// byLink takes the query of the link that the answer has, as long as there is one.
	byLink turns = iota
	// byMarker begins behind the last object; the page that is not full is the last one.
	byMarker
	// byNumber begins at a number: see [session.numbered].
	byNumber
)

// all follows the pages of a list and returns the objects below a key, "" being the answer itself.
func (s *session) all(ctx context.Context, c call, key string) ([]map[string]any, error) {
	var objects []map[string]any
	err := s.pages(ctx, c, key, func(page []map[string]any) { objects = append(objects, page...) })
	if err != nil {
		return nil, err
	}
	return objects, nil
}

// limit is how many objects a page is asked for with.
func (s *session) limit() int { return cmp.Or(s.connector.options.Page, pageSize) }

// pages follows the pages of a list, and has the objects of each taken. An answer that is cut short
// is an error: what was not seen must never count as absent.
func (s *session) pages(ctx context.Context, c call, key string, take func(page []map[string]any)) error {
	c.method = http.MethodGet
	c.query = maps.Clone(c.query)
	if c.query == nil {
		c.query = url.Values{}
	}
	if c.service != serviceIdentity { // Keystone has no pages unless its administrator limits lists
		c.query.Set("limit", strconv.Itoa(s.limit()))
	}
	if c.turns == byNumber {
		all, err := s.numbered(ctx, c, key)
		if err == nil {
			take(s.pick(all))
		}
		return err
	}
	return s.linked(ctx, c, key, take)
}

// pick is a page without what is not needed.
func (s *session) pick(page []map[string]any) []map[string]any {
	if s.needed == nil {
		return page
	}
	return slices.DeleteFunc(page, func(raw map[string]any) bool { return !s.needed(raw) })
}

// linked is [session.pages] for pages that begin behind an object.
func (s *session) linked(ctx context.Context, c call, key string, take func(page []map[string]any)) error {
	seen, behind := map[string]bool{}, trail{known: cmp.Or(c.known, "id"), last: []string{""}}
	for range maxPages {
		got, err := s.send(ctx, c)
		if err != nil && (notFound(err) || statusIs(err, http.StatusBadRequest)) && behind.back(c.query) {
			continue
		}
		if err != nil {
			return err
		}
		some, err := listIn(c, got, key)
		if err != nil {
			return err
		}
		had := len(some)
		next, more := s.next(c, got, key, some)
		some = behind.unseen(some)
		if behind.begun(some) {
			if behind.back(c.query) {
				continue
			}
			return fmt.Errorf("GET %s of the %s service: %w", c.path, c.service, errCircle)
		}
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
		take(s.pick(some))
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

// next tells whether there is another page behind one, and returns its query, nil where that cannot be read.
func (s *session) next(c call, got reply, key string, page []map[string]any) (query url.Values, more bool) {
	if c.turns == byLink {
		return nextPage(got.object(""), key)
	}
	if len(page) < s.limit() {
		return nil, false
	}
	last := textAt(page[len(page)-1], cmp.Or(c.known, "id"))
	if last == "" {
		return nil, true
	}
	query = maps.Clone(c.query)
	query.Set("marker", last)
	return query, true
}

// numbered reads a list whose pages begin at a number. A page begins with the last object that was had; where it does not,
// something before it has come or gone meanwhile, so that the others have moved, and the list is read anew.
func (s *session) numbered(ctx context.Context, c call, key string) ([]map[string]any, error) {
	limit, known := max(2, s.limit()), cmp.Or(c.known, "id") // with one, no page would bring anything new
	c.query.Set("limit", strconv.Itoa(limit))
	var all []map[string]any
	for range maxPages {
		c.query.Set("offset", strconv.Itoa(max(0, len(all)-1)))
		got, err := s.send(ctx, c)
		if err != nil {
			return nil, err
		}
		page, err := listIn(c, got, key)
		if err != nil {
			return nil, err
		}
		_, more := nextPage(got.object(""), key)
		more = more || len(page) >= min(limit, fewestOnPage) // not every service says so
		if len(all) > 0 {
			if len(page) == 0 || textAt(page[0], known) != textAt(all[len(all)-1], known) {
				all = nil
				continue
			}
			if page = page[1:]; len(page) == 0 {
				more = false
			}
		}
		if all = append(all, page...); !more {
			return all, nil
		}
		if s.onePage {
			return nil, errMorePages
		}
	}
	return nil, fmt.Errorf("GET %s of the %s service: more than %d pages", c.path, c.service, maxPages)
}

// fewestOnPage is how many objects a page by numbers has at least that is not the last one. Services give 1000 at once, or
// 100, unless their administrator says less; nobody has reason to go below this.
const fewestOnPage = 50

// trail tells where a list went. A page begins behind an object, its marker. For one that was deleted meanwhile, Nova
// and Glance answer 400, Cinder and Neutron 404, and where Neutron keeps versioned objects (subnets, security groups,
// QoS policies, ...), it gives the first page again (neutron/objects/base.py: Pager). A plugin without pages of its own, as
// that of OVN for routers and floating IPs, gives an empty page (neutron/api/api_common.py: PaginationEmulatedHelper), as
// it also does behind the last object.
type trail struct {
	known string          // the key of the ids
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
		id := textAt(raw, l.known)
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
	return slices.ContainsFunc(page, func(raw map[string]any) bool { return l.first[textAt(raw, l.known)] })
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
	return slices.DeleteFunc(page, func(raw map[string]any) bool { return l.left[textAt(raw, l.known)] })
}

// nextPage tells whether there is another page, and returns its query, nil where that cannot be read. Only the query
// counts: behind a proxy, services often give an address that leads nowhere.
func nextPage(answer map[string]any, key string) (query url.Values, more bool) {
	next := answer["next"]                                                                             // Glance, Barbican
	for _, links := range []string{key + "_links", strings.TrimSuffix(key, "s") + "_links", "links"} { // Cinder's of volume types, Heat's
		for _, link := range objectsAt(answer, links) {
			if textAt(link, "rel") == "next" {
				next = link["href"]
			}
		}
	}
	if links, ok := answer["links"].(map[string]any); ok && next == nil { // Keystone, Designate
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
