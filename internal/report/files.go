package report

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// safeName is what can be the name of a file everywhere.
var safeName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$`)

// unsafe are the characters to take out of others.
var unsafe = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// fileName returns a file's path for a name. A name that cannot be one gets a digest, so that two
// of them never share a file.
func fileName(folder, name, extension string) string {
	if !safeName.MatchString(name) || strings.HasSuffix(name, ".") {
		sum := sha256.Sum256([]byte(name))
		readable := strings.Trim(unsafe.ReplaceAllString(name, "-"), "-")
		name = strings.Trim(readable[:min(len(readable), 60)]+"-"+hex.EncodeToString(sum[:4]), "-")
	}
	return folder + "/" + name + extension
}

// resourceFile is the file of one kind of resource.
type resourceFile struct {
	FormatVersion int            `json:"format_version"`
	Kind          string         `json:"kind"`
	Resources     []resourceItem `json:"resources"`
	LeftOut       int            `json:"resources_left_out"`
}

type resourceItem struct {
	Address string       `json:"address"`
	ID      string       `json:"id,omitempty"`
	Lookup  bool         `json:"lookup,omitempty"` // somebody else's, looked up
	Phase   engine.Phase `json:"phase"`
	Reason  string       `json:"reason,omitempty"`
	Action  unit.Action  `json:"action,omitempty"`
	Drift   bool         `json:"drift,omitempty"`
	Fields  []unit.Field `json:"fields,omitempty"`
	Healed  []unit.Field `json:"healed,omitempty"`
	At      string       `json:"at,omitempty"`
}

// resourceFiles adds a file for each kind of resource.
func resourceFiles(files map[string][]byte, d *document) {
	for _, r := range d.Resources {
		files[r.File] = encodeResources(d, r.Kind)
	}
}

func encodeResources(d *document, kind string) []byte {
	l := roomy()
	for {
		f := resourceFile{FormatVersion: FormatVersion, Kind: kind, Resources: []resourceItem{}}
		for i := range d.Units {
			u := &d.Units[i]
			if u.Class != unit.ClassResource && u.Class != unit.ClassWorkload || u.Kind != kind {
				continue
			}
			if l.units > 0 && len(f.Resources) == l.units {
				f.LeftOut++
				continue
			}
			wasCut := false
			f.Resources = append(f.Resources, resourceItem{
				Address: u.Address, ID: u.ID, Lookup: u.status.Address.Mode() == addr.Data, Phase: u.Phase, Reason: line(u.Reason, l.text),
				Action: u.Action, Drift: u.Drift, At: u.At,
				Fields: fields(first(u.Fields, l, &wasCut), l), Healed: fields(first(u.Healed, l, &wasCut), l),
			})
		}
		text := encode(f)
		next, ok := tighter(l)
		if len(text) <= maxFile || !ok {
			return text
		}
		l = next
	}
}
