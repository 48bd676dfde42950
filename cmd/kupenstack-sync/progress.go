package main

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/report"
)

// The size of a terminal that does not tell its own.
const (
	usualColumns = 80
	usualRows    = 24
)

// progress shows what is going on: on a terminal a table that is drawn anew, elsewhere a line for
// each change. It goes to standard error, so that standard output has the result alone.
type progress struct {
	out   *os.File
	live  bool
	lines int // of the table that is on the screen
	last  engine.Snapshot
}

func newProgress(out *os.File) *progress {
	return &progress{out: out, live: term.IsTerminal(int(out.Fd())) && os.Getenv("TERM") != "dumb"}
}

func (p *progress) show(s engine.Snapshot) {
	if !p.live {
		for _, line := range report.Lines(p.last, s) {
			fmt.Fprintln(p.out, line)
		}
		p.last = s
		return
	}
	columns, rows, err := term.GetSize(int(p.out.Fd()))
	if err != nil || columns < 20 {
		columns = usualColumns
	}
	if err != nil || rows < 2 {
		rows = usualRows
	}
	// The last row is the cursor's: what is scrolled off the screen cannot be drawn anew.
	table := report.Table(s, columns-1, rows-1)
	var b strings.Builder
	if p.lines > 0 {
		fmt.Fprintf(&b, "\x1b[%dA\x1b[J", p.lines)
	}
	b.WriteString(table)
	fmt.Fprint(p.out, b.String())
	p.lines = strings.Count(table, "\n")
}

func (p *progress) end() { p.lines = 0 }
