package resolve_test

import (
	"fmt"
	"strings"
	"testing"
)

// What is wrong with a profile is told where it is written, also while nobody uses it.
func TestProfilesThatNobodyUses(t *testing.T) {
	profile := func(label, from, settings string) string {
		return fmt.Sprintf("profile %q {\n  %s\n  service \"nova\" {\n    %s\n  }\n}\n", label, from, settings)
	}
	cloud := cloudWithService("\n    conf = { text = \"x\", list = [1] }\n") // eight lines
	for name, c := range map[string]struct {
		text string
		want string // the places and summaries
	}{
		"good":              {profile("p", "", `conf = { list = append([2]), other = append([3]) }`), ""},
		"no list":           {profile("p", "", `conf = { text = append([2]) }`), "main.hcl:12 addition to what is no list"},
		"no list in a base": {profile("p", "", `conf = { text = append([2]) }`) + profile("q", "from = profile.p", `conf = { a = 1 }`), "main.hcl:12 addition to what is no list"},
		"a list in a base":  {profile("p", "", `conf = { text = [1] }`) + profile("q", "from = profile.p", `conf = { text = append([2]) }`), ""},
		"a wrong value":     {profile("p", "", `replicas = "x"`), "main.hcl:12 wrong type of value"},
		"a part without":    {profile("p", "", `replicas = { nothing = 1 }`), "main.hcl:12 invalid replicas"},
		"in a circle":       {profile("p", "from = profile.q", "") + profile("q", "from = profile.p", ""), "main.hcl:10 references in a circle"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, diags := resolveText(t, cloud+c.text, nil)
			var told []string
			for _, d := range diags {
				told = append(told, fmt.Sprintf("%s:%d %s", d.Subject.File, d.Subject.Start.Line, d.Summary))
			}
			if got := strings.Join(told, "; "); got != c.want {
				t.Errorf("told %q, want %q", got, c.want)
			}
		})
	}
}
