package openstack

import (
	"context"
	"net/url"
)

// portOwner is a kind whose objects have ports, which its own list does not show.
type portOwner interface {
	// join puts what its ports tell into an object.
	join(f found, ports []map[string]any)
}

// halfway is a kind that makes ports which its objects have only from the next request on: a process that is killed in
// between leaves one that none of the object's ports tells of.
type halfway interface {
	// adrift puts into an object what there is of such ports. Unless its record speaks of more than its ports it asks nothing.
	adrift(ctx context.Context, s *session, f found) error
}

// portFields is all that the kinds need to know of a port.
func portFields() []string {
	return []string{
		"id", "name", "device_id", "device_owner", "network_id", "fixed_ips", "security_groups", "port_security_enabled", "created_at", keyDescription,
	}
}

// fewDevices is how many are asked for by their ids: with more an address could become too long.
const fewDevices = 20

// portsOf returns the ports of devices by their ids, from one list: of theirs, or where the devices
// are many of all ports of the cloud.
func portsOf(ctx context.Context, s *session, devices []string) (map[string][]map[string]any, error) {
	if len(devices) == 0 {
		return nil, nil
	}
	query := url.Values{"fields": portFields()}
	if len(devices) <= fewDevices {
		query["device_id"] = devices
	}
	ports, err := s.all(ctx, call{service: serviceNetwork, path: "ports", query: query}, "ports")
	if err != nil {
		return nil, err
	}
	byDevice := map[string][]map[string]any{}
	for _, p := range ports {
		byDevice[textAt(p, "device_id")] = append(byDevice[textAt(p, "device_id")], p)
	}
	return byDevice, nil
}
