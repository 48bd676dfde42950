package gitrepo

import (
	"io"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/pktline"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
)

// deaf is the input of a program that has ended.
type deaf struct{}

func (deaf) Write([]byte) (int, error) { return 0, io.EOF }
func (deaf) Close() error              { return nil }

// A server that does not have what is asked for says so and ends, which may be before it has read all: its reason
// counts, and not that it has hung up.
func TestServerHangsUp(t *testing.T) {
	t.Parallel()
	var answer strings.Builder
	if err := pktline.NewEncoder(&answer).EncodeString("ERR upload-pack: not our ref 0123\n"); err != nil {
		t.Fatal(err)
	}
	req := packp.NewUploadPackRequest()
	req.Wants = []plumbing.Hash{plumbing.NewHash("0123")}
	req.Depth = packp.DepthCommits(1)
	for _, test := range []struct{ answer, want string }{
		{answer.String(), "not our ref"},
		{"", io.EOF.Error()},
	} {
		p := &pipes{in: deaf{}, out: strings.NewReader(test.answer), budget: 1 << 10}
		if _, err := p.UploadPack(t.Context(), req); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("an answer of %q: %v", test.answer, err)
		}
	}
}
