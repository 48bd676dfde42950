package process

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Listener is a socket that anybody who reaches its address can send to.
type Listener struct {
	PID     int    // of a process that has it open
	Network string // tcp, tcp6, udp or udp6
	Address netip.AddrPort
}

// Listeners returns the listening TCP sockets and the unconnected UDP sockets of the processes
// with these ids, which must be the caller's own. Processes that have ended count as having
// none; children are not looked at.
func Listeners(pids ...int) ([]Listener, error) {
	owners := map[string]int{} // of sockets, by inode
	for _, pid := range pids {
		links, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
		if err != nil {
			return nil, err
		}
		for _, link := range links {
			target, err := os.Readlink(link)
			if err != nil {
				continue // closed in the meantime
			}
			if inode, ok := strings.CutPrefix(target, "socket:["); ok {
				owners[strings.TrimSuffix(inode, "]")] = pid
			}
		}
	}
	var all []Listener
	for _, network := range []string{"tcp", "tcp6", "udp", "udp6"} {
		table, err := os.ReadFile("/proc/net/" + network)
		if errors.Is(err, fs.ErrNotExist) {
			continue // no IPv6 on this machine
		}
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(table)) {
			fields := strings.Fields(line)
			const local, state, inode = 1, 3, 9
			const listening, unconnected = "0A", "07"
			if len(fields) <= inode || fields[state] != listening && fields[state] != unconnected {
				continue
			}
			pid, wanted := owners[fields[inode]]
			if !wanted {
				continue
			}
			address, err := parseAddress(fields[local])
			if err != nil {
				return nil, fmt.Errorf("/proc/net/%s: %w", network, err)
			}
			all = append(all, Listener{PID: pid, Network: network, Address: address})
		}
	}
	return all, nil
}

// parseAddress reads an address as the kernel prints it: words of four bytes in the
// machine's order, a colon, the port. An IPv4 address in an IPv6 one is returned as IPv4.
func parseAddress(text string) (netip.AddrPort, error) {
	host, port, _ := strings.Cut(text, ":")
	data, err := hex.DecodeString(host)
	if err != nil || len(data)%4 != 0 {
		return netip.AddrPort{}, fmt.Errorf("address %q", text)
	}
	for i := 0; i < len(data); i += 4 {
		binary.NativeEndian.PutUint32(data[i:], binary.BigEndian.Uint32(data[i:]))
	}
	ip, ok := netip.AddrFromSlice(data)
	number, err := strconv.ParseUint(port, 16, 16)
	if err != nil || !ok {
		return netip.AddrPort{}, fmt.Errorf("address %q", text)
	}
	return netip.AddrPortFrom(ip.Unmap(), uint16(number)), nil
}
