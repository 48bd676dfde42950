package helm

import (
	"bytes"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/release"
)

// TestPrefetchIsBounded: what is read ahead fits into memory, whatever somebody has put into Secrets there.
func TestPrefetchIsBounded(t *testing.T) {
	revisions, read := make([][]byte, 200), 0
	for i := range revisions {
		revisions[i] = bytes.Repeat([]byte("a"), 1<<20)
	}
	d := &Driver{api: stock{revisions: revisions, read: &read}}
	found, err := d.listContents(t.Context(), "o", "owner=helm")
	if err != nil || len(found) != maxPrefetched>>20 || read != len(found)+1 {
		t.Errorf("%d of %d are read ahead, %d were asked for, error %v", len(found), len(revisions), read, err)
	}
}

// TestUnfinishedRevisionsAreBounded: a history that Helm cannot have written is not read through.
func TestUnfinishedRevisionsAreBounded(t *testing.T) {
	read := 0
	d := &Driver{api: stock{read: &read}}
	history := []stored{{version: 1, status: release.StatusDeployed}}
	for i := range maxUnfinished {
		history = append(history, stored{version: i + 2, status: release.StatusFailed})
	}
	_, err := d.readNewest(t.Context(), "o", "keystone", history, nil)
	if err == nil || !strings.Contains(err.Error(), "delete the Secrets in o") || read > 0 {
		t.Errorf("%d Secrets were read, error %v", read, err)
	}
}
