package openstack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"

	"github.com/kupenstack/kupenstack-sync/internal/contain"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// usage is the call that tells the limits of a project with what is taken of them.
func (p quotaPlace) usage(s *session, project string) call {
	path, query := p.used(project)
	c := p.call(s, http.MethodGet, path)
	c.query = query
	return c
}

// Quotas returns limits of projects by their ids, and what is taken of these limits, with one request for each service and
// project, in the project where our user is no administrator. The error says why some are missing. Those that the cloud has no
// service for, or whose service knows no quotas, are missing without one. Once a service does not answer, it is not asked
// again for other projects.
func (d *Driver) Quotas(ctx context.Context, limits map[string][]string) (map[string]map[string]unit.Quota, error) {
	s, err := d.connector.session(ctx)
	if err != nil {
		return nil, err
	}
	a := &quotaAnswers{known: map[string]map[string]unit.Quota{}, down: map[string]bool{}, unread: map[string]bool{}}
	var group contain.Group
	queues := map[string]chan string{}
	for _, place := range s.connector.quotas {
		queue := make(chan string, len(limits))
		queues[place.keeper] = queue
		for range min(listsAtOnce, len(limits)) {
			group.Go(func() {
				for project := range queue {
					a.ask(ctx, s, place, project, limits[project])
				}
			})
		}
	}
	for _, project := range slices.Sorted(maps.Keys(limits)) {
		for _, place := range s.connector.quotas {
			if len(place.asked(limits[project])) > 0 {
				queues[place.keeper] <- project
			}
		}
	}
	for _, queue := range queues {
		close(queue)
	}
	group.Wait()
	return a.known, a.failure(len(limits))
}

// asked are those of some limits that are kept there, and that it tells the use of.
func (p quotaPlace) asked(limits []string) []field {
	if p.used == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(p.limits), func(f field) bool { return !slices.Contains(limits, f.attribute) })
}

// quotaAnswers are what services told, who may be asked at the same time.
type quotaAnswers struct {
	mutex  sync.Mutex
	known  map[string]map[string]unit.Quota
	down   map[string]bool // services that do not answer
	unread map[string]bool // projects with limits that are not known
	why    error
}

// ask asks one service for limits of a project.
func (a *quotaAnswers) ask(ctx context.Context, s *session, place quotaPlace, project string, limits []string) {
	if a.skips(place, project) {
		return
	}
	there, err := s.within(ctx, project)
	if err != nil {
		a.fail(project, err)
		return
	}
	raw, err := there.one(ctx, place.usage(there, project), place.key)
	var no *noService
	switch {
	case errors.As(err, &no) || notFound(err):
		return
	case err != nil:
		if !answered(err) || statusIs(err, http.StatusInternalServerError) {
			a.drop(place)
		}
		a.fail(project, err)
		return
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.known[project] == nil {
		a.known[project] = map[string]unit.Quota{}
	}
	for _, f := range place.asked(limits) {
		if q, told := quotaOf(raw[f.key]); told {
			a.known[project][f.attribute] = q
		}
	}
}

// skips tells whether a service is not asked any more, for which the limits of the project are not known.
func (a *quotaAnswers) skips(place quotaPlace, project string) bool {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.down[place.keeper] {
		a.unread[project] = true
	}
	return a.down[place.keeper]
}

func (a *quotaAnswers) drop(place quotaPlace) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.down[place.keeper] = true
}

// fail takes why limits of a project are not known. Of several reasons one is told, always the same.
func (a *quotaAnswers) fail(project string, err error) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.unread[project] = true
	if a.why == nil || err.Error() < a.why.Error() {
		a.why = err
	}
}

// failure says how much could not be read, and why, nil for nothing.
func (a *quotaAnswers) failure(projects int) error {
	if a.why == nil {
		return nil
	}
	return fmt.Errorf("the quotas of %d of %d projects could not be read, such as: %s", len(a.unread), projects, brief(a.why.Error(), longestReason))
}

// quotaOf reads a limit; what is promised to somebody counts as taken.
func quotaOf(raw any) (q unit.Quota, told bool) {
	values, _ := raw.(map[string]any)
	number := func(key string) int64 {
		n, ok := values[key].(json.Number)
		whole, err := n.Int64()
		told = told && ok && err == nil
		return whole
	}
	told = true
	q.Limit = number("limit")
	if values["used"] != nil { // as Neutron calls it
		q.Used = number("used")
	} else {
		q.Used = number("in_use")
	}
	if values["reserved"] != nil {
		q.Used += number("reserved")
	}
	return q, told
}
