package report

import (
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/model"
)

// Commit is a revision of the configuration. Hash is the content's hash for a local directory,
// which has no author, subject and time.
type Commit struct {
	Hash    string
	Author  string
	Subject string
	Time    time.Time
}

// Bad is a commit that is not in force because it has errors.
type Bad struct {
	Commit      Commit
	Diagnostics diag.Diagnostics
	// Text is how the diagnostics are printed for people, with the lines of the source. Secrets
	// are masked in it.
	Text string
}

// Input is everything that the status follows from.
type Input struct {
	Version string // of the program
	// Where the configuration comes from, without credentials.
	Repository, Ref, Path string

	Head    Commit // the newest commit that was seen
	Applied Commit // the one in force; its hash is empty before the first, and where nobody has looked yet: then it is that of Last
	// Bad is set when the newest commit is not in force because it has errors.
	Bad *Bad
	// Warnings are of Applied. They change no verdict.
	Warnings diag.Diagnostics
	// Foreign is the newest commit on the status branch that somebody else made; its hash is empty when this
	// process saw none. What Last says of such a commit is said again then.
	Foreign Commit
	// Plans are those of open reviews that there are files of.
	Plans []OpenPlan
	// Problems are what keeps us from working at all, a line each: a repository that cannot be
	// reached, a credential that was refused.
	Problems []string

	Model    *model.Model    // of Applied; nil before the first
	Snapshot engine.Snapshot // of Applied; empty before the first

	// Agents are those of services of OpenStack, by the name of the service. What Last says of a service's
	// agents is said again while the service is missing here: nobody has asked it yet.
	Agents map[string]Agents

	// History is what this period's history file holds now, nil if there is none: the file that
	// [HistoryFile] names for Now. Earlier is the newest history file before it. A revision that
	// either of them has recorded is not recorded again.
	History, Earlier []byte
	// Last is the file [FileStatus] of the last report, nil if there is none. What it says was done
	// under the commit that is still in force is said again, and so is with which commits units
	// worked before.
	Last []byte
	// Now is used for the history only.
	Now time.Time
	// Started is when Applied was taken up.
	Started time.Time

	last   *lastReport // what Last says; nil for nothing
	trails trails
}

// The names of the files that there always are.
const (
	FileReadme = "README.md"
	FileStatus = "status.json"
)

// Render returns the files of the status by their names, with slashes, and the verdict. Of the
// history only this period's file is among them; files of other periods are to be kept.
func Render(in Input) (map[string][]byte, Verdict) {
	in.last = readLast(in.Last)
	in.Applied = in.lastApplied()
	in.Snapshot.Units = remember(&in)
	in.trails = trace(&in)
	verdict := Judge(&in)
	d := newDocument(&in, verdict, roomy())
	files := map[string][]byte{
		FileReadme: readme(d),
		FileStatus: statusJSON(&in, d),
	}
	x := indexOf(d)
	servicePages(files, &in, d, x)
	nodePages(files, &in, d, x)
	resourceFiles(files, d)
	if history := appendHistory(&in, verdict, d); len(history) > 0 {
		files[HistoryFile(in.Now)] = history
	}
	return files, verdict
}

// lastApplied is the commit in force; that of the last report where nobody has looked at the repository yet, nor at anything
// else. It is shown, and nothing is done by it.
func (in *Input) lastApplied() Commit {
	if in.Applied.Hash != "" || in.Head.Hash != "" || in.Bad != nil || in.Snapshot.Revision != "" || in.last == nil || in.last.Applied == nil {
		return in.Applied
	}
	c := cleanCommit(*in.last.Applied)
	when, _ := time.Parse(time.RFC3339, c.Time) // none where there is none
	return Commit{Hash: c.Hash, Author: c.Author, Subject: c.Subject, Time: when}
}
