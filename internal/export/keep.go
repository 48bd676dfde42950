package export

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/config"
)

// look is a data block of a file that an export has written.
type look struct{ address, text string }

var beginOfLook = regexp.MustCompile(`^data "([^"]+)" "([^"]+)" \{(\}?)$`)

// Keep returns a file of data blocks for the place of one that an export of other kinds has written: those blocks of it that
// others of the directory still refer to, behind what this export looks up. later is the file that takes its place, nil for none;
// written are all files of this export. An error says why a person has to decide.
func Keep(earlier File, later []byte, written []File, others [][]byte) ([]byte, error) {
	old, whole := looksIn(earlier.Content)
	if !whole {
		return nil, fmt.Errorf("%s has more in it than the data blocks of an export", earlier.Name)
	}
	ours := map[string]string{}
	for _, f := range written {
		looks, _ := looksIn(f.Content)
		for _, l := range looks {
			ours[l.address] = l.text
		}
	}
	all := bytes.Clone(later)
	needed := neededOf(old, ours, others)
	for _, l := range old {
		text, again := ours[l.address]
		switch {
		case again && text == l.text, !needed[l.address]:
			continue
		case again:
			return nil, fmt.Errorf("%s of %s is another look-up now, and other files refer to it", l.address, earlier.Name)
		}
		if len(all) > 0 {
			all = append(all, '\n')
		}
		all = append(all, l.text...)
	}
	if limit := int(config.DefaultLimits().FileBytes) - len(Header); len(all) > limit {
		return nil, fmt.Errorf("%s would have more than %d bytes with the data blocks in it that other files refer to", earlier.Name, limit)
	}
	return all, nil
}

// neededOf are the data blocks that others refer to, or that one refers to which stays for that.
func neededOf(old []look, ours map[string]string, others [][]byte) map[string]bool {
	others, needed := slices.Clone(others), map[string]bool{}
	for more := true; more; {
		more = false
		for _, l := range old {
			if needed[l.address] || !refersTo(others, l.address) {
				continue
			}
			needed[l.address], more = true, true
			if _, again := ours[l.address]; !again {
				others = append(others, []byte(l.text))
			}
		}
	}
	return needed
}

// looksIn takes a file of data blocks apart; false where there is anything else in it.
func looksIn(content []byte) (looks []look, whole bool) {
	var inside []string
	address := ""
	for line := range strings.Lines(string(content)) {
		line = strings.TrimRight(line, "\r\n")
		begin := beginOfLook.FindStringSubmatch(line)
		switch {
		case address == "" && (line == "" || strings.HasPrefix(line, "#")):
			continue
		case address == "" && begin == nil:
			return looks, false
		case address == "":
			address, inside = "data."+begin[1]+"."+begin[2], nil
		}
		inside = append(inside, line)
		if line == "}" || begin != nil && begin[3] != "" {
			looks, address = append(looks, look{address, strings.Join(inside, "\n") + "\n"}), ""
		}
	}
	return looks, address == ""
}

// refersTo tells whether an address is in any of the files.
func refersTo(files [][]byte, address string) bool {
	pattern := regexp.MustCompile(`\b` + regexp.QuoteMeta(address) + `($|[^\w-])`)
	for _, content := range files {
		if pattern.Match(content) {
			return true
		}
	}
	return false
}
