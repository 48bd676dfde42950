package export_test

import (
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/export"
)

// TestKeep: of what an export of other kinds looks up that stays which others refer to.
func TestKeep(t *testing.T) {
	const (
		office = "data \"network\" \"office\" {\n  name = \"office\"\n}\n"
		plant  = "data \"network\" \"plant-2\" {\n  name = \"plant 2\"\n}\n"
		other  = "data \"network\" \"office\" {\n  id = \"1\"\n}\n"
	)
	for name, test := range map[string]struct {
		earlier, later, others string
		want, says             string
	}{
		"what is needed":          {earlier: office + "\n" + plant, others: "router \"a\" {\n  external_network = data.network.plant-2\n}\n", want: plant},
		"behind what is new":      {earlier: office, later: plant, others: "x = data.network.office", want: plant + "\n" + office},
		"the same":                {earlier: office, later: office, others: "x = data.network.office", want: office},
		"nobody needs it":         {earlier: office, later: plant, others: "x = network.office", want: plant},
		"one that begins alike":   {earlier: office, later: plant, others: "x = data.network.office-2", want: plant},
		"in a list":               {earlier: office, others: "x = [data.network.office, 1]", want: office},
		"in a text of a template": {earlier: office, others: "x = \"${data.network.office.id}\"", want: office},
		"another of the name":     {earlier: other, later: office, others: "x = data.network.office", says: "data.network.office of data.hcl is another look-up now"},
		"another, not needed":     {earlier: other, later: office, want: office},
		"somebody's own beside":   {earlier: office + "\nlocals {\n  a = 1\n}\n", later: office, says: "has more in it"},
		"not to its end":          {earlier: "data \"network\" \"office\" {\n", later: office, says: "has more in it"},
		"too much": {
			earlier: office, later: "data \"network\" \"a\" {\n  name = \"" + strings.Repeat("a", 1<<20-80) + "\"\n}\n", others: "x = data.network.office", says: "would have more than",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := export.Keep(export.File{Name: "data.hcl", Content: []byte(export.Header + test.earlier)}, []byte(test.later), []export.File{{Name: "data.hcl", Content: []byte(test.later)}}, [][]byte{[]byte(test.others)})
			if test.says != "" {
				if err == nil || !strings.Contains(err.Error(), test.says) {
					t.Errorf("%v\n%s", err, got)
				}
				return
			}
			if err != nil || string(got) != test.want {
				t.Errorf("%v\n%s", err, got)
			}
		})
	}
}

// TestKeepWhatDataBlocksReferTo: a data block that stays may look in what another one looks up.
func TestKeepWhatDataBlocksReferTo(t *testing.T) {
	const (
		shop   = "data \"project\" \"shop\" {\n  name = \"shop\"\n}\n"
		group  = "data \"security_group\" \"default\" {\n  name    = \"default\"\n  project = data.project.shop\n}\n"
		shopID = "data \"project\" \"shop\" {\n  id = \"1\"\n}\n"
		ports  = "port \"a\" {\n  security_groups = [data.security_group.default]\n}\n"
	)
	keep := func(earlier, later string) (string, error) {
		got, err := export.Keep(export.File{Name: "data.hcl", Content: []byte(export.Header + earlier)}, []byte(later), []export.File{{Name: "data.hcl", Content: []byte(later)}}, [][]byte{[]byte(ports)})
		return string(got), err
	}
	if got, err := keep(shop+"\n"+group, ""); err != nil || got != shop+"\n"+group {
		t.Errorf("%v\n%s", err, got)
	}
	if got, err := keep(group+"\n"+shop, shop); err != nil || got != shop+"\n"+group {
		t.Errorf("%v\n%s", err, got)
	}
	if got, err := keep(shop+"\n"+group, shopID); err == nil || !strings.Contains(err.Error(), "data.project.shop of data.hcl is another look-up now") {
		t.Errorf("%v\n%s", err, got)
	}
}
