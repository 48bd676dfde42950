package revision

import (
	"fmt"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
)

// codeTearDown is about a cloud that was to be taken away and is called otherwise.
const codeTearDown diag.Code = "revision.tear-down"

// tearDown has a cloud taken away as a removed block does that names it. The name says that this one is meant.
func tearDown(m *model.Model, name string) diag.Diagnostics {
	cloud := &m.Cloud
	if cloud.Name != name {
		return diag.Diagnostics{{
			Code: codeTearDown, Subject: &cloud.Range, Summary: "another cloud",
			Detail: fmt.Sprintf("the cloud %q is to be taken away, and this configuration describes %q", name, cloud.Name),
			Hint:   "look at --repo and --path; nothing was taken away",
		}}
	}
	for i := range m.Removals {
		m.Removals[i].DeleteData = nil // what is typed counts, and it names the data that goes itself
	}
	if !m.TearDown {
		m.TearDown = true
		m.Removals = append(m.Removals, model.Removal{From: addr.Module{}, Destroy: true, Range: cloud.Range})
	}
	return nil
}
