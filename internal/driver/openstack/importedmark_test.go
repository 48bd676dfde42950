package openstack

import (
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
)

// TestImportOfWhatHasTheMark: a snapshot that is imported as the very image that its instance ran from has that one's mark and id. It
// says that it is this one from then on, and is found again where the record of it is lost.
func TestImportOfWhatHasTheMark(t *testing.T) {
	k := testDriver(t).kinds["image"].(imageKind)
	want := wantValue("image", map[string]cty.Value{"name": cty.StringVal("debian"), "web_download": cty.StringVal("http://a")})
	raw := map[string]any{
		"id": "o1", "name": "debian", "owner": "ours", "status": "active", "disk_format": "raw", "container_format": "bare", "instance_uuid": "s1",
		markKey: testMark, keySource: digestOf("http://a"), keySelf: "o0",
	}
	for _, change := range k.patch(k.read(raw), wanted{value: want, mark: testMark}, nil) {
		raw[strings.TrimPrefix(change["path"].(string), "/")] = change["value"]
	}
	target := testTarget(t, "image", want)
	target.Fresh = true
	if m, _ := find(k, &session{project: "ours"}, target, want, indexed([]*object{k.read(raw)})); !m.owned {
		t.Errorf("of %v it found %+v", raw, m)
	}
	if again := k.patch(k.read(raw), wanted{value: want, mark: testMark}, nil); len(again) > 0 {
		t.Errorf("it is changed once more: %v", again)
	}
}
