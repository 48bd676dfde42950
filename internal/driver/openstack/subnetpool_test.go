package openstack

import (
	"net/netip"
	"slices"
	"testing"
)

func TestJoinedRanges(t *testing.T) {
	for _, c := range []struct {
		name       string
		have, want []string
	}{
		{"none", nil, nil},
		{"apart", []string{"10.2.0.0/16", "10.0.0.0/16"}, []string{"10.0.0.0/16", "10.2.0.0/16"}},
		{"two halves", []string{"10.0.128.0/17", "10.0.0.0/17"}, []string{"10.0.0.0/16"}},
		{"side by side, and no halves", []string{"10.1.0.0/16", "10.2.0.0/16"}, []string{"10.1.0.0/16", "10.2.0.0/16"}},
		{"four quarters", []string{"10.0.0.0/18", "10.0.64.0/18", "10.0.128.0/18", "10.0.192.0/18"}, []string{"10.0.0.0/16"}},
		{"one in another", []string{"10.0.3.0/24", "10.0.0.0/16", "10.0.0.0/24"}, []string{"10.0.0.0/16"}},
		{"twice", []string{"2001:db8::/48", "2001:0db8::/48"}, []string{"2001:db8::/48"}},
		{"everything", []string{"0.0.0.0/1", "128.0.0.0/1"}, []string{"0.0.0.0/0"}},
	} {
		var want []netip.Prefix
		for _, text := range c.want {
			want = append(want, netip.MustParsePrefix(text))
		}
		if got := joined(c.have); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", c.name, got, want)
		}
	}
}
