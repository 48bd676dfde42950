package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// What people write who know Terraform has no name here that is near it, so that a list of all names would be
// no help. These are the words of its language, each with what stands for it.

// habitOfBlock is what stands for a block of Terraform's; "" for others. kinds are those of resources.
func habitOfBlock(b *hclsyntax.Block, kinds []string) string {
	switch b.Type {
	case "resource":
		kind, label := "network", "web"
		if len(b.Labels) > 0 {
			kind = cmp.Or(kindIn(b.Labels[0], kinds), kind)
		}
		if len(b.Labels) > 1 {
			label = b.Labels[1]
		}
		return fmt.Sprintf("the kind of a resource is that of its block; write, for example: %s %q { … }", kind, label)
	case "provider":
		return `take it away: how OpenStack is reached stands in cloud "…" { openstack { … } }`
	case "terraform":
		return "take it away: there are no providers to require, and what was applied is recorded in the cluster"
	case "check":
		return "take it away; what a value must be like is said in its variable: validation { … }"
	default:
		return ""
	}
}

// kindIn returns the kind that the type of a resource is about, such as openstack_networking_router_v2; "" where
// that is not known.
func kindIn(typ string, kinds []string) string {
	if near := Nearest(typ, kinds); near != "" {
		return near
	}
	if slices.Contains(kinds, typ) {
		return typ
	}
	best := ""
	for _, kind := range kinds {
		at, before := strings.LastIndex(typ, kind), strings.LastIndex(typ, best)
		if at >= 0 && (best == "" || at > before || at == before && len(kind) > len(best)) {
			best = kind // what stands last is the thing, what is before it the service
		}
	}
	return best
}

// habitOfAttribute is what stands for an attribute that any resource has in Terraform; "" for others.
func habitOfAttribute(name string) string {
	switch name {
	case "count":
		return "to repeat a block, write: for_each = toset([…]), and use each.key"
	case "provider":
		return "take it away: there is one OpenStack, that of the cloud"
	case "precondition", "postcondition":
		return "what a value must be like is said in its variable: validation { … }"
	default:
		return ""
	}
}

// habitOfNested is what stands for a block that any resource can have in Terraform; "" for others.
func habitOfNested(kind string) string {
	switch kind {
	case "provisioner", "connection":
		return "take it away: nothing is run on instances; what they run at their first start is in user_data"
	case "timeouts":
		return "take it away: every call has a deadline, and what takes longer is looked at again"
	case "precondition", "postcondition":
		return habitOfAttribute(kind)
	default:
		return ""
	}
}

// habitOfRoot is what stands for the beginning of a reference in Terraform; "" for others.
func habitOfRoot(root string) string {
	switch root {
	case "count":
		return "a block is repeated by for_each: use each.key"
	case "self":
		return "a block cannot refer to itself: what several attributes share is a local"
	case "terraform":
		return "what differs from one environment to the next is a variable, with a file for each: --var-file prod.hclvars"
	default:
		return ""
	}
}
