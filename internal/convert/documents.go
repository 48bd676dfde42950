package convert

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// The groups of the kinds, and their one version.
const (
	groupKupenstack = "kupenstack.io"
	groupOperator   = "openstack.k8s.io"
	version         = "v1alpha1"
)

// document is one object as Kubernetes has it.
type document struct {
	kind      string
	name      string
	namespace string // "" when none is written
	at        diag.Range
	spec      *value // nil without
	comments
}

// kind is how documents of a kind are read.
type kind struct {
	group string
	read  func(*document)
}

func (c *converter) kinds() map[string]kind {
	kinds := map[string]kind{
		"KupenstackConfiguration":            {groupKupenstack, c.readConfiguration},
		"OpenstackNode":                      {groupKupenstack, c.readNode},
		"OpenStackCloudConfigurationProfile": {groupKupenstack, c.readProfile},
		"OpenStackControlPlane":              {groupOperator, c.readPlane},
		"OVNNetwork":                         {groupOperator, c.readOVN},
		"CephStorage": {groupOperator, c.homeless(
			"Ceph itself is not deployed by KupenStack",
			`deploy Ceph, with Rook for example, and write in the cloud storage_backend = "ceph", and a ceph block with its monitors, pools and users`)},
		"OpenStackDataPlane": {groupOperator, c.homeless(
			"KupenStack runs no Ansible jobs on hosts outside of the cluster",
			"join the hosts to the Kubernetes cluster, and write a node block with roles for each")},
	}
	for name := range templates() {
		kinds[serviceKind(name)] = kind{groupOperator, c.readService(name)}
	}
	return kinds
}

// serviceKind is the kind of the documents of a service.
func serviceKind(service string) string {
	switch service {
	case "mariadb":
		return "MariaDB"
	case "rabbitmq":
		return "RabbitMQ"
	default:
		return strings.ToUpper(service[:1]) + service[1:]
	}
}

// homeless reads a kind that the language has nothing for.
func (c *converter) homeless(detail, hint string) func(*document) {
	return func(d *document) {
		c.lost(finding{code: codeNoHome, at: d.at, summary: fmt.Sprintf("%s has no home", d.kind), detail: detail, hint: hint})
	}
}

// document reads one document of a file, or an element of a List.
func (c *converter) document(v *value) {
	if v.null() {
		return // nothing between two separators
	}
	if v.form != mapping {
		c.fields(v, "", nil)
		return
	}
	if kind := v.get("kind"); kind != nil && kind.text == "List" {
		c.list(v)
		return
	}
	c.objects++
	kindField, group := v.get("kind"), v.get("apiVersion")
	if kindField == nil || kindField.form != scalar {
		c.lost(finding{code: codeKind, at: v.at, summary: "no kind", detail: "the document does not say what it is", hint: "write apiVersion and kind, as Kubernetes takes them"})
		return
	}
	k, ok := c.kinds()[kindField.text]
	if !ok {
		c.lost(finding{
			code: codeKind, at: kindField.at, summary: fmt.Sprintf("unknown kind %q", kindField.text),
			detail: "documents of this kind cannot be converted", hint: didYouMean(kindField.text, slices.Sorted(maps.Keys(c.kinds()))),
		})
		return
	}
	if want := k.group + "/" + version; group == nil || group.text != want {
		where := kindField.at
		if group != nil {
			where = group.at
		}
		c.lost(finding{
			code: codeKind, at: where, summary: "another API",
			detail: fmt.Sprintf("%s is converted from apiVersion: %s alone", kindField.text, want), hint: "write it so if that is what the document is",
		})
		return
	}
	d := &document{kind: kindField.text, at: kindField.at, comments: v.comments}
	for _, f := range v.fields {
		if f.key == "apiVersion" || f.key == "kind" {
			d.head = append(d.head, f.head...)
		}
	}
	c.fields(v, "", handlers{
		"apiVersion": ignore, "kind": ignore,
		"metadata": func(f field) { c.metadata(d, f.value) },
		"spec":     func(f field) { d.spec = f.value },
		"status": func(f field) {
			if !f.value.empty() && c.first("status") {
				c.warn(finding{
					code: codeLeftOut, at: f.at, summary: "status is left out",
					detail: "it says what was seen and worked out, here and in the other documents; a configuration says what is wanted",
					hint:   "what holds on a node is in nodes/<name>.md of the status branch",
				})
			}
		},
	})
	if c.named(d) {
		k.read(d)
	}
}

// list reads what kubectl prints of several objects.
func (c *converter) list(v *value) {
	if items := v.get("items"); items == nil || items.null() {
		c.lost(finding{code: codeMissing, at: v.get("kind").at, summary: "List without items", detail: "the documents of a List are its items, and it has none", hint: "write them below items, each behind a dash, or take the List away"})
	}
	c.fields(v, "a List", handlers{
		"apiVersion": ignore, "kind": ignore, "metadata": ignore,
		"items": func(f field) {
			if f.value.form != list {
				c.wrong(f, "a list of documents", "write each document behind a dash, or by itself between lines of ---")
				return
			}
			for _, item := range f.value.items {
				if c.documents++; c.documents > c.limits.Documents {
					c.unreadable(finding{code: codeLimit, at: item.at, summary: "too many documents", detail: fmt.Sprintf("at most %d documents can be converted at once", c.limits.Documents)})
					return
				}
				c.document(item)
			}
		},
	})
}

// metadata reads the name. What the API server writes there is passed over.
func (c *converter) metadata(d *document, v *value) {
	text := func(to *string) func(field) {
		return func(f field) {
			if s, ok := c.string(f); ok {
				*to = s
			}
		}
	}
	labels := func(f field) {
		if !f.value.empty() && c.first(f.key) {
			c.warn(finding{code: codeLeftOut, at: f.at, summary: f.key + " are left out", detail: fmt.Sprintf("blocks have no %s, here and in the other documents", f.key), hint: "what a person should know can be a comment"})
		}
	}
	c.fields(v, "metadata", handlers{
		"name": func(f field) {
			text(&d.name)(f)
			d.head = append(d.head, f.head...)
			d.head = append(d.head, f.line...)
		},
		"namespace": text(&d.namespace), "labels": labels, "annotations": labels,
		"uid": ignore, "resourceVersion": ignore, "generation": ignore, "creationTimestamp": ignore, "deletionTimestamp": ignore,
		"deletionGracePeriodSeconds": ignore, "managedFields": ignore, "selfLink": ignore, "ownerReferences": ignore, "finalizers": ignore,
	})
}

// named tells whether a document has a name that no other one of its kind has.
func (c *converter) named(d *document) bool {
	err := schema.FormatDNSName.Check(d.name)
	if err == nil && d.namespace != "" {
		err = schema.FormatDNSLabel.Check(d.namespace)
	}
	if err != nil {
		c.lost(finding{code: codeValue, at: d.at, summary: "invalid name", detail: fmt.Sprintf("name and namespace of a document must be %v", err), hint: "write metadata: {name: …}, as Kubernetes takes it"})
		return false
	}
	id := identity{d.kind, d.namespace, d.name}
	if before, twice := c.unique[id]; twice {
		c.lost(finding{code: codeDuplicate, at: d.at, summary: "document is there twice", detail: fmt.Sprintf("the %s %s is at %s already", d.kind, d.name, place(before)), hint: "keep one of them"})
		return false
	}
	c.unique[id] = d.at
	return true
}

// longestLabel is what an address takes, with room for what tells equal ones apart.
const longestLabel = 240

// label makes a name of Kubernetes one that can stand in an address. Names of Kubernetes have no _,
// so different names stay different.
func label(name string) string {
	name = strings.ReplaceAll(name, ".", "_")
	if schema.FormatIdentifier.Check(name) != nil {
		name = "_" + name
	}
	return name[:min(len(name), longestLabel)]
}
