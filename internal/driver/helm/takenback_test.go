package helm

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestWhatWasDoneBeforeARunThatCameToNothing(t *testing.T) {
	for _, tt := range []struct {
		record, run string
		finished    bool
		done        string
	}{
		{`{"run":"install.a","finished":["pre-install","post-install"]}`, "install.a", true, ""},
		{`{"run":"install.a","finished":["pre-install","post-install"]}`, "upgrade.b", false, "install.a"},
		{`{"run":"install.a","finished":["pre-install"]}`, "upgrade.b", false, ""},
		{`{"run":"upgrade.b","done":"install.a","failures":6}`, "install.a", true, "install.a"},
		{`{"run":"upgrade.b","done":"install.a","failures":6}`, "upgrade.c", false, "install.a"},
		{`{"run":"upgrade.b","finished":["pre-upgrade"],"done":"install.a"}`, "install.a", true, "install.a"},
		{`{"run":"upgrade.b","finished":["pre-upgrade","post-upgrade"],"done":"install.a"}`, "install.a", false, "upgrade.b"},
		{`{"run":"delete.c","finished":["pre-delete"],"done":"return.b"}`, "return.b", true, "return.b"},
		{`{"run":"upgrade.b"}`, "install.a", false, ""},
	} {
		object := &unstructured.Unstructured{Object: map[string]any{"data": map[string]any{progressKey: tt.record}}}
		p := readProgress(object, tt.run)
		if p.Run != tt.run || p.finished(postEvent(tt.run)) != tt.finished || p.Done != tt.done || p.Failures > 0 {
			t.Errorf("%s, read for %s: %+v", tt.record, tt.run, p)
		}
	}
}
