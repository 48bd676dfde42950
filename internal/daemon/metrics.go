package daemon

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/kupenstack/kupenstack-sync/internal/budget"
	"github.com/kupenstack/kupenstack-sync/internal/contain"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
)

// metrics are what Prometheus can ask for.
type metrics struct {
	registry *prometheus.Registry
	polls    *prometheus.CounterVec
	reports  *prometheus.CounterVec
	hooks    *prometheus.CounterVec
	leader   prometheus.Gauge
}

// revisionCollector names the revision in force at the moment somebody asks.
type revisionCollector struct {
	description *prometheus.Desc
	inForce     func() string // "" for none
}

func (c revisionCollector) Describe(out chan<- *prometheus.Desc) { out <- c.description }

func (c revisionCollector) Collect(out chan<- prometheus.Metric) {
	if commit := c.inForce(); commit != "" {
		out <- prometheus.MustNewConstMetric(c.description, prometheus.GaugeValue, 1, commit)
	}
}

// unitsCollector counts units by phase at the moment somebody asks.
type unitsCollector struct {
	description *prometheus.Desc
	snapshot    func() engine.Snapshot
}

func (c unitsCollector) Describe(out chan<- *prometheus.Desc) { out <- c.description }

func (c unitsCollector) Collect(out chan<- prometheus.Metric) {
	type key struct{ class, phase string }
	n := map[key]int{}
	for _, u := range c.snapshot().Units {
		n[key{string(u.Class), string(u.Phase)}]++
	}
	for k, count := range n {
		out <- prometheus.MustNewConstMetric(c.description, prometheus.GaugeValue, float64(count), k.class, k.phase)
	}
}

// sightingsCollector counts what is on record by how it was seen, while no revision says what is wanted.
type sightingsCollector struct {
	description *prometheus.Desc
	snapshot    func() engine.Snapshot
}

func (c sightingsCollector) Describe(out chan<- *prometheus.Desc) { out <- c.description }

func (c sightingsCollector) Collect(out chan<- prometheus.Metric) {
	type key struct{ class, standing string }
	n := map[key]int{}
	for _, s := range c.snapshot().Sightings {
		n[key{string(s.Class), string(s.Standing)}]++
	}
	for k, count := range n {
		out <- prometheus.MustNewConstMetric(c.description, prometheus.GaugeValue, float64(count), k.class, k.standing)
	}
}

// unsaid is a collector, which the library asks in a goroutine of its own.
type unsaid struct{ prometheus.Collector }

func (u unsaid) Collect(out chan<- prometheus.Metric) {
	contain.Callback(func() { u.Collector.Collect(out) })()
}

// requestsCollector tells how often each API was asked, and how often it may be asked, at the moment somebody asks.
type requestsCollector struct {
	sent, left *prometheus.Desc
	budgets    map[string]*budget.Budget
}

func (c requestsCollector) Describe(out chan<- *prometheus.Desc) {
	out <- c.sent
	out <- c.left
}

func (c requestsCollector) Collect(out chan<- prometheus.Metric) {
	for api, b := range c.budgets {
		out <- prometheus.MustNewConstMetric(c.sent, prometheus.CounterValue, float64(b.Sent()), api)
		if left, bounded := b.Left(); bounded {
			out <- prometheus.MustNewConstMetric(c.left, prometheus.GaugeValue, float64(left), api)
		}
	}
}

func newMetrics(snapshot func() engine.Snapshot, inForce func() string, budgets map[string]*budget.Budget, rendered func() uint64) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		polls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "kupenstack_polls_total", Help: "Polls of the source, by result: unchanged, new, invalid, failed.",
		}, []string{"result"}),
		reports: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "kupenstack_reports_total", Help: "Attempts to publish a report, by result: published, failed.",
		}, []string{"result"}),
		hooks: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "kupenstack_webhooks_total", Help: "Requests of webhooks, by result: accepted, ignored, repeated, refused, limited, invalid, failed.",
		}, []string{"result"}),
		leader: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "kupenstack_leader", Help: "1 while this process holds the lease.",
		}),
	}
	m.registry.MustRegister(m.polls, m.reports, m.hooks, m.leader,
		unsaid{revisionCollector{prometheus.NewDesc("kupenstack_revision_info", "1 for the revision in force.", []string{"commit"}, nil), inForce}},
		unsaid{unitsCollector{prometheus.NewDesc("kupenstack_units", "Units by class and phase.", []string{"class", "phase"}, nil), snapshot}},
		unsaid{sightingsCollector{prometheus.NewDesc("kupenstack_on_record", "What is on record while there is no revision, by class and how it was seen: working, progressing, failed, gone, unknown.", []string{"class", "standing"}, nil), snapshot}},
		unsaid{requestsCollector{
			prometheus.NewDesc("kupenstack_api_requests_total", "Requests sent, by API: kubernetes, openstack.", []string{"api"}, nil),
			prometheus.NewDesc("kupenstack_api_budget_left", "Requests that may be sent now, below zero for debt, by API that has a budget.", []string{"api"}, nil), budgets,
		}},
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	if rendered != nil {
		m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "kupenstack_charts_rendered_total", Help: "Renderings of charts, by this process or by Helm within it.",
		}, func() float64 { return float64(rendered()) }))
	}
	return m
}

// attempted counts an attempt to publish a report.
func (m *metrics) attempted(err error) {
	result := "published"
	if err != nil {
		result = "failed"
	}
	m.reports.WithLabelValues(result).Inc()
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}
