package daemon

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/report"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
)

// AgentSource is where the services of OpenStack tell of their processes on hosts.
type AgentSource interface {
	// Agents returns those of a service on all hosts, from one list. An error means that nothing is known
	// of them.
	Agents(ctx context.Context, service string) ([]report.Agent, error)
}

// agentsTimeout bounds one look at the agents of all services.
const agentsTimeout = 30 * time.Second

// Agents keeps what was seen of the agents between reports. Nothing waits for it, and what cannot be
// seen is only not told. A nil one knows nothing and looks at nothing. It is safe for concurrent use.
type Agents struct {
	Source AgentSource
	Log    zerolog.Logger

	looking sync.Mutex // held by the one that looks
	mutex   sync.Mutex
	known   map[string]report.Agents
	asked   map[string]int    // with which look, by service
	trouble map[string]string // why those of a service are not known, as it was logged
}

// Known returns what was seen, by service; one that was not asked yet is missing.
func (a *Agents) Known() map[string]report.Agents {
	if a == nil {
		return nil
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return maps.Clone(a.known)
}

// Forget has the next [Agents.Look] begin anew: another process may have been in charge since.
func (a *Agents) Forget() {
	if a == nil {
		return
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.known, a.asked, a.trouble = nil, nil, nil
}

// Look asks each service once for every look that the engine takes at everything, as soon as the service
// is ready, and tells whether anything else is known by that. It asks only where there are nodes to
// show agents of.
func (a *Agents) Look(ctx context.Context, state revision.State, snapshot engine.Snapshot) (news bool) {
	m := modelOf(state, snapshot.Revision)
	if a == nil || m == nil || len(m.Nodes) == 0 || !snapshot.Admitted {
		return false
	}
	a.looking.Lock()
	defer a.looking.Unlock()
	bounded, cancel := context.WithTimeout(ctx, agentsTimeout)
	defer cancel()
	for _, service := range report.AgentServices() {
		when := whenToAsk(m, &snapshot, service)
		if when == askLater || when == askNow && !a.due(service, snapshot.Looks) {
			continue
		}
		now := report.Agents{}
		if when == askNow {
			list, err := a.Source.Agents(bounded, service)
			if ctx.Err() != nil {
				return news // that it ends says nothing of the agents
			}
			if err == nil {
				now = report.Agents{Known: true, List: list}
			}
			a.tell(service, err)
		}
		news = a.learn(service, now) || news
	}
	return news
}

// tell logs that those of a service are not known and why, and that they are again: each once, as looks come every few
// seconds. A service that is not asked meanwhile is no news of either.
func (a *Agents) tell(service string, err error) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	was, told := a.trouble[service]
	switch {
	case err == nil && told:
		delete(a.trouble, service)
		a.Log.Info().Str("service", service).Msg("how agents stand is known again")
	case err != nil && (!told || was != err.Error()):
		if a.trouble == nil {
			a.trouble = map[string]string{}
		}
		a.trouble[service] = err.Error()
		a.Log.Info().Err(err).Str("service", service).Msg("how agents stand is not known")
	}
}

// due tells whether a service has not been asked yet for a look, and notes that it is now.
func (a *Agents) due(service string, look int) bool {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if last, ok := a.asked[service]; ok && last == look {
		return false
	}
	if a.asked == nil {
		a.asked = map[string]int{}
	}
	a.asked[service] = look
	return true
}

// learn keeps what was seen, and tells whether it is news.
func (a *Agents) learn(service string, now report.Agents) bool {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if was, ok := a.known[service]; ok && was.Known == now.Known && slices.Equal(was.List, now.List) {
		return false
	}
	if a.known == nil {
		a.known = map[string]report.Agents{}
	}
	a.known[service] = now
	return true
}

// asking is when a service is to be asked.
type asking int

const (
	askNever asking = iota // what it would say is not known
	askLater               // until then what is known stays
	askNow
)

// whenToAsk tells when a service can be asked. One that we deploy is not before it is ready: to be refused
// by a Keystone that does not know our user yet would keep everybody from it for minutes.
func whenToAsk(m *model.Model, snapshot *engine.Snapshot, service string) asking {
	s := m.Service(service)
	switch {
	case !m.Cloud.Deploys():
		return askNow
	case s == nil || !s.Enabled:
		return askNever
	}
	i := slices.IndexFunc(snapshot.Units, func(u engine.UnitStatus) bool { return u.Address == s.Address })
	if i < 0 {
		return askLater
	}
	switch snapshot.Units[i].Phase {
	case engine.PhaseReady:
		return askNow
	case engine.PhaseFailed, engine.PhaseBlocked:
		return askNever
	default:
		return askLater
	}
}

// lookAtAgents keeps what is known of agents as new as what the engine sees.
func (d *Daemon) lookAtAgents(ctx context.Context, heard <-chan struct{}, changed chan<- struct{}) {
	if d.Publisher.Agents == nil {
		return
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-heard:
		}
		if !d.Publisher.Agents.Look(ctx, d.Tracker.State(), d.snapshot()) {
			continue
		}
		select {
		case changed <- struct{}{}:
		default: // one word is enough
		}
	}
}
