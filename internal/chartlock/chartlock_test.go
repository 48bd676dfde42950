package chartlock_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/chartlock"
)

var sum = "sha256:" + strings.Repeat("0f", 32)

func entry(name, constraint, version string) chartlock.Entry {
	return chartlock.Entry{Wanted: chartlock.Wanted{Repository: "https://charts.example.org", Name: name, Constraint: constraint}, Version: version, Digest: sum}
}

func TestBytes(t *testing.T) {
	lock := chartlock.New([]chartlock.Entry{entry("nova", ">= 1.0, < 2", "1.4.0"), entry("glance", "", "v2.0.1+ab")})
	const want = `{
  "format": 1,
  "charts": [
    {
      "repository": "https://charts.example.org",
      "name": "glance",
      "version": "v2.0.1+ab",
      "digest": "SUM"
    },
    {
      "repository": "https://charts.example.org",
      "name": "nova",
      "constraint": ">= 1.0, < 2",
      "version": "1.4.0",
      "digest": "SUM"
    }
  ]
}
`
	text := lock.Bytes()
	if got := strings.ReplaceAll(string(text), sum, "SUM"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	again, err := chartlock.Parse(text)
	if err != nil || string(again.Bytes()) != string(text) {
		t.Errorf("what was written is read as %v, %v", again, err)
	}
	if got := string((*chartlock.Lock)(nil).Bytes()); got != "{\n  \"format\": 1,\n  \"charts\": []\n}\n" {
		t.Errorf("no entries are written as %q", got)
	}
}

func TestFind(t *testing.T) {
	lock := chartlock.New([]chartlock.Entry{entry("nova", "~1.4", "1.4.9"), entry("nova", "~1.5", "1.5.2"), entry("glance", "", "2.0.0")})
	of := func(name, constraint string) chartlock.Wanted {
		return chartlock.Wanted{Repository: "https://charts.example.org", Name: name, Constraint: constraint}
	}
	if e, ok := lock.Find(of("nova", "~1.5")); !ok || e.Version != "1.5.2" {
		t.Errorf("found %v, %t", e, ok)
	}
	for _, w := range []chartlock.Wanted{of("nova", ""), of("keystone", ""), {Repository: "oci://charts.example.org", Name: "glance"}} {
		if e, ok := lock.Find(w); ok {
			t.Errorf("found %v for %v", e, w)
		}
	}
	for constraint, want := range map[string]string{"": "1.5.2", "~1.4.3": "1.4.9", "< 2": "1.5.2", "> 2": "", "no": ""} {
		e, ok := lock.Nearest(of("nova", constraint))
		if e.Version != want || ok != (want != "") || e.Wanted != of("nova", constraint) {
			t.Errorf("nearest to %q: %v, %t", constraint, e, ok)
		}
	}
	var none *chartlock.Lock
	if _, ok := none.Find(of("nova", "")); ok {
		t.Error("found something in no lock")
	}
	if _, ok := none.Nearest(of("nova", "")); ok {
		t.Error("something is near in no lock")
	}
}

func TestParse(t *testing.T) {
	one := func(fields string) string { return `{"format": 1, "charts": [` + "\n{" + fields + "}\n]}" }
	good := `"repository": "oci://r", "name": "nova", "version": "1.4.0", "digest": "` + sum + `"`
	commit := strings.Repeat("0f", 20)
	ofGit := func(commit string) string {
		return strings.Replace(good, "oci://r", "git+https://git.example.org/r", 1) + `, "commit": "` + commit + `"`
	}
	for name, c := range map[string]struct {
		text, want string
		line       int
	}{
		"good":            {one(good), "", 0},
		"v before":        {one(strings.Replace(good, "1.4.0", "v1.4.0", 1)), "", 0},
		"not JSON":        {"{\n<<<<<<< HEAD\n", "invalid character", 2},
		"cut off":         {"{\"format\": 1,\n", "unexpected end", 2},
		"later format":    {`{"format": 2, "locks": {}}`, "its format is 2, and this program knows 1", 0},
		"no format":       {`{}`, "its format is 0", 0},
		"unknown field":   {one(good + `, "tag": "x"`), "unknown field", 0},
		"another type":    {one(strings.Replace(good, `"1.4.0"`, "1.4", 1)), "cannot unmarshal number", 2},
		"no name":         {one(strings.Replace(good, `"nova"`, `""`, 1)), "name and repository are needed", 0},
		"short digest":    {one(strings.Replace(good, "0f", "0", 1)), "the digest is not sha256:", 0},
		"a range":         {one(strings.Replace(good, "1.4.0", "~1.4", 1)), `"~1.4" is not a version`, 0},
		"no version":      {one(strings.Replace(good, "1.4.0", "", 1)), `"" is not a version`, 0},
		"does not fit":    {one(good + `, "constraint": "~2.0"`), `version 1.4.0 is not among those of its constraint "~2.0"`, 0},
		"of Git":          {one(ofGit(commit)), "", 0},
		"no commit":       {one(ofGit("")), "the commit is not 40 hexadecimal digits", 0},
		"short commit":    {one(ofGit(commit[:12])), "the commit is not 40 hexadecimal digits", 0},
		"too much":        {one(good + `, "commit": "` + commit + `"`), "its repository is none of Git", 0},
		"twice":           {one(good + "}, {" + good), "two entries for the same chart", 0},
		"images":          {strings.TrimSuffix(one(good), "}") + `, "images": [{"image": "quay.io/a:1", "digest": "` + sum + `", "services": ["nova"]}]}`, "", 0},
		"no image":        {strings.TrimSuffix(one(good), "}") + `, "images": [{"image": "", "digest": "` + sum + `"}]}`, "the name of an image without a digest is needed", 0},
		"pinned already":  {strings.TrimSuffix(one(good), "}") + `, "images": [{"image": "a:1@` + sum + `", "digest": "` + sum + `"}]}`, "the name of an image without a digest is needed", 0},
		"another digest":  {strings.TrimSuffix(one(good), "}") + `, "images": [{"image": "quay.io/a:1", "digest": "md5:0"}]}`, `the entry of "quay.io/a:1": the digest is not sha256:`, 0},
		"nobody's image":  {strings.TrimSuffix(one(good), "}") + `, "images": [{"image": "quay.io/a:1", "digest": "` + sum + `", "services": []}]}`, `the entry of "quay.io/a:1": it has no service`, 0},
		"an image twice":  {strings.TrimSuffix(one(good), "}") + `, "images": [{"image": "a:1", "digest": "` + sum + `", "services": ["nova"]}, {"image": "a:1", "digest": "` + sum + `", "services": ["nova"]}]}`, "two entries for the same image", 0},
		"more than there": {strings.Repeat(" ", chartlock.MaxSize+1), "larger than 1024 KiB", 0},
	} {
		t.Run(name, func(t *testing.T) {
			lock, err := chartlock.Parse([]byte(c.text))
			var found *chartlock.ParseError
			switch {
			case c.want == "":
				if err != nil || len(lock.Entries) != 1 {
					t.Errorf("%v, %v", lock, err)
				}
			case !errors.As(err, &found) || !strings.Contains(found.Reason, c.want) || found.Line != c.line || found.Newer != (name == "later format"):
				t.Errorf("got %v in line %d, want %q in line %d", err, found.Line, c.want, c.line)
			}
		})
	}
}

// What is read without complaint is written and read again as the same.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"format": 1, "charts": [{"repository": "oci://r", "name": "nova", "version": "1.4.0", "digest": "` + sum + `"}]}`))
	f.Add([]byte(`{"format": 1, "charts": [], "images": [{"image": "quay.io/a:1", "digest": "` + sum + `", "services": ["nova"]}]}`))
	f.Add([]byte(`{"format": 1, "charts": [], "images": []}`))
	f.Add([]byte("{\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		lock, err := chartlock.Parse(text)
		if err != nil {
			return
		}
		again, err := chartlock.Parse(lock.Bytes())
		if err != nil || string(again.Bytes()) != string(lock.Bytes()) {
			t.Errorf("%q is read as %v and then as %v, %v", text, lock, again, err)
		}
	})
}
