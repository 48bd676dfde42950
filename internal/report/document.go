package report

import (
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// FormatVersion is the version of status.json. It grows when a field changes its meaning or goes.
const FormatVersion = 1

// document is status.json, and what the other files are made of. Its texts are clean and cut; only
// the escapes of the format that they are written in are missing. schema/status.schema.json
// describes it.
type document struct {
	FormatVersion int        `json:"format_version"`
	Program       string     `json:"program"`
	Verdict       Verdict    `json:"verdict"`
	Source        sourceDoc  `json:"source"`
	Cloud         *cloudDoc  `json:"cloud"`
	Head          *commitDoc `json:"head"`
	Applied       *commitDoc `json:"applied"`
	Bad           *badDoc    `json:"bad"`
	// Plans are those of open reviews.
	Plans        []openPlanDoc `json:"plans,omitempty"`
	PlansLeftOut int           `json:"plans_left_out,omitempty"`
	// Foreign is the newest commit on the status branch that somebody else made.
	Foreign  *commitDoc   `json:"foreign,omitempty"`
	Refused  []findingDoc `json:"refused"`
	Problems []string     `json:"problems"`
	// Warnings are of the commit in force.
	Warnings        []findingDoc `json:"warnings,omitempty"`
	WarningsLeftOut int          `json:"warnings_left_out,omitempty"`
	// Suspensions are those that hold.
	Suspensions        []suspensionDoc `json:"suspensions,omitempty"`
	SuspensionsLeftOut int             `json:"suspensions_left_out,omitempty"`
	// Grants are the roles that our user has given itself.
	Grants        []grantDoc `json:"grants,omitempty"`
	GrantsLeftOut int        `json:"grants_left_out,omitempty"`
	Counts        countsDoc  `json:"counts"`
	// Commits are those that trails name, but for the one in force, by hash.
	Commits   []commitDoc   `json:"commits"`
	Services  []serviceDoc  `json:"services"`
	Nodes     []nodeDoc     `json:"nodes"`
	Resources []resourceDoc `json:"resources"`
	Units     []unitDoc     `json:"units"`
	// UnitsLeftOut is how many units are missing because the file would have become too large.
	UnitsLeftOut int `json:"units_left_out"`
	// Remembered are the trails of units that nobody has looked at since the process began.
	Remembered []rememberedDoc `json:"remembered,omitempty"`
}

type sourceDoc struct {
	Repository string `json:"repository"`
	Ref        string `json:"ref"`
	Path       string `json:"path"`
}

type cloudDoc struct {
	Name           string `json:"name"`
	Release        string `json:"release,omitempty"`
	Region         string `json:"region,omitempty"`
	Namespace      string `json:"namespace,omitempty"`
	NetworkBackend string `json:"network_backend,omitempty"`
	StorageBackend string `json:"storage_backend,omitempty"`
	Profile        string `json:"profile,omitempty"`
}

type commitDoc struct {
	Hash    string `json:"hash"`
	Author  string `json:"author,omitempty"`
	Subject string `json:"subject,omitempty"`
	Time    string `json:"time,omitempty"` // RFC 3339 in UTC
}

type badDoc struct {
	Commit      commitDoc    `json:"commit"`
	Diagnostics []findingDoc `json:"diagnostics"`
	Text        string       `json:"text,omitempty"`
	LeftOut     int          `json:"diagnostics_left_out,omitempty"`
}

// findingDoc is a diagnostic. Its fields are those of package diag's JSON, but the subject is a
// text and what only helps printing is left out.
type findingDoc struct {
	Severity diag.Severity `json:"severity"`
	Code     diag.Code     `json:"code,omitempty"`
	Summary  string        `json:"summary"`
	Detail   string        `json:"detail,omitempty"`
	Hint     string        `json:"hint,omitempty"`
	At       string        `json:"at,omitempty"`
	Address  string        `json:"address,omitempty"`
}

// suspensionDoc is what is left alone. Without a target that is the whole cloud, without by the configuration says
// so, and without until it ends when somebody resumes.
type suspensionDoc struct {
	Target string `json:"target,omitempty"`
	By     string `json:"by,omitempty"`
	Reason string `json:"reason,omitempty"`
	Since  string `json:"since,omitempty"` // RFC 3339 in UTC
	Until  string `json:"until,omitempty"`
	At     string `json:"at,omitempty"` // main.hcl:12
}

type countsDoc struct {
	Units   int                  `json:"units"`
	Drifted int                  `json:"drifted"`
	Healed  int                  `json:"healed"`
	Phases  map[engine.Phase]int `json:"phases"`
}

type serviceDoc struct {
	Name    string       `json:"name"`
	Address string       `json:"address"`
	Enabled bool         `json:"enabled"`
	Class   unit.Class   `json:"class,omitempty"`
	Phase   engine.Phase `json:"phase,omitempty"`
	Reason  string       `json:"reason,omitempty"`
	trail
	File string `json:"file"`
}

type nodeDoc struct {
	Name     string       `json:"name"`
	Address  string       `json:"address"`
	Roles    []string     `json:"roles"`
	Profile  string       `json:"profile,omitempty"`
	Disabled bool         `json:"disabled,omitempty"`
	Phase    engine.Phase `json:"phase,omitempty"`
	Reason   string       `json:"reason,omitempty"`
	trail
	Agents agentsDoc `json:"agents,omitempty"`
	File   string    `json:"file"`
}

// resourceDoc counts the resources of a kind.
type resourceDoc struct {
	Kind    string               `json:"kind"`
	Total   int                  `json:"total"`
	Drifted int                  `json:"drifted"`
	Phases  map[engine.Phase]int `json:"phases"`
	File    string               `json:"file"`
}

type unitDoc struct {
	Address  string            `json:"address"`
	Class    unit.Class        `json:"class"`
	Kind     string            `json:"kind"`
	Phase    engine.Phase      `json:"phase"`
	Reason   string            `json:"reason,omitempty"`
	Waits    []string          `json:"waits,omitempty"`
	Causes   []string          `json:"causes,omitempty"`
	Needs    []needDoc         `json:"needs,omitempty"`
	Action   unit.Action       `json:"action,omitempty"`
	Cost     string            `json:"cost,omitempty"`
	Drift    bool              `json:"drift,omitempty"`
	Fields   []unit.Field      `json:"fields,omitempty"`
	Healed   []unit.Field      `json:"healed,omitempty"`
	Did      []unit.Action     `json:"did,omitempty"`
	ID       string            `json:"id,omitempty"`
	Details  []string          `json:"details,omitempty"`
	Attempts int               `json:"attempts,omitempty"`
	Release  unit.ReleaseState `json:"release,omitempty"`
	// trail lacks the last good commit of a unit that is ready with the one in force.
	trail
	At string `json:"at,omitempty"` // main.hcl:12
	// Cut says that lists are not complete.
	Cut bool `json:"cut,omitempty"`

	status *engine.UnitStatus
}

type rememberedDoc struct {
	Address string `json:"address"`
	trail
}

type needDoc struct {
	To    string         `json:"to"`
	Until unit.Condition `json:"until"`
	Gate  unit.Gate      `json:"gate"`
	Part  string         `json:"part,omitempty"`
}

// maxAttempts is up to where failed attempts are counted out. A count that grows for ever would be
// news, and a commit, for ever.
const maxAttempts = 10

// limits bound what a document holds.
type limits struct {
	text     int // characters of a text
	list     int // elements of a list
	findings int
	units    int // 0: all
}

func roomy() limits { return limits{text: 1000, list: 50, findings: 100} }

// tighter returns what to try when a file is too large, and whether there is anything left to try.
func tighter(l limits) (limits, bool) {
	switch {
	case l.text > 300:
		return limits{text: 300, list: 20, findings: 50}, true
	case l.text > 100:
		return limits{text: 100, list: 5, findings: 20}, true
	case l.text > 40:
		return limits{text: 40, list: 1, findings: 10}, true
	case l.units == 0:
		return limits{text: 40, list: 1, findings: 10, units: 2000}, true
	case l.units > 1:
		l.units /= 2
		return l, true
	default:
		return l, false
	}
}
