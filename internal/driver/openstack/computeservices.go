package openstack

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// nodeLeaves is what the reasons begin with for which we disable compute services. Nova keeps them, and shows them to
// people: by that we know which of these services are ours to enable. Behind it comes the mark of our installation, as
// another one may have nodes of the same names in the same Nova.
const nodeLeaves = "KupenStack: node "

// longestWhy is how much of one is kept, with the mark; Nova takes 255 characters.
const longestWhy = 250

// computeService is one that runs instances on a host.
type computeService struct {
	id, host, reason string
	enabled          bool
	up               bool
	reported         time.Time
}

// closedServices is whether Nova has services that we disabled, as far as that is known: its list is read for other reasons
// all the time.
type closedServices struct {
	mark  string // of our installation
	mutex sync.Mutex
	none  bool // there was none in the last list
	tries int  // to disable some, that began or ended
}

// ours tells whether a reason is one of ours. Before there was a mark in it, it was any installation's.
func (c *closedServices) ours(reason string) bool {
	text, mark := splitMark(reason)
	return strings.HasPrefix(text, nodeLeaves) && (mark == "" || mark == c.mark)
}

// reason is why a service is disabled on nodes that leave something.
func (c *closedServices) reason(nodes []string, leaving string) string {
	text := nodeLeaves + strings.Join(nodes, " or ") + " " + leaving
	return joinMark(brief(text, longestWhy-len(joinMark("", c.mark))), c.mark)
}

// reading is called before a list is read. What it returns takes the list, unless something was disabled meanwhile.
func (c *closedServices) reading() func(raws []map[string]any) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	tries := c.tries
	return func(raws []map[string]any) {
		none := !slices.ContainsFunc(raws, func(raw map[string]any) bool { return c.ours(textAt(raw, "disabled_reason")) })
		c.mutex.Lock()
		defer c.mutex.Unlock()
		if c.tries == tries {
			c.none = none
		}
	}
}

// disabling is called before and after something is disabled.
func (c *closedServices) disabling() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.none = false
	c.tries++
}

func (c *closedServices) untouched() bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.tries == 0
}

func (c *closedServices) areNone() bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.none
}

// CloseComputes disables the compute services on the nodes that leave something, which it is told, so that Nova places no
// more instances there. What is disabled already stays as it is, whoever did that. It tells whether there was anything to
// disable. nodes are all that a host may be.
func (d *Driver) CloseComputes(ctx context.Context, nodes []string, leaving map[string]string) (closed bool, err error) {
	s, err := d.connector.session(ctx)
	if err != nil {
		return false, err
	}
	services, err := s.computeServices(ctx)
	if err != nil {
		return false, err
	}
	for _, c := range services {
		on := slices.DeleteFunc(unit.NodesOfHost(nodes, c.host), func(node string) bool { return leaving[node] == "" })
		if len(on) == 0 || !c.enabled {
			continue
		}
		reason := d.connector.closed.reason(on, leaving[on[0]])
		d.connector.closed.disabling()
		err := s.setComputeService(ctx, c, map[string]any{"status": "disabled", "disabled_reason": reason})
		d.connector.closed.disabling()
		if err != nil {
			return closed, err
		}
		closed = true
	}
	return closed, nil
}

// OpenComputes enables the compute services that [Driver.CloseComputes] has disabled on nodes that stay, once they are up
// and have reported after the time that is told for the node. It returns the nodes on which some are left, in their
// order. Where the last list of Nova had none, nobody is asked.
func (d *Driver) OpenComputes(ctx context.Context, nodes []string, staying map[string]time.Time) (left []string, err error) {
	if d.connector.closed.areNone() {
		return nil, nil
	}
	s, err := d.connector.session(ctx)
	if err != nil {
		return nil, err
	}
	services, err := s.computeServices(ctx)
	if statusIs(err, http.StatusForbidden) && !s.administrates() && d.connector.closed.untouched() {
		return nil, nil // who may not see them has disabled none
	}
	if err != nil {
		return nil, err
	}
	open := map[string]bool{}
	for _, c := range services {
		on := unit.NodesOfHost(nodes, c.host)
		if c.enabled || !d.connector.closed.ours(c.reason) || len(on) == 0 {
			continue
		}
		if c.up && !slices.ContainsFunc(on, func(node string) bool {
			since, stays := staying[node]
			return !stays || !since.IsZero() && !c.reported.After(since)
		}) {
			if err := s.setComputeService(ctx, c, map[string]any{"status": "enabled"}); err != nil {
				return nil, err
			}
			continue
		}
		for _, node := range on {
			open[node] = true
		}
	}
	return slices.Sorted(maps.Keys(open)), nil
}

// computeServices lists them all. What cannot be read must not count as absent.
func (s *session) computeServices(ctx context.Context) ([]computeService, error) {
	note := s.connector.closed.reading()
	raws, err := s.all(ctx, call{service: serviceCompute, path: "os-services", microversion: agentsVersion}, "services")
	if err != nil {
		return nil, err
	}
	var services []computeService
	for _, raw := range raws {
		if textAt(raw, "binary") != "nova-compute" {
			continue
		}
		a, told := computeAgent(raw)
		c := computeService{
			id: textAt(raw, "id"), host: textAt(raw, "host"), reason: textAt(raw, "disabled_reason"), enabled: a.Enabled, up: a.Up, reported: a.Reported,
		}
		if !told || c.id == "" || c.host == "" {
			return nil, errors.New("the compute service does not tell how all of what runs instances stands")
		}
		services = append(services, c)
	}
	note(raws)
	return services, nil
}

// setComputeService enables or disables one. That it is gone meanwhile is no error.
func (s *session) setComputeService(ctx context.Context, c computeService, body map[string]any) error {
	_, err := s.do(ctx, call{service: serviceCompute, method: http.MethodPut, path: pathOf("os-services", c.id), body: body, microversion: agentsVersion})
	if notFound(err) {
		return nil
	}
	return err
}
