package openstack

import (
	"context"
	"net/url"
	"slices"
)

// loosePorts finds, by the subnets that they are for, the ports that an attempt left which was cut off before the router
// with the mark had them.
func (k routerKind) loosePorts(ctx context.Context, s *session, mark string, subnets ...string) (map[string]string, error) {
	ports, err := s.all(ctx, call{service: serviceNetwork, path: "ports", query: url.Values{
		"fields": portFields(), keyDescription: {joinMark("", mark)},
	}}, "ports")
	if err != nil {
		return nil, err
	}
	loose := map[string]string{}
	for _, p := range ports {
		all := objectsAt(p, keyFixedIPs)
		for _, address := range all {
			_, nobodys := belonging(address, all, nil)
			if subnet := textAt(address, keySubnetID); !nobodys && textAt(p, "device_id") == "" && slices.Contains(subnets, subnet) {
				loose[subnet] = textAt(p, "id")
			}
		}
	}
	return loose, nil
}

// adrift looks for ports of interfaces that were about to be made, as the record tells, and are not there. They keep their
// subnets from being deleted, and no port of the router tells of them.
func (k routerKind) adrift(ctx context.Context, s *session, f found) error {
	detail, ok := f.object.detail.(routerDetail)
	if !ok || f.object.mark == "" {
		return nil
	}
	var sought []string
	for _, subnet := range f.set[subnetsAttribute] {
		if detail.ours[subnet] == "" && !slices.Contains(detail.others, subnet) {
			sought = append(sought, subnet)
		}
	}
	if len(sought) == 0 {
		return nil
	}
	loose, err := k.loosePorts(ctx, s, f.object.mark, sought...)
	detail.loose = loose
	f.object.detail = detail
	if err != nil { // or what is on record of it would be taken for done with
		f.object.unseen, f.object.obscured = append(f.object.unseen, "neutron"), brief(err.Error(), longestReason)
	}
	return err
}
