package unit

import (
	"context"
	"fmt"
	"slices"
)

// API is how to find out whether what a release runs answers. One of OpenStack has a service; any other has checks.
type API struct {
	// Checks are what has to hold, all of them, for what is no service of OpenStack.
	Checks []Check
	// Service is the type that the catalogue of OpenStack has for it.
	Service string
	// Address is where it answers inside of the cluster; "" for what is found by the catalogue alone.
	Address string
	// Public is where people reach it from outside of the cluster; "" where they do not.
	Public string
	// Hosts are the nodes on which the service has agents, as Kubernetes names them.
	Hosts []string
	// Parts are programs of the service of which one each has to be up wherever that is, with @ and the backend behind
	// those that there are some of for each.
	Parts []string
	// Programs are those of the agents that pods run on nodes.
	Programs []Program
	// Running returns the nodes on which pods of a program's DaemonSets work, or are to. Who asks sets it, and it costs requests:
	// nil is for nobody who knows, and an error for what is not known.
	Running func(ctx context.Context, program Program) ([]string, error)
}

// Program is what has to report to a service from each node that it runs on.
type Program struct {
	Name string // as the service calls it
	// DaemonSet is what runs it. Those for groups of nodes have more behind that name.
	DaemonSet string
	// Beside says that it is the DaemonSet of exactly that name that another release in the same namespace has.
	Beside bool
	// Hosts are the nodes of the configuration that it is for, as Kubernetes names them.
	Hosts []string
}

// ServiceDashboard is the type of what is no API, but pages for people.
const ServiceDashboard = "dashboard"

// Reach says what is known of an API.
type Reach string

// What there is to know. The zero value is for what has no API that is asked.
const (
	ReachNone    Reach = ""
	ReachUnasked Reach = "unasked" // its turn is once all else is ready
	ReachAnswers Reach = "answers"
	ReachRefuses Reach = "refuses" // it says no, or lacks something that it needs
	ReachUnknown Reach = "unknown" // it could not be asked
)

// Answer is what the API behind a release was found to do.
type Answer struct {
	Reach   Reach
	Message string // why it does not do; the same as long as the cause is
	Detail  string // what more is said of that, which may be another text each time; "" for nothing
	Request string // the id by which the log of the service has it, "" for none
}

// Same tells whether two answers say the same: the detail and the id of a request may be others each time.
func (a Answer) Same(other Answer) bool { return a.Reach == other.Reach && a.Message == other.Message }

// String returns the message with its detail and the id of the request.
func (a Answer) String() string {
	text := a.Message
	if a.Detail != "" {
		text += ": " + a.Detail
	}
	if a.Request != "" {
		text += fmt.Sprintf(" (request id %s)", a.Request)
	}
	return text
}

// Nodes returns those of the configuration that the release has pods on which somebody waits for, as Kubernetes names
// them, sorted.
func (r *Release) Nodes() []string {
	var nodes []string
	if r.API != nil {
		for _, program := range r.API.Programs {
			nodes = append(nodes, program.Hosts...)
		}
	}
	if r.LabelReaders != nil {
		nodes = append(nodes, r.LabelReaders.Nodes...)
	}
	slices.Sort(nodes)
	return slices.Compact(nodes)
}
