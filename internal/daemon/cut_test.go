package daemon_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/daemon"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestWhatIsCutIsMaskedBefore: of a secret that stands where a text is cut nothing is shown or told, wherever it begins, and
// whatever the text is about.
func TestWhatIsCutIsMaskedBefore(t *testing.T) {
	for name, cut := range map[string]int{"subject": 128, "else": 1024} {
		for begins := cut - len(canary) - 20; begins < cut+2; begins++ {
			text := strings.Repeat("a ", begins/2) + strings.Repeat("b", begins%2) + canary + strings.Repeat(" c", 20)
			s := newServices(t, "keystone", "glance")
			s.state.InForce, s.state.InForceModel, s.now.InForce = gitrepo.Commit{Hash: "1111", Subject: text}, s.state.Model, "1111"
			s.set("keystone", engine.PhaseFailed, text)
			s.set("glance", engine.PhaseReady, "")
			glance := &s.now.Units[1]
			glance.API, glance.Mended, glance.Healed = unit.Answer{Reach: unit.ReachRefuses, Message: "it says no", Detail: text}, 1, []unit.Field{{Path: text}}
			s.state.Head = gitrepo.Commit{Hash: "2222", Subject: text}
			s.state.Bad = &revision.Findings{Diagnostics: diag.Diagnostics{{Severity: diag.Error, Code: "x.y", Summary: text}}}
			if err := daemon.ShowAndTell(s.board)(t.Context(), s.state, s.now); err != nil {
				t.Fatal(err)
			}
			if len(s.told) < 4 {
				t.Errorf("told is %+v", s.told)
			}
			shown := fmt.Sprintf("%+v %+v", s.shown, s.told)
			sighting := engine.Sighting{Address: addr.MustParseObject("service.glance"), Standing: engine.StandsFailed, Why: text}
			if wrote, err := daemon.ShowUnknown(t.Context(), s.board, text, sighting); err != nil || wrote == 0 {
				t.Errorf("wrote %d, %v", wrote, err)
			}
			if shown += fmt.Sprintf("%+v", s.shown); strings.ContainsAny(shown, canary[:2]) {
				t.Fatalf("%s: a secret that begins behind %d characters is shown in part: %s", name, begins, shown)
			}
			if cut == 1024 && begins > 1000 && !strings.Contains(shown, "…") {
				t.Error("nothing is cut")
			}
		}
	}
}
