package reference

import (
	"fmt"
	"strings"

	"github.com/kupenstack/kupenstack-sync/schema"
)

// The pages that are not about one block.
const (
	indexPage    = "README.md"
	resourcePage = "resource.md"
	servicePage  = "services.md"
	lookupPage   = schema.DataKind + ".md"
	functionPage = "functions.md"   // made by package resolve
	codePage     = "diagnostics.md" // made by package codes
	boundPage    = "bounds.md"      // made by a test of this package, which sees all bounds
)

// index leads to every page.
func (r *Renderer) index() []byte {
	p := &page{}
	p.paragraph("# Reference of the language")
	p.paragraph("Every block of the language with all its attributes. What blocks have in common, and examples of whole configurations, are in the project's [README](../../README.md).")
	r.kinds(p, "The deployment", "What runs, where, and with which settings.", []entry{{servicePage, "`service`", "The services that a cloud can deploy."}},
		schema.ClassCloud, schema.ClassProfile, schema.ClassNode)
	r.kinds(p, "Resources", "What there is inside OpenStack, and in the cluster beside the services.", []entry{
		{resourcePage, "every resource", "What every resource takes besides its own attributes."},
		{lookupPage, "`" + schema.DataKind + "`", "Looks up an object of OpenStack that the configuration does not manage."},
	}, schema.ClassResource)
	r.kinds(p, "The language's own blocks", "", []entry{
		{functionPage, "functions", "What expressions can call."},
		{codePage, "diagnostics", "What the codes of mistakes mean, and what to do."},
		{boundPage, "bounds", "How large a configuration can be, and what it can cost."},
	}, schema.ClassMeta)
	p.paragraph("## How to read it")
	p.paragraph(strings.Join([]string{
		"- Types are written as in a `variable` block. What an attribute is given is converted to its type, if that loses nothing.",
		"- *Unless written* is what holds when an attribute is left out. *Not managed* means that OpenStack decides, and that it stays as it is when somebody changes it.",
		"- *A change* is what happens to an object that is there when the attribute is written otherwise: it is changed *in place*, the change *replaces* it by a new one, or the change *is refused*. What others need that stay is replaced only with `create_before_destroy = true` in its `lifecycle`: the new one is created first, those follow, and then the old one is deleted. Without, the plan holds the change back.",
		"- Settings *for the whole cloud* stand in the cloud's `service` block or in its default profile; those *for single nodes* also in a profile that only some nodes have.",
	}, "\n"))
	return p.bytes()
}

// entry is a line of the index.
type entry struct{ file, title, doc string }

func (r *Renderer) kinds(p *page, title, text string, more []entry, classes ...schema.Class) {
	p.paragraph("## " + title)
	if text != "" {
		p.paragraph(text)
	}
	p.row("block", "what it is for")
	p.row("---", "---")
	for _, kind := range r.definition.Kinds(classes...) {
		p.row(fmt.Sprintf("[`%s`](%[1]s.md)", kind), prose(schema.Summary(r.definition.Block(kind).Doc)))
	}
	for _, e := range more {
		p.row(fmt.Sprintf("[%s](%s)", e.title, e.file), e.doc)
	}
	p.end()
}

// resource is the page about what every resource takes.
func (r *Renderer) resource() []byte {
	p := &page{}
	p.paragraph("[Reference](" + indexPage + ")")
	p.paragraph("# What every resource takes")
	p.paragraph("A resource is an object inside OpenStack: " + strings.Join(r.links(false), ", ") + "; or one in the cluster: " + strings.Join(r.links(true), ", ") + ". Besides its own attributes it takes the following.")
	p.code(r.Everywhere())
	// The arguments are shown as those of a block that is no resource: none of them is managed.
	arguments := &schema.Block{Attributes: schema.Arguments()}
	p.paragraph("## Attributes")
	r.attributes(p, arguments)
	lifecycle := schema.Lifecycle()
	p.paragraph("## Block `" + lifecycle.Kind + "`")
	p.paragraph(prose(lifecycle.Doc) + " " + howMany(&lifecycle))
	r.body(p, &lifecycle.Block, 3, false)
	dynamic := schema.Dynamic()
	p.paragraph("## Block `" + dynamic.Kind + "`")
	p.paragraph(prose(dynamic.Doc) + " It stands where they would, with their kind as its label.")
	r.attributes(p, &dynamic)
	content := &dynamic.Blocks[0]
	p.paragraph("### Block `" + content.Kind + "`")
	p.paragraph(prose(content.Doc) + " " + howMany(content))
	return p.bytes()
}

// links are those of the resources, in the cluster or in OpenStack.
func (r *Renderer) links(cluster bool) []string {
	var links []string
	for _, kind := range r.definition.Kinds(schema.ClassResource) {
		if r.definition.Resource(kind).Cluster == cluster {
			links = append(links, fmt.Sprintf("[%s](%[1]s.md)", kind))
		}
	}
	return links
}

// lookups is the page about data blocks.
func (r *Renderer) lookups() []byte {
	p := &page{}
	p.paragraph("[Reference](" + indexPage + ")")
	p.paragraph("# " + schema.DataKind)
	kinds := r.definition.Kinds(schema.ClassResource)
	p.paragraph(prose(r.definition.Resource(kinds[0]).DataBlock().Doc) + " It is never changed, and expressions can use all its attributes and outputs. Those that OpenStack has in none of its lists are asked for only where the configuration refers to them, by requests of their own: `quota` of projects, and of volume types, which takes a request for each project, `groups` of users, `access` of flavors and volume types that are not public, `members` of images that are shared, and `server_group`, `volumes` and `boot_volume` of instances. Where one cannot be read, what refers to it waits for that, and nothing else does. Null are those that only say what a block wants, such as `heal` of an instance or the `namespace` of a project; how an object was made, such as `source` of an image, of whose `file` there is the digest, or the `scheduler_hints` of an instance; and what a service keeps to itself, as the `password` of a user. It is looked for among all that the user of OpenStack sees, so among those of all projects where that is an administrator. What tenants call the same is told apart by what they cannot have, such as the `project`, `external = true` of a network, or `visibility = \"public\"` of an image.")
	p.code(r.Lookup(r.definition.Resource(kinds[0])))
	p.paragraph("The first label is the kind of the object, the second one the name in addresses: `" + schema.DataKind + ".<kind>.<label>`.")
	p.row("kind", "can be found by")
	p.row("---", "---")
	for _, kind := range kinds {
		if r.definition.Resource(kind).Cluster {
			continue
		}
		p.row(fmt.Sprintf("[`%s`](%[1]s.md)", kind), codes(r.definition.Resource(kind).DataBlock().AttributeNames()))
	}
	p.end()
	p.paragraph("Each also takes the following.")
	p.code(r.Lookups(r.definition.Resource(kinds[0])))
	r.attributes(p, &schema.Block{Attributes: r.definition.Resource(kinds[0]).DataBlock().Arguments()})
	return p.bytes()
}

// services is the page about what a cloud can deploy.
func (r *Renderer) services() []byte {
	p := &page{}
	p.paragraph("[Reference](" + indexPage + ")")
	p.paragraph("# Services")
	p.paragraph("A service is deployed when the [cloud](cloud.md) has a `service` block with its name. Its settings stand there and in [profiles](profile.md).")
	p.row("service", "what it is", "parts for `replicas`", "further pieces for `resources`", "`storage_size`", "`version`", "`conf` by node")
	p.row("---", "---", "---", "---", "---", "---", "---")
	for _, s := range r.definition.Services() {
		parts := "runs " + s.Runs()
		if s.Scalable() {
			parts = codes(s.Parts)
		}
		others := "–"
		if further := s.Resourced()[len(s.Parts):]; len(further) > 0 {
			others = codes(further)
		}
		p.row("`"+s.Name+"`", prose(s.Doc), parts, others, yes(s.Storage), yes(s.Versioned), yes(s.ByNode))
	}
	p.end()
	p.paragraph("A plain number of `replicas` is meant for the first part.")
	p.paragraph("Of pods can be set what the chart of a service has a place for.")
	p.row("setting", "services")
	p.row("---", "---")
	for _, setting := range schema.PodSettings() {
		var taken []string
		for _, name := range schema.TakenBy(setting) {
			of, _ := r.definition.Service(name)
			if setting == schema.DisruptionBudget {
				name = fmt.Sprintf("%s (%s)", name, strings.Join(of.Budgets, ", "))
			}
			taken = append(taken, name)
		}
		p.row("`"+setting+"`", strings.Join(taken, ", "))
	}
	p.end()
	return p.bytes()
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "–"
}
