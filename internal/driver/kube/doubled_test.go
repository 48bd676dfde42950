package kube

import (
	"encoding/json"
	"reflect"
	"testing"
)

// TestLaidOver: what others have in lists that several may add to stays beside what is wanted, and all else is as it is wanted.
func TestLaidOver(t *testing.T) {
	for _, test := range []struct{ want, have, result string }{
		{`{"a": 1}`, `{"a": 2, "b": 3}`, `{"a": 1}`}, // a merge leaves the rest
		{`{"containers": [{"name": "a", "image": "x"}]}`, `{"containers": [{"name": "b"}, {"name": "a", "image": "y", "stdin": true}]}`, `{"containers": [{"name": "a", "image": "x", "stdin": true}, {"name": "b"}]}`},
		{`{"env": [{"name": "a", "value": "1"}, {"name": "a", "value": "2"}]}`, `{"env": [{"name": "a", "value": "3"}, {"name": "a", "value": "4"}, {"name": "b"}]}`, `{"env": [{"name": "a", "value": "1"}, {"name": "a", "value": "2"}, {"name": "b"}]}`},
		{`{"containers": [{"name": "a", "args": ["x"], "resources": {"limits": {"cpu": "1"}}}]}`, `{"containers": [{"name": "a", "args": ["y", "z"], "resources": {"limits": {"cpu": "2", "memory": "1Gi"}}}]}`, `{"containers": [{"name": "a", "args": ["x"], "resources": {"limits": {"cpu": "1", "memory": "1Gi"}}}]}`},
		{`{"tolerations": [{"key": "a"}]}`, `{"tolerations": [{"key": "b"}]}`, `{"tolerations": [{"key": "a"}]}`}, // which belong to one writer
		{`{"ports": [{"containerPort": 80}]}`, `{"ports": [{"containerPort": 80, "name": "http"}]}`, `{"ports": [{"containerPort": 80, "name": "http"}]}`},
		{`{"metadata": {"finalizers": ["ours"]}}`, `{"metadata": {"finalizers": ["theirs", "ours"]}}`, `{"metadata": {"finalizers": ["ours", "theirs"]}}`},
		{`{"containers": [{"name": "a"}]}`, `{}`, `{"containers": [{"name": "a"}]}`},
	} {
		want, have, result := parsed(t, test.want), parsed(t, test.have), parsed(t, test.result)
		if got := laidOver("", want, have, false); !reflect.DeepEqual(got, result) {
			t.Errorf("%s over %s is %v, want %v", test.want, test.have, got, result)
		}
		if !reflect.DeepEqual(have, parsed(t, test.have)) || !reflect.DeepEqual(want, parsed(t, test.want)) {
			t.Errorf("%s over %s changed them to %v and %v", test.want, test.have, want, have)
		}
	}
}

func parsed(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}
