package unit

import "testing"

// TestHadPassing: the digest of a set tells of the Jobs in it that pass, and a change of another object does not count.
func TestHadPassing(t *testing.T) {
	job := func(name string, spec map[string]any) map[string]any {
		return map[string]any{"apiVersion": "batch/v1", "kind": "Job", "metadata": map[string]any{"name": name, "namespace": "o"}, "spec": spec}
	}
	passing := job("a", map[string]any{"ttlSecondsAfterFinished": int64(0)})
	beside := func(value string) map[string]any {
		return map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "c", "namespace": "o"}, "data": map[string]any{"k": value}}
	}
	set := func(items ...map[string]any) *Objects { return &Objects{Items: items} }
	now := set(passing, beside("two"))
	for name, test := range map[string]struct {
		before string
		want   bool
	}{
		"the same":                  {set(passing, beside("two")).Digest(), true},
		"another beside it":         {set(passing, beside("one")).Digest(), true},
		"alone, and with others":    {set(job("b", map[string]any{"ttlSecondsAfterFinished": int64(9)}), passing).Digest(), true},
		"another one":               {set(job("a", map[string]any{"ttlSecondsAfterFinished": int64(1)}), beside("two")).Digest(), false},
		"without a time to live":    {set(job("a", map[string]any{}), beside("two")).Digest(), false},
		"with none":                 {set(job("a", map[string]any{"ttlSecondsAfterFinished": nil}), beside("two")).Digest(), false},
		"without it":                {set(beside("two")).Digest(), false},
		"nothing on record":         {"", false},
		"an older record":           {now.Digest()[:64], true},
		"an older one of a change":  {set(passing, beside("one")).Digest()[:64], false},
		"the same, before all goes": {Outlasting(now.Digest(), ""), false},
		"before it goes":            {Outlasting(now.Digest(), set(beside("two")).Digest()), false},
		"before another one goes":   {Outlasting(set(passing, beside("one")).Digest(), set(passing).Digest()), true},
		"an older one, likewise":    {Outlasting(now.Digest()[:64], now.Digest()), false},
	} {
		if got := HadPassing(test.before, now.Digest(), now.ItemDigest(0)); got != test.want {
			t.Errorf("%s: %t", name, got)
		}
	}
	if digest := set(beside("one"), job("a", map[string]any{})).Digest(); len(digest) != 64 {
		t.Errorf("a set in which nothing passes has the digest %s", digest)
	}
}

// TestSameSpec: a record from before digests named what passes is of the same spec.
func TestSameSpec(t *testing.T) {
	for _, test := range []struct {
		before, now string
		want        bool
	}{
		{"a", "a", true},
		{"a", "a.j", true},
		{"a.j", "a", true},
		{"a.j", "b.j", false},
		{"", "a", false},
		{"", "", false},
	} {
		if got := SameSpec(test.before, test.now); got != test.want {
			t.Errorf("%q and %q: %t", test.before, test.now, got)
		}
	}
}

// TestOutlasting: a record of what is about to lose something is still of the same spec, and names no more than stays.
func TestOutlasting(t *testing.T) {
	for _, test := range []struct{ before, now, want string }{
		{"", "", ""},
		{"", "b.j", ""},
		{"a", "", "a."},
		{"a", "b.j", "a."},
		{"a.", "b.j", "a."},
		{"a.j", "", "a."},
		{"a.j", "b", "a."},
		{"a.j", "b.", "a."},
		{"a.j", "b.k", "a."},
		{"a.i.j.k", "b.k.i", "a.i.k"},
		{"a.j", "a.j", "a.j"},
	} {
		got := Outlasting(test.before, test.now)
		if got != test.want || test.before != "" && !SameSpec(got, test.before) || Outlasting(got, test.now) != got {
			t.Errorf("%q of %q: %q, want %q", test.now, test.before, got, test.want)
		}
	}
}
