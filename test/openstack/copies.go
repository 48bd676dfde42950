package openstack

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// NetworkCopy is a network with one subnet that [Cloud.CopyNetwork] adds.
type NetworkCopy struct {
	ID, Name, Description             string
	SubnetID, SubnetName, SubnetAbout string
	CIDR                              netip.Prefix // of IPv4
}

// CopyNetwork adds copies of a network and of its one subnet to Neutron's database, in seconds where its API takes a
// quarter of an hour for thousands. What lists show of them Neutron works out as it does for those that it has made.
// Nothing else can be done with them: neither drivers nor IPAM have heard of them. [Cloud.RemoveCopies] takes them out.
func (c *Cloud) CopyNetwork(ctx context.Context, network string, copies []NetworkCopy) error {
	if c.bed == nil {
		return fmt.Errorf("copy a network: %w", ErrNotOurs)
	}
	statements, err := copySQL(network, copies)
	if err == nil && len(statements) > 0 {
		_, err = c.bed.sql(ctx, statements...)
	}
	if err != nil {
		return fmt.Errorf("copy a network: %w", err)
	}
	return nil
}

// RemoveCopies takes out what [Cloud.CopyNetwork] has added, as far as it is there.
func (c *Cloud) RemoveCopies(ctx context.Context, copies []NetworkCopy) error {
	if c.bed == nil {
		return fmt.Errorf("remove copies of a network: %w", ErrNotOurs)
	}
	if _, err := c.bed.sql(ctx, removeCopiesSQL(copies)...); err != nil {
		return fmt.Errorf("remove copies of a network: %w", err)
	}
	return nil
}

// copiesAtOnce is how many rows a statement has, below what the server takes at once.
const copiesAtOnce = 1000

// numbersApart is how many numbers are left to what Neutron makes at the same moment, of which not all is seen yet.
const numbersApart = 1000

// copySQL writes the rows. Each object's standard attributes have a number of their own, which it is found by.
func copySQL(network string, copies []NetworkCopy) ([]string, error) {
	if len(copies) == 0 {
		return nil, nil
	}
	statements := []string{
		"CREATE TEMPORARY TABLE neutron.copies (n INT AUTO_INCREMENT PRIMARY KEY, id VARCHAR(36), name VARCHAR(255), about VARCHAR(255)," +
			" subnet VARCHAR(36), subnet_name VARCHAR(255), subnet_about VARCHAR(255)," +
			" cidr VARCHAR(64), gateway VARCHAR(64), first_ip VARCHAR(64), last_ip VARCHAR(64))",
	}
	for some := range slices.Chunk(copies, copiesAtOnce) {
		rows := make([]string, 0, len(some))
		for _, one := range some {
			cidr := one.CIDR.Masked()
			if !cidr.Addr().Is4() || cidr.Bits() > 28 {
				return nil, fmt.Errorf("%s is no network of IPv4 with some addresses", one.CIDR)
			}
			if one.ID == "" || one.SubnetID == "" {
				return nil, errors.New("a copy needs an id, and its subnet as well")
			}
			gateway := cidr.Addr().Next()
			fields := []string{
				one.ID, one.Name, one.Description, one.SubnetID, one.SubnetName, one.SubnetAbout,
				cidr.String(), gateway.String(), gateway.Next().String(), beforeLast(cidr).String(),
			}
			for i := range fields {
				fields[i] = quote(fields[i])
			}
			rows = append(rows, "("+strings.Join(fields, ", ")+")")
		}
		statements = append(statements, "INSERT INTO neutron.copies (id, name, about, subnet, subnet_name, subnet_about, cidr, gateway, first_ip, last_ip)"+
			" VALUES "+strings.Join(rows, ", "))
	}
	attributes := "INSERT INTO neutron.standardattributes (id, resource_type, created_at, updated_at, description, revision_number)" +
		" SELECT @last + %s + n, '%s', UTC_TIMESTAMP(), UTC_TIMESTAMP(), %s, %d FROM neutron.copies"
	original := " JOIN neutron.%s AS o ON o.%s = " + quote(network)
	return append(
		statements,
		fmt.Sprintf("SET @last = %d + (SELECT MAX(id) FROM neutron.standardattributes), @all = (SELECT COUNT(*) FROM neutron.copies)", numbersApart),
		fmt.Sprintf(attributes, "2 * @all", "subnets", "subnet_about", 0), // the highest first: what Neutron makes then comes behind all
		fmt.Sprintf(attributes, "@all", "networksegments", "NULL", 0),
		fmt.Sprintf(attributes, "0", "networks", "about", 1),
		"INSERT INTO neutron.networks (project_id, id, name, status, admin_state_up, vlan_transparent, standard_attr_id, availability_zone_hints, mtu)"+
			" SELECT o.project_id, c.id, c.name, o.status, o.admin_state_up, o.vlan_transparent, @last + c.n, o.availability_zone_hints, o.mtu"+
			" FROM neutron.copies AS c"+fmt.Sprintf(original, "networks", "id"),
		"INSERT INTO neutron.networksegments (id, network_id, network_type, physical_network, segmentation_id, is_dynamic, segment_index, standard_attr_id)"+
			" SELECT UUID(), c.id, o.network_type, o.physical_network, o.segmentation_id + c.n, o.is_dynamic, o.segment_index, @last + @all + c.n"+
			" FROM neutron.copies AS c"+fmt.Sprintf(original, "networksegments", "network_id"),
		"INSERT INTO neutron.subnets (project_id, id, name, network_id, ip_version, cidr, gateway_ip, enable_dhcp, standard_attr_id)"+
			" SELECT o.project_id, c.subnet, c.subnet_name, c.id, o.ip_version, c.cidr, c.gateway, o.enable_dhcp, @last + 2 * @all + c.n"+
			" FROM neutron.copies AS c"+fmt.Sprintf(original, "subnets", "network_id"),
		"INSERT INTO neutron.ipallocationpools (id, subnet_id, first_ip, last_ip) SELECT UUID(), subnet, first_ip, last_ip FROM neutron.copies",
	), nil
}

// beforeLast is the last address of a network that is not the one for all.
func beforeLast(cidr netip.Prefix) netip.Addr {
	last := cidr.Addr().As4()
	for i := cidr.Bits(); i < 31; i++ {
		last[i/8] |= 1 << (7 - i%8)
	}
	return netip.AddrFrom4(last)
}

// removeCopiesSQL deletes the standard attributes, which the objects go with. A network goes last.
func removeCopiesSQL(copies []NetworkCopy) []string {
	statements := []string{"USE neutron"} // which a DELETE by another name asks for
	for some := range slices.Chunk(copies, copiesAtOnce) {
		ids := make([]string, 0, len(some))
		for _, one := range some {
			ids = append(ids, quote(one.ID))
		}
		for _, of := range [][2]string{{"subnets", "network_id"}, {"networksegments", "network_id"}, {"networks", "id"}} {
			statements = append(statements, fmt.Sprintf("DELETE a FROM neutron.standardattributes AS a JOIN neutron.%s AS o ON o.standard_attr_id = a.id WHERE o.%s IN (%s)",
				of[0], of[1], strings.Join(ids, ", ")))
		}
	}
	return statements
}
