package openstack

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// Most services leave out of a list, without a word, what the roles of a token do not let it see, and answer that
// there is no such object when they are asked for it by its id. So what is missing counts as absent only where the
// token sees all that there is, which nothing in those answers tells.

// adminRole is the role that shows what is in projects of others.
const adminRole = "admin"

// veiled is a kind whose objects are in no project, and are not all shown to everybody.
type veiled interface {
	// unveiled tells whether the session would be shown a target although our user is no administrator, given what
	// is wanted as far as it is known.
	unveiled(ctx context.Context, s *session, t unit.Target, want cty.Value) (bool, error)
}

func (flavorKind) unveiled(context.Context, *session, unit.Target, cty.Value) (bool, error) {
	return false, nil
}

func (volumeTypeKind) unveiled(context.Context, *session, unit.Target, cty.Value) (bool, error) {
	return false, nil
}

func (projectKind) unveiled(context.Context, *session, unit.Target, cty.Value) (bool, error) {
	return false, nil
}

// unveiled: who sees the volume sees what it is attached to, and who sees the instance what is attached to it. A
// volume that is gone from the session's project has taken its attachments along.
func (k attachmentKind) unveiled(ctx context.Context, s *session, t unit.Target, want cty.Value) (bool, error) {
	instance, volume, _ := strings.Cut(first(t.ID, t.Import, k.key(want)), "/")
	if volume == "" {
		return false, nil
	}
	if project, _ := projectOf(s, k, t, want); project != "" && project == s.project {
		return true, nil
	}
	_, err := cinder{one: "volume", many: "volumes"}.get(ctx, s, volume)
	if !notFound(err) {
		return err == nil, err
	}
	attached, err := s.all(ctx, call{service: serviceCompute, path: pathOf("servers", instance, attachmentsPath)}, "volumeAttachments")
	if notFound(err) {
		return false, nil
	}
	return err == nil && !slices.ContainsFunc(attached, func(a map[string]any) bool { return textAt(a, "volumeId") == volume }), err
}

// scattered is a kind that its service keeps in several places, of which a list leaves those out that do not answer.
type scattered interface {
	// reaches returns nil when all of them answer.
	reaches(ctx context.Context, s *session) error
}

// reaches asks for the cells of Nova.
func (instanceKind) reaches(ctx context.Context, s *session) error { return s.cellsAnswer(ctx) }

// lodging is a kind whose objects are in no project that they or their blocks name: they are where one of the things is
// that they connect, and it is on record where that was.
type lodging interface{ lodges() }

func (attachmentKind) lodges() {}

func lodges(k kind) bool {
	_, is := k.(lodging)
	return is
}

// doubt takes from the matches what was not found, and is not known to be absent all the same. It returns why. What has not been
// searched for yet is searched for when it is to be created.
func (d *Driver) doubt(ctx context.Context, s *session, k kind, targets []unit.Target, matches map[addr.Object]match) map[addr.Object]error {
	failures, told := map[addr.Object]error{}, map[string]error{}
	by, scatters := k.(scattered)
	reaches := sync.OnceValue(func() error { return by.reaches(ctx, s) })
	for _, t := range targets {
		m, ok := matches[t.Address]
		if !ok || m.object != nil || m.open && t.ID == "" || lookup(t) || traceless(k, t) {
			continue
		}
		about, _ := projectOf(s, k, t, m.want)
		if lodges(k) {
			about = t.Address.String()
		}
		err, asked := told[about]
		if !asked {
			err = s.vouch(ctx, k, t, m.want)
			told[about] = err
		}
		if scatters && err == nil && t.ID == "" && !t.Fresh { // of an id that it knows the service says so itself
			err = reaches()
		}
		if err != nil {
			delete(matches, t.Address)
			failures[t.Address] = err
		}
	}
	return failures
}

// traceless tells whether nothing says any more what to look for: an intent without an id whose block was taken out, of
// a kind that bears no mark. No role would show it.
func traceless(k kind, t unit.Target) bool {
	return first(t.ID, t.Import) == "" && resource(t) == nil && (!k.marks() || t.Mark == "")
}

// vouch returns nil when something that a session was not shown is not there, and else why nobody knows.
func (s *session) vouch(ctx context.Context, k kind, t unit.Target, want cty.Value) error {
	away := "everything of its kind" // of which something is not seen
	if v, ok := k.(veiled); !ok {
		project, known := projectOf(s, k, t, want)
		if !inProjects(k) || known && project == s.project {
			return nil
		}
		if away = "what is in its project"; project != "" {
			away = "what is in the project " + project
		}
	} else if !s.administrates() {
		if shown, err := v.unveiled(ctx, s, t, want); shown || err != nil {
			return err
		}
	}
	whole, err := s.oversees(ctx)
	if err != nil {
		return fmt.Errorf("find out whether %s is shown to %s: %w", away, s.who, err)
	}
	switch {
	case whole && s.administrates():
		return nil
	case whole: // some services may go by what they were told of the old token for a while
		s.outgrown()
		return fmt.Errorf("%s has the role %q again, and has to log in anew", s.who, adminRole)
	}
	if s.administrates() {
		s.outgrown()
	}
	return fmt.Errorf("it was not found, but %s is not shown %s: that takes the role %q", s.who, away, adminRole)
}

// vouchForPorts returns nil when objects in projects of others that no ports were shown of have none. Neutron may know already
// that our user is no administrator any more while Nova does not.
func (s *session) vouchForPorts(ctx context.Context, owners []*object, ports map[string][]map[string]any) error {
	if !slices.ContainsFunc(owners, func(o *object) bool { return o.project != "" && o.project != s.project && len(ports[o.id]) == 0 }) {
		return nil
	}
	whole, err := s.oversees(ctx)
	if err == nil && !whole {
		s.outgrown()
		err = fmt.Errorf("%s is not shown the ports in projects of others any more: that takes the role %q", s.who, adminRole)
	}
	return err
}

// everywhere asks a list for what is in all projects, where our user may ask for that.
func (s *session) everywhere() url.Values {
	if !s.administrates() {
		return nil
	}
	return url.Values{"all_tenants": {"1"}}
}

// oversees asks Keystone whether our user has the role of an administrator at this moment. What came with the token
// tells only what was so then.
func (s *session) oversees(ctx context.Context) (bool, error) {
	token, err := s.one(ctx, call{
		service: serviceIdentity, method: http.MethodGet, path: pathOf("auth", "tokens"), query: url.Values{"nocatalog": {""}},
		subject: s.provider.Token(),
	}, "token")
	if err != nil {
		return false, err
	}
	for _, role := range objectsAt(token, "roles") {
		if strings.EqualFold(textAt(role, "name"), adminRole) {
			return true, nil
		}
	}
	return false, nil
}

// keystoneService refuses lists to those who may not see all, and leaves nothing out.
const keystoneService = "keystone"

// inProjects tells whether objects of a kind are in projects, and shown to these.
func inProjects(k kind) bool {
	b, ok := k.(interface{ block() *schema.Block })
	return ok && b.block().Attribute("project") != nil && b.block().API != keystoneService
}

// projectOf is the project in which a target is to be looked for: the one on record of an object that is known, or that
// is not wanted any more, else the one that is wanted; "" where its kind has none. What is [lodging] has only one on record.
func projectOf(s *session, k kind, t unit.Target, want cty.Value) (project string, known bool) {
	if !lodges(k) && !inProjects(k) {
		return "", true
	}
	if t.Locator.Project != "" && (t.ID != "" || resource(t) == nil) {
		return t.Locator.Project, true
	}
	if lodges(k) {
		return "", true
	}
	if r := resource(t); r != nil {
		project, known = scopeOf(k, r, want, s)
		return project, known && project != ""
	}
	return "", false
}

// destined is the project that something absent would be created in unless it names another one: our user's own. It is
// "" where its kind has none, and of what is not wanted.
func destined(s *session, k kind, t unit.Target) string {
	_, own := k.(homely)
	if resource(t) == nil || lookup(t) || !inProjects(k) && !own {
		return ""
	}
	return s.home
}

// cellsVersion is from when on lists of instances and of services say which there are in cells that do not answer.
const cellsVersion = "2.69"

// cellsAnswer fails while Nova has instances in cells whose databases do not answer: such a list leaves them out
// unless it is asked for in this version, without pages, and for one project by no other way than its own token. A page
// that is full of instances of other cells does not tell of them (get_all in nova/compute/api.py). Then the hosts of
// such a cell do.
func (s *session) cellsAnswer(ctx context.Context) error {
	full, err := s.unknownTo(ctx, "servers", s.everywhere())
	if err != nil || !full {
		return err
	}
	if _, err = s.unknownTo(ctx, "os-services", nil); statusIs(err, http.StatusForbidden) {
		return fmt.Errorf("there are more instances than Nova puts on a page, and whether all of its cells answer is not told to %s: that takes the role %q", s.who, adminRole)
	}
	return err
}

// unknownTo fails when a list has something of a cell that does not answer, and tells whether there is more of the list.
func (s *session) unknownTo(ctx context.Context, path string, query url.Values) (more bool, err error) {
	key := strings.TrimPrefix(path, "os-")
	c := call{service: serviceCompute, method: http.MethodGet, path: path, query: query, microversion: cellsVersion}
	got, err := s.send(ctx, c)
	if err != nil {
		return false, err
	}
	listed, err := listIn(c, got, key)
	if err != nil {
		return false, err
	}
	for _, raw := range listed {
		if textAt(raw, "status") == "UNKNOWN" {
			return false, errors.New("a cell of Nova does not answer: its instances are not shown")
		}
	}
	_, more = nextPage(got.object(""), key)
	return more, nil
}
