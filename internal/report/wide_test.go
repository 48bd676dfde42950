package report_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/report"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestPagesOfManyNodes has thousands of nodes that share a large configuration, which is deep as well.
func TestPagesOfManyNodes(t *testing.T) {
	lines := make([]cty.Value, 20_000)
	for i := range lines {
		lines[i] = cty.StringVal(fmt.Sprintf("line %d", i))
	}
	deep := cty.StringVal("bottom")
	for range 2000 {
		deep = cty.ObjectVal(map[string]cty.Value{"d": deep})
	}
	services := []model.NodeService{
		{Name: "nova", Conf: cty.ObjectVal(map[string]cty.Value{"lines": cty.TupleVal(lines)})}, {Name: "neutron", Conf: deep},
	}
	sizes := map[int]int{}
	for _, n := range []int{2, 4000} {
		in := cloud()
		in.Model.Nodes, in.Snapshot.Units = nil, nil
		for i := range n {
			a := addr.MustParseObject(fmt.Sprintf("node.n%d", i))
			in.Model.Nodes = append(in.Model.Nodes, model.Node{Name: a.Name(), Address: a, Profile: "gpu", Services: services})
			in.Snapshot.Units = append(in.Snapshot.Units, status(a.String(), unit.ClassNode, unit.KindNode, "node.n0"))
		}
		files, _ := report.Render(in)
		for name, content := range files {
			if strings.HasPrefix(name, "nodes/") {
				sizes[n] += len(content)
			}
		}
		page := string(files["nodes/n0.md"])
		if whole := strings.Contains(page, "line 2000\"") && strings.Contains(page, "…"); whole != (n == 2) || !strings.Contains(page, "Needed by") {
			t.Errorf("%d nodes: %.2000s", n, page)
		}
	}
	if sizes[2] > 2*120_000 || sizes[4000] > 16<<20 {
		t.Errorf("the pages have %v bytes", sizes)
	}
}
