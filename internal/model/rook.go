package model

import (
	"fmt"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// rook checks that what is said of a Ceph of Rook's has no other place, and that somebody tells the charts of it.
func (c *checker) rook(cloud *Cloud, at func(name string) diag.Range) {
	ceph := cloud.Ceph
	switch {
	case ceph.Rook == "":
	case ceph.Conf != "":
		c.fail(codeInvalid, at("rook_namespace"), "two ways to the monitors", "conf names the monitors, and with rook_namespace they are those that Rook has", "take one of them away")
	case ceph.Admin != "":
		c.fail(codeInvalid, at("rook_namespace"), "two ways to a key", "with admin_secret the charts make the users, and with rook_namespace they are those that Rook has", "take one of them away")
	case !cloud.Runs(schema.RookAdapter):
		c.fail(codeIncomplete, at("rook_namespace"), "no monitors", fmt.Sprintf("the monitors that Rook has are told to the charts by the service %s, which the cloud has not", schema.RookAdapter),
			fmt.Sprintf("write in the cloud: service %q {}", schema.RookAdapter))
	}
}

// rookUser checks that a user can be a CephClient, whose key is where Rook has it.
func (c *checker) rookUser(name string, user CephUser, where diag.Range) {
	if user.Secret != "" {
		c.fail(codeInvalid, where, "two ways to a key", fmt.Sprintf("%s has a Secret, and with rook_namespace the key is the one that Rook has", name), "take the Secret away, or rook_namespace")
		return
	}
	if err := schema.FormatDNSName.Check(user.User); user.User != "" && err != nil {
		c.fail(codeInvalid, where, "not the name of a CephClient", fmt.Sprintf("with rook_namespace the user of %s is a CephClient of Rook's, and none can be called %q", name, user.User),
			"write the name of a CephClient, of small letters, digits and dashes")
	}
}
