package statusbranch

import (
	"io/fs"
	"strings"
	"testing"
)

func TestPlanFile(t *testing.T) {
	for ref, want := range map[string]string{
		"refs/heads/main":          "plans/heads~main.md",
		"refs/heads/feature/login": "plans/heads~feature~login.md",
		"refs/heads/v1.2_x-3":      "plans/heads~v1.2_x-3.md",
		"refs/tags/main":           "plans/tags~main.md",
		"refs/heads/tags/main":     "plans/heads~tags~main.md",
		"refs/pull/7/head":         "plans/pull~7~head.md",
		"refs/heads/Feature":       "plans/heads-feature~~",
		"refs/heads/feature":       "plans/heads~feature.md",
		"refs/notes":               "plans/notes~~",
		"HEAD":                     "plans/head~~",
		"refs/heads/ü":             "plans/heads~~",
		"refs/heads/a+b":           "plans/heads-a-b~~",
		"refs/heads/a\nb":          "plans/heads-a-b~~",
		"refs/heads/a~b":           "plans/heads-a-b~~",
		"refs/heads//b":            "plans/heads-b~~",
		"/etc/passwd":              "plans/etc-passwd~~",
		"../../x":                  "plans/x~~",
		"":                         "plans/~~",
	} {
		got := PlanFile(ref)
		if got != want && (!strings.HasPrefix(got, want) || !strings.HasSuffix(want, "~~")) {
			t.Errorf("%q has the plan %s, want %s", ref, got, want)
		}
	}
}

// Whatever a ref is called, its files are ours, lie where plans are, and are another one's on no file system.
func TestPlanNames(t *testing.T) {
	refs := []string{
		"HEAD", "", "refs", "refs/", "refs/x", "refs/heads/x", "refs/heads/X", "refs/Heads/x", "refs/tags/x", "refs/heads/a/b", "refs/heads/a~b",
		"refs/heads/a-b", "refs/heads/a+b", "refs/heads/a_b", "refs/heads/a.b", "refs/heads/A/b", "refs/heads/a/B", "refs/heads/..", "refs/../..",
		"refs/heads/../../../etc", "refs/heads/.git", "refs/git/1", "refs/heads/CON", "refs/heads/nul", "refs/heads/x.", "refs/heads/x ",
		"refs/heads/x.md", "refs/heads/x.json", "refs/heads/heads-x~~00000000000000000000000000000000", "refs/heads/\u00e4", "refs/heads/a\u0308",
		"refs/heads/\xff", "refs/heads/a:b", `refs/heads/a\b`, "refs/heads/-", "refs/heads/~~",
		"refs/heads/" + strings.Repeat("a", 94), "refs/heads/" + strings.Repeat("a", 95), "refs/heads/" + strings.Repeat("a", 4000),
		"refs/heads/" + strings.Repeat("a", 4001), "refs/heads/" + strings.Repeat("a/", 50) + "a",
	}
	seen := map[string]string{}
	for _, ref := range refs {
		name := planName(ref)
		if !isPlanName(name) {
			t.Errorf("%q has the name %q, which is none of ours", ref, name)
		}
		if file := PlanFile(ref); !fs.ValidPath(file) || strings.Count(file, "/") != 1 || len(file) > 120 || strings.ToLower(file) != file || strings.ContainsAny(file, "\\:*?\"<>|% ") {
			t.Errorf("%q has the file %q", ref, file)
		}
		if other, taken := seen[name]; taken {
			t.Errorf("%q and %q share the name %s", ref, other, name)
		}
		seen[name] = ref
	}
	for _, name := range []string{"notes", "README", "readme", "heads~X", "heads~", "~heads", "a~~b", "heads~~0", "..", "heads~x~", strings.Repeat("a", 200) + "~b"} {
		if isPlanName(name) {
			t.Errorf("%q is taken for ours", name)
		}
	}
}

func FuzzPlanName(f *testing.F) {
	for _, ref := range []string{"refs/heads/a/b", "refs/heads/..", "refs/heads/Ü", "HEAD"} {
		f.Add(ref)
	}
	f.Fuzz(func(t *testing.T, ref string) {
		name := planName(ref)
		if !isPlanName(name) || !fs.ValidPath("plans/"+name) || strings.Contains(name, "/") || len(name) > maxPlainPlan {
			t.Errorf("%q has the name %q", ref, name)
		}
		if back := "refs/" + strings.ReplaceAll(name, "~", "/"); !strings.Contains(name, "~~") && back != ref {
			t.Errorf("%q has the name %q, which is that of %q", ref, name, back)
		}
	})
}
