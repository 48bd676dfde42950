package readme_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestTestsOfTheMakefile looks for the tests that targets run by name: go finds nothing wrong with names that no test has. Each
// alternative has to find one.
func TestTestsOfTheMakefile(t *testing.T) {
	lines := regexp.MustCompile(`(?m)^\t.*-run '([^']+)'.*?((?: \./\S+)+)$`).FindAllStringSubmatch(read(t, "Makefile"), -1)
	ran := 0
	for _, line := range lines {
		pattern := strings.ReplaceAll(line[1], "$$", "$")
		if pattern == "^$" {
			continue // benchmarks
		}
		ran++
		var tests []string
		for _, dir := range strings.Fields(line[2]) {
			files, err := filepath.Glob(filepath.Join(root, dir, "*_test.go"))
			if err != nil || len(files) == 0 {
				t.Errorf("the Makefile runs tests of %s, which has none, %v", dir, err)
			}
			for _, file := range files {
				tests = append(tests, found(`(?m)^func (Test\w+)\(`, read(t, strings.TrimPrefix(file, root+"/")))...)
			}
		}
		for _, one := range alternatives(pattern) {
			if !slices.ContainsFunc(tests, regexp.MustCompile(one).MatchString) {
				t.Errorf("of %s there is no test that is called %s", line[2], one)
			}
		}
	}
	if ran < 6 {
		t.Errorf("the Makefile is written in another way than this test knows: it runs tests by name %d times", ran)
	}
}

// alternatives are the patterns that one is made of, where it has a group of them or nothing but them.
func alternatives(pattern string) []string {
	before, rest, grouped := strings.Cut(pattern, "(")
	group, after, _ := strings.Cut(rest, ")")
	switch {
	case !grouped:
		return strings.Split(pattern, "|")
	case strings.Contains(before, "|"): // the group is the last of them
		own := before[:strings.LastIndex(before, "|")]
		return append(strings.Split(own, "|"), alternatives(strings.TrimPrefix(pattern, own+"|"))...)
	}
	var all []string
	for _, one := range strings.Split(group, "|") {
		all = append(all, before+one+after)
	}
	return all
}
