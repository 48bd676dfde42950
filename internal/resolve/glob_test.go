package resolve

import "testing"

func TestGlob(t *testing.T) {
	for _, test := range []struct {
		pattern, path string
		want          bool
	}{
		{"*.txt", "a.txt", true},
		{"*.txt", "d/a.txt", false},
		{"./*.txt", "a.txt", true},
		{"**/*.txt", "a.txt", true},
		{"**/*.txt", "d/e/a.txt", true},
		{"d/**", "d/e/a.txt", true},
		{"d/**", "e/a.txt", false},
		{"a?c", "abc", true},
		{"a?c", "a/c", false},
		{"a.c", "abc", false},
		{"[a-c]x", "bx", true},
		{"[^a-c]x", "bx", false},
		{"{a,b}/{c,d}.*", "b/c.x", true},
		{"{a,b", "a", false},
		{`\*`, "*", true},
		{`\*`, "a", false},
		{"é?", "éü", true},
		{"(a+)+$", "(a+)+$", true},
	} {
		re, err := compileGlob(test.pattern)
		if got := err == nil && re.MatchString(test.path); got != test.want {
			t.Errorf("%q matches %q: %v (%v), want %v", test.pattern, test.path, got, err, test.want)
		}
	}
}

// FuzzGlob compiles any pattern: nothing may panic, and what compiles can be asked.
func FuzzGlob(f *testing.F) {
	for _, seed := range []string{"**/*.{yaml,yml}", "[!a-z]", `\`, "{a,{b}}", "[[", "é*"} {
		f.Add(seed, "a/b.yaml")
	}
	f.Fuzz(func(t *testing.T, pattern, path string) {
		if re, err := compileGlob(pattern); (re == nil) != (err != nil) {
			t.Errorf("%q: %v", pattern, err)
		} else if re != nil {
			re.MatchString(path)
		}
	})
}
