package engine_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// compute is the service of Nova on a host.
type compute struct {
	up       bool
	disabled string // why
	arriving int    // instances that are on their way there
}

// ourReason begins the reasons that are ours.
const ourReason = "ours: "

// serve carries out the commands about compute services.
func (w *world) serve(command string, args []string) {
	c := w.computes[args[0]]
	if c == nil {
		c = &compute{}
		w.computes[args[0]] = c
	}
	switch what := strings.Join(args[1:], " "); {
	case command == "arrive":
		c.arriving, _ = strconv.Atoi(what)
	case what == "up", what == "down":
		c.up = what == "up"
	case what == "enabled":
		c.disabled = ""
	default:
		c.disabled = what
	}
}

// bearing are the nodes that have the label of the role compute.
func (w *world) bearing(ctx context.Context) ([]string, error) {
	if err := w.point(ctx); err != nil {
		return nil, err
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	var hosts []string
	for _, o := range w.objects {
		if o.host != "" && o.fields[unit.ComputeLabel] == unit.LabelEnabled {
			hosts = append(hosts, o.host)
		}
	}
	return hosts, nil
}

// computes are those of a scenario's world.
type computes struct{ s *scenario }

var _ engine.Computes = computes{}

func (c computes) Close(ctx context.Context, nodes []string, leaving map[string]string) (closed bool, err error) {
	w := c.s.world
	if err := w.point(ctx); err != nil {
		return false, err
	}
	if w.hangs("computes") {
		<-ctx.Done()
		return false, ctx.Err()
	}
	if w.isDisplaced() {
		return false, errors.New("another process is in charge")
	}
	w.mutex.Lock()
	for _, node := range slices.Sorted(maps.Keys(leaving)) {
		service := w.computes[node]
		if service == nil || !slices.Contains(nodes, node) || service.disabled != "" {
			continue
		}
		service.disabled, closed = ourReason+node+" "+leaving[node], true
		w.trace = append(w.trace, "disable "+node)
		if service.arriving > 0 {
			c.s.hosts[node], service.arriving = service.arriving, 0
		}
	}
	w.mutex.Unlock()
	return closed, w.point(ctx)
}

func (c computes) Open(ctx context.Context, nodes []string, staying map[string]time.Time) (left []string, err error) {
	select {
	case <-time.After(200 * time.Millisecond):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	w := c.s.world
	if err := w.point(ctx); err != nil {
		return nil, err
	}
	if w.hangs("computes") {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	w.mutex.Lock()
	w.opens++
	for _, node := range slices.Sorted(maps.Keys(w.computes)) {
		service := w.computes[node]
		if !slices.Contains(nodes, node) || !strings.HasPrefix(service.disabled, ourReason) {
			continue
		}
		if since, stays := staying[node]; !stays || !service.up || !time.Now().After(since) || w.displaced {
			left = append(left, node)
			continue
		}
		service.disabled = ""
		w.trace = append(w.trace, "enable "+node)
	}
	w.mutex.Unlock()
	return left, w.point(ctx)
}
