package openstack

import (
	"maps"
	"slices"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

func TestRuleChanges(t *testing.T) {
	k := securityGroupKind{neutronSecurityGroups(schema.New())}
	raw := func(id, description string, more map[string]any) map[string]any {
		r := map[string]any{"id": id, "direction": "ingress", "ethertype": "IPv4", "description": description}
		for key, v := range more {
			r[key] = v
		}
		return r
	}
	ours := "[" + testMark + "]"
	group := k.read(map[string]any{"id": "g1", "name": "web", "description": ours, "security_group_rules": []any{
		raw("default", "", map[string]any{"direction": "egress"}),
		raw("web", "Web "+ours, map[string]any{"protocol": "tcp", "port_range_min": "80", "port_range_max": "80"}),
		raw("old", ours, map[string]any{"protocol": "tcp", "port_range_min": "23", "port_range_max": "23"}),
		raw("theirs", "", map[string]any{"protocol": "udp", "port_range_min": "53", "port_range_max": "53"}),
		raw("itself", "", map[string]any{"protocol": "vrrp", "remote_group_id": "g1"}),
	}})
	element := k.schema.Nested(ruleBlock).ValueType().ElementType()
	rule := func(written map[string]any) cty.Value { return fromMap(written, element) }
	web := map[string]any{"direction": "ingress", "ethertype": "IPv4", "protocol": "6", "port_min": "80", "remote_cidr": "0.0.0.0/0", "description": "Web"}
	for _, test := range []struct {
		name             string
		want             []cty.Value
		missing, surplus []string
	}{
		{"in another spelling", []cty.Value{rule(web)}, nil, []string{"old"}},
		{"none", nil, nil, []string{"web", "old"}},
		{"one that others have made", []cty.Value{rule(web), rule(map[string]any{"direction": "ingress", "protocol": "udp", "port_min": "53", "port_max": "53"})}, nil, []string{"old"}},
		{"the default", []cty.Value{rule(web), rule(map[string]any{"direction": "egress", "ethertype": "IPv4"})}, nil, []string{"old"}},
		{"another description", []cty.Value{rule(map[string]any{"direction": "ingress", "protocol": "tcp", "port_min": "80", "port_max": "80", "description": "Site"})}, []string{"tcp80"}, []string{"web", "old"}},
		{"the description of one that others have made", []cty.Value{rule(web), rule(map[string]any{"direction": "ingress", "protocol": "udp", "port_min": "53", "port_max": "53", "description": "DNS"})}, []string{"udp53"}, []string{"theirs", "old"}},
		{"itself", []cty.Value{rule(map[string]any{"direction": "ingress", "protocol": "vrrp", "self": true})}, nil, []string{"web", "old"}},
		{"itself no more", []cty.Value{rule(map[string]any{"direction": "ingress", "protocol": "vrrp", "self": false})}, []string{"vrrp"}, []string{"web", "old"}},
		{"written twice", []cty.Value{rule(map[string]any{"direction": "ingress", "protocol": "icmp"}), rule(map[string]any{"direction": "ingress", "protocol": "1"})}, []string{"icmp"}, []string{"web", "old"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			missing, surplus := ruleChanges(collection(test.want, cty.List(element)), group)
			var made, gone []string
			for _, r := range missing {
				made = append(made, r.Protocol+r.PortMin)
			}
			for _, r := range surplus {
				gone = append(gone, r.id)
			}
			if !slices.Equal(made, test.missing) || !slices.Equal(gone, test.surplus) {
				t.Errorf("to make %q, to delete %q; want %q and %q", made, gone, test.missing, test.surplus)
			}
		})
	}
}

// A rule that others have made counts as ours once it was written and is on record: it goes when it is taken out.
func TestRuleTakenOut(t *testing.T) {
	d := testDriver(t)
	k := d.kinds["security_group"].(securityGroupKind)
	element := k.schema.Nested(ruleBlock).ValueType().ElementType()
	ssh := map[string]any{"direction": "ingress", "ethertype": "IPv4", "protocol": "tcp"}
	raw := func(id string, more map[string]any) map[string]any {
		r := map[string]any{"id": id, "description": ""}
		maps.Copy(r, ssh)
		maps.Copy(r, more)
		return r
	}
	group := k.read(map[string]any{"id": "g1", "name": "web", "description": "[" + testMark + "]", "security_group_rules": []any{
		raw("ssh", map[string]any{"port_range_min": "22", "port_range_max": "22", "remote_ip_prefix": "0.0.0.0/0", "description": "theirs"}),
		raw("web", map[string]any{"port_range_min": "80", "port_range_max": "80"}),
		raw("itself", map[string]any{"protocol": "vrrp", "remote_group_id": "g1"}),
		raw("others", map[string]any{"port_range_min": "443", "port_range_max": "443"}),
	}})
	written := func(more map[string]any) cty.Value {
		r := maps.Clone(ssh)
		maps.Copy(r, more)
		return fromMap(r, element)
	}
	web := written(map[string]any{"port_min": "80"})
	all := collection([]cty.Value{written(map[string]any{"protocol": "6", "port_max": "22"}), web, written(map[string]any{"protocol": "112", "self": true})}, cty.List(element))
	for _, test := range []struct {
		name  string
		rules cty.Value
		want  []string
	}{
		{"all are written", all, nil},
		{"some", collection([]cty.Value{web}, cty.List(element)), []string{"DELETE /network/v2.0/security-group-rules/ssh", "DELETE /network/v2.0/security-group-rules/itself"}},
		{"as a whole", cty.NilVal, []string{"DELETE /network/v2.0/security-group-rules/ssh", "DELETE /network/v2.0/security-group-rules/web", "DELETE /network/v2.0/security-group-rules/itself"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			block := map[string]cty.Value{"name": cty.StringVal("web")}
			if test.rules != cty.NilVal {
				block[ruleBlock] = test.rules
			}
			want, m := wantValue("security_group", block), match{object: group, owned: true}
			target := testTarget(t, "security_group", want)
			target.Complete = true
			set := wantValue("security_group", map[string]cty.Value{"name": cty.StringVal("web"), ruleBlock: all})
			target.Set = plan.Set(&unit.Unit{Address: target.Address, Spec: target.Spec}, set, inventory.Entry{})
			diff := d.Compare(target, want, state(target, m))
			if action := diff.Action; (action == unit.ActionUpdate) != (test.want != nil) || test.want == nil && action != unit.ActionNone {
				t.Fatalf("on record are %q, and the plan shows %+v", target.Set, diff)
			}
			r := newRecorder(t)
			w := wanted{value: want, mark: testMark, named: "web", drop: surplus(target.Spec.(*unit.Resource), target, m, want)}
			if err := k.update(t.Context(), r.session, group, w, []string{ruleBlock}); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(r.asked, test.want) {
				t.Errorf("sent %q, want %q", r.asked, test.want)
			}
		})
	}
}

// Neutron keeps some rules in another form than they are written in, and takes no two that are one in
// its view. Such a rule must neither be made again for ever nor take another one's place.
func TestRulesAsNeutronKeepsThem(t *testing.T) {
	k := securityGroupKind{neutronSecurityGroups(schema.New())}
	element := k.schema.Nested(ruleBlock).ValueType().ElementType()
	type words = map[string]any
	for _, test := range []struct {
		name          string
		written, kept words
		same          bool
	}{
		{"all ports", words{"protocol": "tcp", "port_min": "1", "port_max": "65535"}, words{"protocol": "tcp"}, true},
		{"all ports of a number", words{"protocol": "17", "port_min": "1", "port_max": "65535"}, words{"protocol": "17"}, true},
		{"all ports as it was kept once", words{"protocol": "sctp"}, words{"protocol": "132", "port_range_min": "1", "port_range_max": "65535"}, true},
		{"the first port", words{"protocol": "tcp", "port_min": "1"}, words{"protocol": "tcp"}, false},
		{"nearly all ports", words{"protocol": "tcp", "port_min": "2", "port_max": "65535"}, words{"protocol": "tcp"}, false},
		{"ICMP in IPv6", words{"ethertype": "IPv6", "protocol": "icmp"}, words{"ethertype": "IPv6", "protocol": "ipv6-icmp"}, true},
		{"ICMP in IPv6 by its other name", words{"ethertype": "IPv6", "protocol": "icmpv6"}, words{"ethertype": "IPv6", "protocol": "ipv6-icmp"}, true},
		{"ICMP in IPv6 by number", words{"ethertype": "IPv6", "protocol": "1"}, words{"ethertype": "IPv6", "protocol": "58"}, true},
		{"ICMP in IPv4", words{"protocol": "icmp"}, words{"protocol": "1"}, true},
		{"a type of ICMP in IPv6", words{"ethertype": "IPv6", "protocol": "icmp", "port_min": "128"}, words{"ethertype": "IPv6", "protocol": "ipv6-icmp", "port_range_min": "128"}, true},
		{"another type of ICMP", words{"protocol": "icmp", "port_min": "8"}, words{"protocol": "icmp", "port_range_min": "8", "port_range_max": "0"}, false},
		{"large letters", words{"protocol": "TCP", "port_min": "80"}, words{"protocol": "tcp", "port_range_min": "80", "port_range_max": "80"}, true},
		{"a protocol by number", words{"protocol": "112"}, words{"protocol": "vrrp"}, true},
		{"a protocol by name", words{"protocol": "esp"}, words{"protocol": "50"}, true},
		{"a protocol without a name", words{"protocol": "99"}, words{"protocol": "99"}, true},
		{"any protocol", words{"protocol": "any"}, words{}, true},
		{"all addresses", words{"ethertype": "IPv6"}, words{"ethertype": "IPv6", "remote_ip_prefix": "::/0"}, true},
		{"all addresses, written", words{"remote_cidr": "0.0.0.0/0"}, words{"remote_ip_prefix": "0.0.0.0/0"}, true},
		{"addresses in another spelling", words{"ethertype": "IPv6", "remote_cidr": "2001:DB8:0::/48"}, words{"ethertype": "IPv6", "remote_ip_prefix": "2001:db8::/48"}, true},
		{"a group of addresses, which is no remote for all", words{"protocol": "tcp"}, words{"protocol": "tcp", "remote_address_group_id": "a1"}, false},
		{"the group of addresses", words{"protocol": "tcp", "remote_address_group": "a1"}, words{"protocol": "tcp", "remote_address_group_id": "a1"}, true},
		{"another group of addresses", words{"protocol": "tcp", "remote_address_group": "a2"}, words{"protocol": "tcp", "remote_address_group_id": "a1"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			written, kept := words{"direction": "ingress"}, words{"id": "r1", "direction": "ingress", "ethertype": "IPv4", "description": "[" + testMark + "]"}
			maps.Copy(written, test.written)
			maps.Copy(kept, test.kept)
			group := k.read(words{"id": "g1", "description": "[" + testMark + "]", "security_group_rules": []any{kept}})
			want := collection([]cty.Value{fromMap(written, element)}, cty.List(element))
			if same, _ := k.compare(ruleBlock, want, group); same != test.same {
				t.Errorf("the same is %t: written %+v, kept %+v", same, ruleOf(want.AsValueSlice()[0]), group.detail)
			}
		})
	}
	twice := []cty.Value{
		fromMap(words{"direction": "egress", "protocol": "tcp", "port_min": "1", "port_max": "65535"}, element),
		fromMap(words{"direction": "egress", "ethertype": "IPv4", "protocol": "6", "remote_cidr": "0.0.0.0/0"}, element),
	}
	missing, _ := ruleChanges(collection(twice, cty.List(element)), k.read(words{"id": "g1"}))
	if len(missing) != 1 {
		t.Errorf("of one rule in two spellings %d are made: %+v", len(missing), missing)
	}
}

func TestMarksInDescriptions(t *testing.T) {
	for _, text := range []string{"", "Front end", "two\nlines", "with [brackets]", "ends with space "} {
		back, mark := splitMark(joinMark(text, testMark))
		if back != text || mark != testMark {
			t.Errorf("%q became %q with the mark %q", text, back, mark)
		}
	}
	if text, mark := splitMark("plain [note]"); text != "plain [note]" || mark != "" {
		t.Errorf("got %q and %q", text, mark)
	}
}
