package sops_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"filippo.io/age"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/sops"
)

// The files of testdata were made by SOPS 3.13.3 for the throw-away identities beside them.

func file(t testing.TB, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func identities(t testing.TB, name string) []age.Identity {
	t.Helper()
	found, err := sops.Identities(redact.NewSecret(string(file(t, name))))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// plain is a document as tests compare it.
func plain(v *sops.Value) any {
	switch {
	case v.Map != nil:
		m := map[string]any{}
		for key, inner := range v.Map {
			m[key] = plain(inner)
		}
		return m
	case v.List != nil:
		list := []any{}
		for _, inner := range v.List {
			list = append(list, plain(inner))
		}
		return list
	default:
		return v.Scalar
	}
}

func whole() map[string]any {
	return map[string]any{
		"db": map[string]any{
			"password": "canary-db-password", "port": int64(5432), "ratio": 0.75, "big": int64(12345678901),
			"tls": true, "off": false, "empty": "", "none": nil, "since": "2024-05-06T07:08:09Z",
		},
		"users": []any{
			map[string]any{"name": "ada", "token": "canary-ada-token"},
			map[string]any{"name": "bob", "token": "canary-bob-token"},
		},
		"multi":              "first line\nsecond line äöü\n",
		"region_unencrypted": "RegionOne", "count_unencrypted": int64(3),
	}
}

func TestOpen(t *testing.T) {
	for name, want := range map[string]any{
		"all.yaml": whole(), "mac-only.yaml": whole(), "regex.yaml": whole(), "unregex.yaml": whole(), "two.yaml": whole(),
		"suffix.yaml": map[string]any{"a": "plain", "b_secret": "canary-suffix"},
		"mixed.yaml":  map[string]any{"a": "canary-mixed"},
		"all.json": map[string]any{
			"db":   map[string]any{"password": "canary-db-password", "port": int64(5432), "ratio": 0.75, "tls": true, "none": nil, "empty": ""},
			"list": []any{[]any{"canary-inner", int64(1)}, map[string]any{"k": "canary-in-list"}}, "region_unencrypted": "RegionOne", "x": map[string]any{},
		},
		"all.env": map[string]any{
			"PASSWORD": "canary-db-password", "KEY": "line one\nline two", "URL": "http://a?b=c", "EMPTY": "", "PLAIN_unencrypted": "RegionOne",
		},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := sops.Parse(name, file(t, name))
			if err != nil {
				t.Fatal(err)
			}
			document, err := f.Open(identities(t, "age.txt"))
			if err != nil {
				t.Fatal(err)
			}
			if got := plain(document); !reflect.DeepEqual(got, want) {
				t.Errorf("got  %#v\nwant %#v", got, want)
			}
			shape, err := f.Shape()
			if err != nil {
				t.Fatal(err)
			}
			sameShape(t, name, shape, document)
		})
	}
}

// sameShape compares keys and types, and sees that a shape has no values.
func sameShape(t *testing.T, at string, shape, document *sops.Value) {
	t.Helper()
	if shape.Scalar != nil || shape.Type != document.Type || !reflect.DeepEqual(shape.Keys, document.Keys) || len(shape.List) != len(document.List) {
		t.Errorf("%s: the shape is %+v, the document %+v", at, shape, document)
		return
	}
	for key, inner := range document.Map {
		sameShape(t, at+"."+key, shape.Map[key], inner)
	}
	for i, inner := range document.List {
		sameShape(t, at+"[]", shape.List[i], inner)
	}
}

func TestRefusesToParse(t *testing.T) {
	for name, want := range map[string]string{
		"comment.yaml":   "encrypted_comment_regex",
		"pgp.yaml":       "encrypted for PGP only",
		"shamir.yaml":    "Shamir",
		"documents.yaml": "several documents",
	} {
		if _, err := sops.Parse(name, file(t, name)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, c := range []struct{ name, content, want string }{
		{"a.yaml", "a: 1\n", "not encrypted with SOPS"},
		{"a.yaml", "a: [1\n", "not YAML"},
		{"a.yaml", "- 1\n", "no mapping"},
		{"a.yaml", "a: &x 1\nb: *x\nsops: {}\n", "aliases"},
		{"a.yaml", "a: 1\na: 2\nsops: {}\n", "twice"},
		{"a.yaml", "1: 2\nsops: {}\n", "no text"},
		{"a.yaml", "a: 1\nsops: {mac: x}\n", "does not say whom"},
		{"a.yaml", "a: " + strings.Repeat("[", 200) + strings.Repeat("]", 200) + "\n", "nested"},
		{"a.json", "{", "not JSON"},
		{"a.json", "[]", "no object"},
		{"a.json", "{} {}", "after its JSON"},
		{"a.json", `{"a":1,"a":2}`, "twice"},
		{"a.json", strings.Repeat("[", 200), "nested"},
		{"a.env", "nothing", "no ="},
		{"a.env", "sops_age__list_7__map_enc=x", "element"},
		{"a.env", "sops_a=x\nsops_a__map_b=y", "two kinds"},
		{"a.ini", "", "end in"},
	} {
		if _, err := sops.Parse(c.name, []byte(c.content)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %q: %v", c.name, c.content, err)
		}
	}
}

func TestWrongKey(t *testing.T) {
	f, err := sops.Parse("all.yaml", file(t, "all.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Open(identities(t, "other.txt")); err == nil || !strings.Contains(err.Error(), f.Recipients()[0]) {
		t.Errorf("the error does not say whom the file is for: %v", err)
	}
	if _, err := sops.Identities(redact.NewSecret("AGE-SECRET-KEY-1CANARY")); err == nil || strings.Contains(err.Error(), "CANARY") {
		t.Errorf("a broken identity: %v", err)
	}
}

// A file that was changed in any way is refused, and the error quotes nothing of it.
func TestTampered(t *testing.T) {
	original := string(file(t, "all.yaml"))
	lines := strings.SplitAfter(original, "\n")
	line := func(part string) string {
		for _, l := range lines {
			if strings.Contains(l, part) {
				return l
			}
		}
		t.Fatalf("no line with %q", part)
		return ""
	}
	value := func(l string) string { return l[strings.Index(l, "ENC["):] }
	for name, changed := range map[string]string{
		"a value in the clear":       strings.Replace(original, line("port: "), "    port: 1\n", 1),
		"a text in the clear":        strings.Replace(original, line("port: "), "    port: canary-plain\n", 1),
		"an unencrypted value":       strings.Replace(original, "RegionOne", "RegionTwo", 1),
		"a value taken away":         strings.Replace(original, line("port: "), "", 1),
		"a value added":              strings.Replace(original, "count_unencrypted: 3", "count_unencrypted: 3\nmore_unencrypted: 1", 1),
		"a value moved":              strings.Replace(original, value(line("big: ")), value(line("port: ")), 1),
		"two elements exchanged":     strings.NewReplacer(value(line("- name: ")), value(line("token: "))).Replace(original),
		"an emptied value":           strings.Replace(original, value(line("port: ")), "\"\"\n", 1),
		"another time of the change": strings.Replace(original, "lastmodified: \"20", "lastmodified: \"19", 1),
		"no MAC":                     strings.Replace(original, line("mac: "), "    mac: \"\"\n", 1),
		"another rule":               strings.Replace(original, "unencrypted_suffix: _unencrypted", "unencrypted_suffix: ratio", 1),
	} {
		if changed == original {
			t.Fatalf("%s: nothing changed", name)
		}
		f, err := sops.Parse("all.yaml", []byte(changed))
		if err == nil {
			_, err = f.Open(identities(t, "age.txt"))
		}
		if err == nil {
			t.Errorf("%s: it is opened", name)
		} else if strings.Contains(err.Error(), "canary") || strings.Contains(err.Error(), "Region") {
			t.Errorf("%s: the error quotes a value: %v", name, err)
		}
	}
}

// What should be encrypted and is not is named by its keys, with and without an identity.
func TestNamesWhatIsNotEncrypted(t *testing.T) {
	original := string(file(t, "all.yaml"))
	at := strings.Index(original, "    port: ")
	rest := original[at+strings.Index(original[at:], "\n"):]
	for _, plain := range []string{"5432", "canary-plain", "true", "ENC[canary]"} {
		f, err := sops.Parse("all.yaml", []byte(original[:at]+"    port: "+plain+rest))
		if err != nil {
			t.Fatal(err)
		}
		const want = `the value of "db.port" is not encrypted, and should be`
		if _, err := f.Shape(); err == nil || err.Error() != want {
			t.Errorf("%s: the shape: %v", plain, err)
		}
		if _, err := f.Open(identities(t, "age.txt")); err == nil || err.Error() != want {
			t.Errorf("%s: opening: %v", plain, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, name := range []string{"all.yaml", "all.json", "all.env", "shamir.yaml", "pgp.yaml", "comment.yaml", "regex.yaml"} {
		f.Add(filepath.Ext(name), file(f, name))
	}
	f.Add(".env", []byte("sops_age__list_0__map_enc=x\nsops_age__list_0__map_recipient=y\n"))
	keys := identities(f, "age.txt")
	f.Fuzz(func(t *testing.T, extension string, content []byte) {
		parsed, err := sops.Parse("x"+extension, content)
		if err != nil {
			return
		}
		_, _ = parsed.Shape()
		_ = parsed.Recipients()
		_, _ = parsed.Open(keys)
	})
}
