package signature

import (
	"bytes"
	"strconv"
	"time"
)

// commit is a raw commit taken apart.
type commit struct {
	signed    []byte // all but the signatures
	signature []byte
	committed time.Time // as the committer says, and so a part of what was signed
}

// The headers that hold signatures; the second is there for repositories that change to SHA-256, and is no part of
// what the first one signs. See "Signed commits" in Git's signature-format.
const (
	headerSignature  = "gpgsig"
	headerSignature2 = "gpgsig-sha256"
	headerCommitter  = "committer"
)

// split takes a raw commit apart. It refuses what Git itself would not make, as two readers could take that for
// different things.
func split(raw []byte) (commit, error) {
	head, message, found := bytes.Cut(raw, []byte("\n\n"))
	if !found {
		return commit{}, untrusted("has no message, and is none that Git makes")
	}
	var c commit
	seen := map[string]bool{}
	name := "" // of the header that the line belongs to
	for line := range bytes.SplitSeq(head, []byte("\n")) {
		value, more := bytes.CutPrefix(line, []byte(" "))
		if !more {
			var key []byte
			key, value, _ = bytes.Cut(line, []byte(" "))
			name = string(key)
			if once := name == headerSignature || name == headerSignature2 || name == headerCommitter || name == "tree" || name == "author"; once && seen[name] {
				return commit{}, untrusted("has the header %q twice, and is none that Git makes", name)
			}
			if early := name == "tree" || name == "parent" || name == "author" || name == headerCommitter; early && (seen[headerSignature] || seen[headerSignature2]) {
				// What is signed would be the same, and Git takes a parent there for none.
				return commit{}, untrusted("has the header %q behind a signature, and is none that Git makes", name)
			}
			seen[name] = true
		}
		switch name {
		case headerSignature:
			c.signature = append(append(c.signature, value...), '\n')
			continue
		case headerSignature2:
			continue
		case headerCommitter:
			c.committed = when(value)
		}
		c.signed = append(append(c.signed, line...), '\n')
	}
	if len(c.signature) == 0 {
		return commit{}, untrusted("is not signed")
	}
	c.signed = append(append(c.signed, '\n'), message...)
	return c, nil
}

// when returns the time at the end of a committer's line; the zero time where there is none.
func when(value []byte) time.Time {
	fields := bytes.Fields(value)
	if len(fields) < 2 {
		return time.Time{}
	}
	seconds, err := strconv.ParseInt(string(fields[len(fields)-2]), 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.Unix(seconds, 0)
}
