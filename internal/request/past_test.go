package request_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/request"
)

// TestWhatWasWrittenIsRead: all that an older program kept in the cluster is known to the newest. The file is never
// changed to please a newer program; a new field gets into it, and a new format a file beside it.
func TestWhatWasWrittenIsRead(t *testing.T) {
	text, err := os.ReadFile("testdata/format-1.json")
	if err != nil {
		t.Fatal(err)
	}
	list, err := request.Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	again, err := request.Encode(list)
	if err != nil || !bytes.Equal(again, bytes.TrimSpace(text)) {
		t.Errorf("%s\nis read and written as\n%s: %v", text, again, err)
	}
	newer := bytes.Replace(text, []byte(`"version": 1`), []byte(`"version": 2`), 1)
	if _, err := request.Decode(newer); err == nil || !strings.Contains(err.Error(), "the version 2") || !strings.Contains(err.Error(), "use the program that wrote it") {
		t.Errorf("what a newer program wrote: %v", err)
	}
}
