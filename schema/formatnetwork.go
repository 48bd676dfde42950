package schema

import (
	"errors"
	"net/netip"
	"regexp"
)

// The formats of what networks know a port by.
const (
	FormatMAC   Format = "mac"   // a hardware address: fa:16:3e:00:00:01
	FormatRange Format = "range" // an address, or a network of them: 10.0.0.1, 10.0.0.0/24
)

var macPattern = regexp.MustCompile(`^[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5}$`)

// checkNetwork is Check for these.
func (f Format) checkNetwork(s string) error {
	if f == FormatMAC {
		if !macPattern.MatchString(s) {
			return errors.New("a hardware address of six pairs of hexadecimal digits, such as fa:16:3e:00:00:01")
		}
		return nil
	}
	if FormatIP.Check(s) != nil && checkCIDR(s) != nil {
		if prefix, err := netip.ParsePrefix(s); err == nil {
			return errors.New("the first address of its network: " + prefix.Masked().String())
		}
		return errors.New("an IP address or a network of them, such as 192.0.2.1 or 192.0.2.0/24")
	}
	return nil
}
