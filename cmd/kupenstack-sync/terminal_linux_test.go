package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
)

// enquiry is a character that a screen does not show; what was written before it has been read when it
// comes.
const enquiry = '\x05'

// terminal is a pseudo terminal with the little of a screen that the progress uses.
type terminal struct {
	t               *testing.T
	keeper, user    *os.File // its two ends
	columns, height int
	lines           [][]rune
	row, column     int
	scrolled        []string // off the top
}

func openTerminal(t *testing.T, columns, height int) *terminal {
	t.Helper()
	keeper, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("there are no pseudo terminals here")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = keeper.Close() })
	fd := int(keeper.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: uint16(height), Col: uint16(columns)}); err != nil {
		t.Fatal(err)
	}
	user, err := os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = user.Close() })
	return &terminal{t: t, keeper: keeper, user: user, columns: columns, height: height, lines: make([][]rune, height)}
}

// see reads what was written so far, and returns what is on the screen.
func (s *terminal) see() string {
	s.t.Helper()
	fmt.Fprint(s.user, string(enquiry))
	var written []byte
	for chunk := make([]byte, 4096); !slices.Contains(written, enquiry); {
		n, err := s.keeper.Read(chunk)
		if err != nil {
			s.t.Fatal(err)
		}
		written = append(written, chunk[:n]...)
	}
	s.draw(strings.TrimSuffix(string(written), string(enquiry)))
	var b strings.Builder
	for _, line := range s.lines {
		b.WriteString(string(line) + "\n")
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

func (s *terminal) draw(text string) {
	s.t.Helper()
	for text != "" {
		var up int
		rest, escape := strings.CutPrefix(text, "\x1b[")
		switch n, err := fmt.Sscanf(rest, "%dA", &up); {
		case escape && n == 1 && err == nil:
			s.row, text = max(s.row-up, 0), rest[strings.Index(rest, "A")+1:]
			continue
		case escape && strings.HasPrefix(rest, "J"): // from the cursor to the end
			s.lines[s.row] = s.lines[s.row][:min(s.column, len(s.lines[s.row]))]
			for i := s.row + 1; i < s.height; i++ {
				s.lines[i] = nil
			}
			text = rest[1:]
			continue
		case escape:
			s.t.Fatalf("what is %q?", text)
		}
		r := []rune(text)[0]
		s.put(r)
		text = text[len(string(r)):]
	}
}

func (s *terminal) put(r rune) {
	switch r {
	case '\r':
		s.column = 0
	case '\n':
		s.down()
	default:
		if s.column == s.columns {
			s.column = 0
			s.down()
		}
		line := s.lines[s.row]
		for len(line) <= s.column {
			line = append(line, ' ')
		}
		line[s.column] = r
		s.lines[s.row] = line
		s.column++
	}
}

func (s *terminal) down() {
	if s.row++; s.row == s.height {
		s.scrolled = append(s.scrolled, string(s.lines[0]))
		s.lines = append(s.lines[1:], nil)
		s.row--
	}
}

// unitsOf are so many units, of which some are ready.
func unitsOf(units, ready int) engine.Snapshot {
	var s engine.Snapshot
	for i := range units {
		u := engine.UnitStatus{
			Address: addr.MustParseObject(fmt.Sprintf("network.n%02d", i)), Kind: "network",
			Phase: engine.PhaseReconciling, Reason: strings.Repeat("a long story ", 20),
		}
		if i < ready {
			u.Phase, u.Reason = engine.PhaseReady, ""
		}
		s.Units = append(s.Units, u)
	}
	return s
}

// The table is drawn over itself, and never scrolls what it cannot draw over off the screen.
func TestProgressOnATerminal(t *testing.T) {
	t.Setenv("TERM", "xterm")
	const prompt = "$ kupenstack-sync\n"
	for _, height := range []int{2, 3, 6, 12, 40} {
		t.Run(fmt.Sprintf("%d rows", height), func(t *testing.T) {
			screen := openTerminal(t, 50, height)
			fmt.Fprint(screen.user, prompt)
			p := newProgress(screen.user)
			for _, ready := range []int{0, 10, 27, 29, 28, 30} {
				p.show(unitsOf(30, ready))
				seen := screen.see()
				if n := strings.Count(seen, " of 30 ready"); n != 1 || !strings.Contains(seen, fmt.Sprintf("%d of 30 ready", ready)) {
					t.Errorf("with %d ready the screen has %d tables:\n%s", ready, n, seen)
				}
				if hidden := 30 - ready - strings.Count(seen, "network.n"); hidden > 0 && height > 2 && !strings.Contains(seen, fmt.Sprintf("and %d more", hidden)) {
					t.Errorf("it does not say that %d are not shown:\n%s", hidden, seen)
				}
			}
			p.end()
			fmt.Fprintln(screen.user, "converged: 30 ready")
			seen := screen.see()
			left := strings.Join(screen.scrolled, "\n")
			if strings.Contains(left, "network.n") || strings.Count(left, "ready")+strings.Count(seen, "ready") != 2 ||
				!strings.HasSuffix(seen, "30 of 30 ready\nconverged: 30 ready\n") && height > 2 {
				t.Errorf("in the end, with these lines scrolled off:\n%s\nthere are\n%s", left, seen)
			}
		})
	}
}
