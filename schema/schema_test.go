package schema

import (
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// everyBlock calls visit for every block of the language with its path, nested ones, the
// data form of resources and the language's own arguments included.
func everyBlock(d *Definition, visit func(path string, b *Block)) {
	var walk func(path string, b *Block)
	walk = func(path string, b *Block) {
		visit(path, b)
		for i := range b.Blocks {
			walk(path+"."+b.Blocks[i].Kind, &b.Blocks[i].Block)
		}
	}
	for _, b := range d.Blocks() {
		walk(b.Kind, b)
		if b.Class == ClassResource {
			walk("data."+b.Kind, b.DataBlock())
		}
	}
	lifecycle := Lifecycle()
	walk("lifecycle", &lifecycle.Block)
	dynamic := Dynamic()
	walk("dynamic", &dynamic)
	walk("arguments", &Block{Kind: "arguments", Class: ClassPart, Doc: "Arguments of every resource.", Attributes: Arguments()})
}

func everyAttribute(d *Definition, visit func(path string, a *Attribute)) {
	everyBlock(d, func(path string, b *Block) {
		for i := range b.Attributes {
			visit(path+"."+b.Attributes[i].Name, &b.Attributes[i])
		}
	})
}

func sentence(s string) bool {
	return s != "" && strings.HasSuffix(s, ".") && s == strings.TrimSpace(s)
}

func TestBlocksAreConsistent(t *testing.T) {
	d := New()
	seen := map[string]bool{}
	for _, b := range d.Blocks() {
		if seen[b.Kind] {
			t.Errorf("%s is defined twice", b.Kind)
		}
		seen[b.Kind] = true
	}
	everyBlock(d, func(path string, b *Block) {
		if !sentence(b.Doc) {
			t.Errorf("%s: the documentation is not a sentence: %q", path, b.Doc)
		}
		if b.Class == "" {
			t.Errorf("%s has no class", path)
		}
		if b.Free && len(b.Attributes) > 0 && b.Kind != ModuleKind { // its other attributes are inputs
			t.Errorf("%s is free and has attributes", path)
		}
		names := map[string]bool{}
		for _, a := range b.Attributes {
			if names[a.Name] {
				t.Errorf("%s.%s is defined twice", path, a.Name)
			}
			names[a.Name] = true
		}
		for _, a := range b.Attributes {
			if a.Conflicts != "" && (!names[a.Conflicts] || a.Conflicts == a.Name) {
				t.Errorf("%s.%s conflicts with %s, which is not there", path, a.Name, a.Conflicts)
			}
			// Null counts as not written there, which a value in its place would hide.
			if other := b.Attribute(a.Conflicts); a.Conflicts != "" && (stands(&a) || other != nil && stands(other)) {
				t.Errorf("%s.%s conflicts with %s, and one of them has a value without being written", path, a.Name, a.Conflicts)
			}
		}
		for _, n := range b.Blocks {
			if names[n.Kind] {
				t.Errorf("%s.%s is defined twice", path, n.Kind)
			}
			names[n.Kind] = true
			if n.Max != 0 && n.Min > n.Max {
				t.Errorf("%s.%s: more are needed than allowed", path, n.Kind)
			}
		}
		for _, l := range b.Labels {
			if l.Name == "" || !sentence(l.Doc) {
				t.Errorf("%s: a label without name or documentation", path)
			}
		}
	})
}

func TestResourcesAreConsistent(t *testing.T) {
	d := New()
	reserved := map[string]bool{"lifecycle": true, DynamicKind: true}
	nameless := []string{"role_assignment", "identity_endpoint", "volume_attachment", "floating_ip", "rbac_policy", "registered_limit", "limit"} // told apart by what they connect
	for _, a := range Arguments() {
		reserved[a.Name] = true
	}
	for _, kind := range d.Kinds(ClassResource) {
		b := d.Resource(kind)
		if len(b.Labels) != 1 {
			t.Errorf("%s has %d labels, want one", kind, len(b.Labels))
		}
		if !b.Cluster {
			id, name := b.Attribute("id"), b.Attribute("name")
			if id == nil || id.Presence != Computed {
				t.Errorf("%s has no computed id", kind)
			}
			if slices.Contains(nameless, kind) != (name == nil) || name != nil && (!name.FromLabel || !name.Lookup) {
				t.Errorf("%s has no name that comes from the label and that it can be found by", kind)
			}
		}
		for _, a := range b.Attributes {
			if reserved[a.Name] {
				t.Errorf("%s.%s hides an argument of the language", kind, a.Name)
			}
			if a.Scope != 0 {
				t.Errorf("%s.%s has the scope of a setting", kind, a.Name)
			}
			if b.Cluster {
				checkClusterAttribute(t, kind, &a)
			} else if a.Type.HasDynamicTypes() {
				t.Errorf("%s.%s has no fixed type, so what depends on it cannot be planned", kind, a.Name)
			}
		}
		for _, n := range b.Blocks {
			if len(n.Labels) > 0 {
				t.Errorf("%s.%s has labels, which a dynamic block cannot give", kind, n.Kind)
			}
			if reserved[n.Kind] {
				t.Errorf("%s.%s hides an argument of the language", kind, n.Kind)
			}
		}
	}
	for i, kind := range d.Kinds(ClassResource) {
		for _, other := range d.Kinds(ClassResource)[:i] {
			if d.Resource(kind).ObjectType().Equals(d.Resource(other).ObjectType()) {
				t.Errorf("a reference to %s would be taken for one to %s, as nothing but their types tells them apart", kind, other)
			}
		}
	}
	for _, kind := range []string{"var", "local", "each", "data", "self", "service", "path", "count"} {
		if d.Block(kind) != nil {
			t.Errorf("the kind %s would hide the language's own name", kind)
		}
	}
	if d.Resource(ModuleKind) != nil {
		t.Error("a module is a resource")
	}
}

// checkClusterAttribute wants of what is in the cluster that all of it is known before anything is done, and
// that nothing has to be made anew for it.
func checkClusterAttribute(t *testing.T, kind string, a *Attribute) {
	t.Helper()
	if !a.AtLoad || a.Lookup || a.Presence == Computed || a.Change == Replace {
		t.Errorf("%s.%s has to be known when the configuration is loaded, cannot be looked up and replaces nothing", kind, a.Name)
	}
}

func TestAttributesAreConsistent(t *testing.T) {
	d := New()
	everyAttribute(d, func(path string, a *Attribute) {
		if !sentence(a.Doc) {
			t.Errorf("%s: the documentation is not a sentence: %q", path, a.Doc)
		}
		if a.Type == cty.NilType {
			t.Fatalf("%s has no type", path)
		}
		if a.Type == cty.DynamicPseudoType && a.Form == FormValue && !a.Mapping && len(a.OneOf) == 0 &&
			!slices.Contains([]string{"variable.default", "arguments.for_each", "dynamic.for_each", "module.for_each", "output.value", "import.for_each", "manifest.objects"}, path) {
			t.Errorf("%s takes anything", path)
		}
		if a.Reference != nil {
			checkReference(t, d, path, a)
		}
		if a.Belongs && (a.Reference == nil || a.Type != cty.String) {
			t.Errorf("%s belongs to nothing: it refers to no single object", path)
		}
		if a.Content && a.Type != cty.String {
			t.Errorf("%s names no file: it is no text", path)
		}
		if a.Presence == Computed {
			if a.HasDefault() || a.FromLabel || len(a.Allowed) > 0 || a.Bounds != nil || a.Change != InPlace {
				t.Errorf("%s is an output and says how it is written", path)
			}
			return
		}
		if a.Presence == Required && (a.HasDefault() || a.FromLabel) {
			t.Errorf("%s must be written and has a default", path)
		}
		if a.HasDefault() {
			checkValue(t, path+": the default", a, a.Default)
		}
		if a.Example != cty.NilVal && a.Form == FormValue {
			checkValue(t, path+": the example", a, a.Example)
		}
		for name := range a.Fields {
			if !hasText(a.Type, name) {
				t.Errorf("%s has a format for %s, which is no string in it", path, name)
			}
		}
		if len(a.Allowed) > 0 && !holdsStrings(a.Type) || a.Format != FormatAny && !holdsStrings(a.Type) {
			t.Errorf("%s limits strings and has none", path)
		}
	})
}

// hasText tells whether there is a string, or a map of them, of a name in the objects of a type, however deep.
func hasText(t cty.Type, name string) bool {
	if t.IsCollectionType() {
		return hasText(t.ElementType(), name)
	}
	if !t.IsObjectType() {
		return false
	}
	for key, of := range t.AttributeTypes() {
		if key == name && (of == cty.String || of == cty.Map(cty.String)) || hasText(of, name) {
			return true
		}
	}
	return false
}

func holdsStrings(t cty.Type) bool {
	return t == cty.String || t.IsCollectionType() && t.ElementType() == cty.String
}

func checkReference(t *testing.T, d *Definition, path string, a *Attribute) {
	t.Helper()
	target := d.Block(a.Reference.Kind)
	if target == nil {
		t.Errorf("%s refers to the kind %s, which is not there", path, a.Reference.Kind)
		return
	}
	output := target.Attribute(a.Reference.Output)
	if output == nil || output.Type != cty.String {
		t.Errorf("%s refers to %s.%s, which is no string", path, a.Reference.Kind, a.Reference.Output)
	}
	if !holdsStrings(a.Type) && !(len(a.OneOf) > 0 && !slices.ContainsFunc(a.OneOf, func(t cty.Type) bool { return !holdsStrings(t) })) {
		t.Errorf("%s is a reference and no string or list of strings", path)
	}
}

// checkValue wants a value to be one that the attribute would take.
func checkValue(t *testing.T, what string, a *Attribute, v cty.Value) {
	t.Helper()
	if v.IsNull() {
		return
	}
	if problem := a.Check(v); problem != "" {
		t.Errorf("%s must be %s", what, problem)
	}
	types := a.OneOf
	if len(types) == 0 {
		types = []cty.Type{a.Type}
	}
	for _, want := range types {
		if _, err := convert.Convert(v, want); err == nil {
			return
		}
	}
	t.Errorf("%s %#v does not fit %#v", what, v, types)
}

func TestServicesAreConsistent(t *testing.T) {
	d := New()
	for _, name := range serviceNames() {
		s, ok := d.Service(name)
		if !ok || !sentence(s.Doc) {
			t.Errorf("%s is unknown or has no documentation", name)
		}
		if err := FormatIdentifier.Check(name); err != nil {
			t.Errorf("%s must be %v", name, err)
		}
		for _, part := range slices.Concat(s.Budgets, s.Members, s.Grows, s.Votes) {
			if !slices.Contains(s.Parts, part) {
				t.Errorf("%s has no part %q", name, part)
			}
		}
		for _, piece := range s.Others {
			if slices.Contains(s.Parts, piece) {
				t.Errorf("%s is twice among the pieces of %s", piece, name)
			}
		}
	}
	for setting, without := range withoutPodSetting() {
		for _, name := range without {
			if _, ok := d.Service(name); !ok || !slices.Contains(PodSettings(), setting) {
				t.Errorf("%s is said not to take %s", name, setting)
			}
		}
	}
	if _, ok := d.Service("swift"); ok {
		t.Error("swift is not deployed, yet known")
	}
	for _, a := range d.Block("profile").Nested("service").Attributes {
		if a.Scope&ScopeCloud == 0 {
			t.Errorf("profile.service.%s cannot be set for the whole cloud", a.Name)
		}
		if d.Block("cloud").Nested("service").Attribute(a.Name) == nil {
			t.Errorf("%s can be set in a profile and not in the cloud", a.Name)
		}
	}
}

func TestFormats(t *testing.T) {
	long := strings.Repeat("a", 254)
	for _, c := range []struct {
		format    Format
		good, bad []string
	}{
		{FormatAny, []string{"", "x"}, nil},
		{FormatCPU, []string{"2", "0.5", "500m", "1.25", "0.001"}, []string{"", "0", "0.0", "-1", "1e3", "0m", "2 cores", "1Gi"}},
		{FormatMemory, []string{"512Mi", "2Gi", "100M", "64k"}, []string{"", "512", "0Mi", "1.5Gi", "2GB", "2gi"}},
		{FormatLabelValue, []string{"", "a", "rack-1.b_C"}, []string{" ", "a b", "-a", "a-", strings.Repeat("a", 64)}},
		{FormatLabelKey, []string{"zone", "topology.kubernetes.io/zone", "a_b.C-d"}, []string{"", "a b", "/zone", "a/b/c", "Upper/zone", "-zone"}},
		{FormatKind, []string{"Deployment", "Pod2"}, []string{"", "deployment", "Deployment/x", "apps.Deployment"}},
		{FormatFieldPath, []string{
			"spec", "spec.replicas", "spec.template.spec.containers[api].image", "data[a.conf]", "spec.args[--a=\"b\"]", "webhooks[*].clientConfig", "spec.*.x", "kinds.x",
			"metadata.labels[a.b/c]", "metadata.annotations.a", "metadata.finalizers", "spec.volumeMounts[/etc/a.conf].subPath",
		}, []string{
			"", "spec.", ".spec", "spec..x", "spec[", "spec[]", "spec[a", "spec a", "*", "kind", "apiVersion", "status.x", "status[x]", "metadata", "metadata.name",
			`data["a.conf"]`, `data['a.conf']`, `spec.a["b"].c`,
			"metadata.labels", "metadata.annotations", "metadata.ownerReferences[a]", "metadata[labels]", strings.Repeat("a", 501),
		}},
		{FormatIdentifier, []string{"web", "_a-1"}, []string{"", "1a", "a.b", "a b", long}},
		{FormatDNSName, []string{"node-1", "n1.example.org"}, []string{"", "Node", "-a", "a..b", "a-", long}},
		{FormatText, []string{"", strings.Repeat("ä", 208)}, []string{strings.Repeat("ä", 209)}},
		{FormatName, []string{"web", "Web 1", strings.Repeat("ä", 255)}, []string{"", " \t", strings.Repeat("ä", 256)}},
		{FormatDNSLabel, []string{"openstack"}, []string{"a.b", "", strings.Repeat("a", 64)}},
		{FormatCIDR, []string{"10.0.0.0/8", "2001:db8::/64"}, []string{"10.0.0.1/8", "10.0.0.0", "x/8", "10.0.0.0/33"}},
		{FormatIP, []string{"192.0.2.1", "::1"}, []string{"192.0.2.256", "fe80::1%eth0", ""}},
		{FormatURL, []string{"https://example.org/x"}, []string{"ftp://example.org", "https://", "https://u:p@example.org", "x"}},
		{FormatQuantity, []string{"50Gi", "1T"}, []string{"50", "0Gi", "1.5Gi", "-1Gi"}},
		{FormatRelease, []string{"2026.1", "2025.2"}, []string{"2026.3", "zed", "2026", "2026.1.0"}},
		{FormatChecksum, []string{"sha256:" + strings.Repeat("0f", 32)}, []string{"md5:00", "sha256:00", ""}},
		{FormatPEM, []string{"-----BEGIN CERTIFICATE-----\nMII…\n-----END CERTIFICATE-----\n"}, []string{"", "ca.pem", "-----BEGIN PRIVATE KEY-----\n"}},
		{FormatTag, []string{"4.2", "1.6.32", "3.13.7-management", "0.18.1_p1"}, []string{"", "latest", "v1.0", "1.6.32 beta", "1/../x", "1:2", "1@sha256"}},
		{FormatCharts, []string{"oci://example.org/charts", "oci://example.org:5000", "https://example.org:8443/charts/", "git+https://example.org/r.git//charts?ref=v1", "git+ssh://git@example.org/r", "charts/osh", "."}, []string{"/etc", "git+http://example.org/r", "git+https://example.org/r?ref=a&b=c", "../x", "a/../../b", "", "git://x", "oci://u@h/x", "https://example.org/r.git", "https://example.org/r.git//charts?ref=v1", "git@example.org:r.git", "ssh://git@example.org/r", "https://example.org/x?token=a", "https://example.org/x?", "https://example.org?token=a", "https://example.org/x#a", "https://example.org/x#", "oci://example.org/x?token=a", "oci://example.org/x:1.0", "oci://example.org/x:1.0/y", "oci://example.org/x@sha256:ab"}},
		{FormatPrefix, []string{"10.0.0.9/8", "::/0"}, []string{"10.0.0.9", "", "x/8"}},
		{FormatID, []string{"0b8ce3a8-0c2c-4a0e-9c3e-0b0d2c3f4a5b", "5f0b9a3c1d5e4a6f8b7c9d0e1f2a3b4c", "5F0B9A3C1D5E4A6F8B7C9D0E1F2A3B4C"}, []string{"", "web", "0b8ce3a8-0c2c4a0e-9c3e-0b0d2c3f4a5b", "5f0b9a3c1d5e4a6f8b7c9d0e1f2a3b4", "5f0b9a3c1d5e4a6f8b7c9d0e1f2a3b4g"}},
		{FormatPublicKey, []string{
			"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPhqf2bNpLhR9mX4lDxYb0Q4dS9c6GZ8mNn2eQ0W1t5v",
			"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPhqf2bNpLhR9mX4lDxYb0Q4dS9c6GZ8mNn2eQ0W1t5v somebody at home\n",
		}, []string{
			"", "ssh-ed25519", "ops.pub", "ssh-rsa AAAAC3NzaC1lZDI1NTE5AAAAIPhqf2bNpLhR9mX4lDxYb0Q4dS9c6GZ8mNn2eQ0W1t5v", "ssh-ed25519 AAAAC3NzaC1l",
			"ssh-ed25519 AAAA", "ssh-ed25519 //////////8=", "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\n-----END OPENSSH PRIVATE KEY-----\n",
		}},
		{FormatVersions, []string{"2026.1.0", "~> 2026.1", ">= 2025.1, < 2026.2"}, []string{"", ">>1", "newest", "2026.1.0.0.0"}},
	} {
		for _, s := range c.good {
			if err := c.format.Check(s); err != nil {
				t.Errorf("%s refuses %q: must be %v", c.format, s, err)
			}
		}
		for _, s := range c.bad {
			if c.format.Check(s) == nil {
				t.Errorf("%s takes %q", c.format, s)
			}
		}
	}
	if Format("nonsense").Check("x") == nil {
		t.Error("a format that does not exist takes everything")
	}
}

func TestTypes(t *testing.T) {
	d := New()
	group := d.Resource("security_group")
	desired, seen := group.DesiredType(), group.ObjectType()
	if desired.HasAttribute("id") || !seen.HasAttribute("id") {
		t.Error("an output belongs to what a reference sees, and not to what is desired")
	}
	if !desired.AttributeType("rule").IsListType() {
		t.Errorf("rules are %#v, want a list", desired.AttributeType("rule"))
	}
	if !d.Block("cloud").DesiredType().AttributeType("charts").IsObjectType() {
		t.Error("a block that can stand once is no object")
	}
	if quota := d.Resource("project").ObjectType().AttributeType("quota"); len(quota.OptionalAttributes()) != 0 {
		t.Error("the type of a value has optional attributes")
	}
	data := d.Resource("network").DataBlock()
	if data.Attribute("name").FromLabel || data.Attribute("mtu") != nil || data.Attribute("id").Presence != Optional {
		t.Error("a data block searches by what is written, and by nothing else")
	}
	if !data.ObjectType().Equals(d.Resource("network").ObjectType()) {
		t.Error("of what is looked up references see another type than of the same kind elsewhere")
	}
	if server := d.Resource("instance").DataBlock(); !server.Hides("user_data") || server.Hides("name") {
		t.Error("what is looked up shows what the same kind elsewhere hides, or the other way round")
	}
	if names := group.AttributeNames(); len(names) == 0 || strings.Contains(strings.Join(names, " "), "id") {
		t.Errorf("attributes that can be written: %v", names)
	}
}

// stands tells whether an attribute has a value where it is null.
func stands(a *Attribute) bool { return a.FromLabel || a.HasDefault() }
