package gitrepo

import (
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
)

func TestClean(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"our end of a connection", "lookup git.example.org on 10.96.0.10:53: read udp 10.244.1.5:41234->10.96.0.10:53: i/o timeout", "lookup git.example.org on 10.96.0.10:53: read udp 10.244.1.5->10.96.0.10:53: i/o timeout"},
		{"the same of the next version", "write tcp [fd00::5]:41234->[fd00::1]:443: broken pipe", "write tcp [fd00::5]->[fd00::1]:443: broken pipe"},
		{"control characters", "remote:\x1b[31m no\r\nsuch thing", "remote: [31m no such thing"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := clean(redact.NewMasker(), test.text); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
