package resolve

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/manifest"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
)

// The attributes of a manifest that say what is in it.
const (
	objectsName   = "objects"
	filesName     = "files"
	directoryName = "directory"
)

// maxManifest is how many objects one block may stand for: they are applied together.
const maxManifest = 1_000

// objectsOf returns the objects of a manifest: those that are written first, then those of files. It returns
// false after telling what is wrong.
func (s *scope) objectsOf(i *instance, desired cty.Value) ([]model.Object, bool) {
	b := i.block.config
	needed := slices.Concat(i.block.kind.schema.NeedsOne...)
	if !slices.ContainsFunc(needed, func(name string) bool { return b.Attribute(name) != nil && !desired.GetAttr(name).IsNull() }) {
		s.add(diag.Diagnostic{
			Code: codeValue, Subject: &b.Range, Address: i.address, Summary: "no objects", Detail: "the block says nothing of what is to be applied",
			Hint: "write one of these: " + strings.Join(needed, ", "),
		})
		return nil, false
	}
	m := manifests{scope: s, instance: i, ok: true}
	m.written(b.Attribute(objectsName), desired.GetAttr(objectsName))
	m.files(b.Attribute(filesName), desired.GetAttr(filesName))
	m.directory(b.Attribute(directoryName), desired.GetAttr(directoryName))
	if len(m.objects) > maxManifest {
		s.add(diag.Diagnostic{
			Code: codeTooLarge, Subject: &b.Range, Address: i.address, Summary: "too many objects",
			Detail: fmt.Sprintf("a manifest can have at most %d objects, and this has %d", maxManifest, len(m.objects)), Hint: "divide them among several blocks",
		})
		return nil, false
	}
	return m.objects, m.ok
}

// manifests gathers the objects of one block.
type manifests struct {
	scope    *scope
	instance *instance
	objects  []model.Object
	ok       bool
}

func (m *manifests) wrong(a *config.Attribute, summary, detail, hint string) {
	m.scope.wrong(codeValue, a, summary, detail, hint)
	m.ok = false
}

// written takes the objects that stand in the configuration.
func (m *manifests) written(a *config.Attribute, v cty.Value) {
	if a == nil || v.IsNull() {
		return
	}
	elements := []cty.Value{v}
	if !v.IsMarked() && v.IsKnown() && isSequence(v.Type()) {
		elements = v.AsValueSlice()
	}
	for _, element := range elements {
		m.object(a, element)
	}
}

// object takes one object, or one that is a list of several.
func (m *manifests) object(a *config.Attribute, v cty.Value) {
	v, hidden, ok := withoutHidden(v)
	if !ok {
		m.wrong(a, "sensitive manifest", "objects are shown as they are, but for the values in data and stringData of a Secret, and something else is sensitive here",
			"put it into a Secret, or into the values of a chart; a value of another Secret cannot be copied")
		return
	}
	plain, err := model.Plain(v)
	if err != nil {
		m.wrong(a, "no objects", fmt.Sprintf("%s cannot be given to Kubernetes: %v", a.Name, err), "write objects as Kubernetes has them")
		return
	}
	found, err := manifest.Objects(plain)
	var wrong *manifest.Error
	if errors.As(err, &wrong) {
		m.wrong(a, "no object of Kubernetes", wrong.Text, wrong.Hint)
		return
	}
	for _, o := range found {
		m.objects = append(m.objects, model.Object{Content: o.Content, Hidden: hidden, Range: a.Range})
	}
}

// withoutHidden takes the sensitive values out of a Secret. It returns false where something else is sensitive,
// or a value is one of somebody else's Secret, which is not copied.
func withoutHidden(v cty.Value) (cty.Value, []model.Hidden, bool) {
	if !v.ContainsMarked() {
		return v, nil, true
	}
	if v.IsMarked() || !v.Type().IsObjectType() && !v.Type().IsMapType() || len(model.SecretsIn(v)) > 0 {
		return v, nil, false
	}
	fields := v.AsValueMap()
	if !says(fields["apiVersion"], "v1") || !says(fields["kind"], "Secret") {
		return v, nil, false
	}
	var hidden []model.Hidden
	for _, name := range []string{"data", "stringData"} {
		values, there := fields[name]
		if !there || !values.ContainsMarked() {
			continue
		}
		if values.IsMarked() || !values.IsKnown() || values.IsNull() || !values.Type().IsObjectType() && !values.Type().IsMapType() {
			return v, nil, false // keys are shown, and with the map they would be sensitive
		}
		shown := map[string]cty.Value{}
		for key, value := range values.AsValueMap() {
			plain, own := value.Unmark()
			if len(own) == 0 || plain.IsNull() {
				shown[key] = plain
				continue
			}
			if plain.Type() != cty.String && plain.IsKnown() || plain.ContainsMarked() {
				return v, nil, false
			}
			secret := redact.Secret{}
			if plain.IsKnown() {
				secret = redact.NewSecret(plain.AsString())
			}
			hidden = append(hidden, model.Hidden{Path: []string{name, key}, Value: secret})
		}
		fields[name] = cty.ObjectVal(shown)
	}
	slices.SortFunc(hidden, func(a, b model.Hidden) int { return slices.Compare(a.Path, b.Path) })
	object := cty.ObjectVal(fields)
	return object, hidden, !object.ContainsMarked()
}

// says tells whether a value is a text that everybody sees.
func says(v cty.Value, text string) bool {
	return v != cty.NilVal && !v.IsMarked() && v.Type() == cty.String && v.IsKnown() && !v.IsNull() && v.AsString() == text
}

// files takes the objects of files that are named.
func (m *manifests) files(a *config.Attribute, v cty.Value) {
	if a == nil || v.IsNull() {
		return
	}
	for it := v.ElementIterator(); it.Next(); {
		_, name := it.Element()
		if name.IsNull() {
			m.wrong(a, "null among the files", "null is no path", "take null away; toset(compact([…])) leaves null and empty texts out")
			continue
		}
		m.file(a, name.AsString())
	}
}

// directory takes the objects of all files of a directory.
func (m *manifests) directory(a *config.Attribute, v cty.Value) {
	if a == nil || v.IsNull() {
		return
	}
	name := v.AsString()
	const pattern = "**/*.{yaml,yml,json}"
	found, err := m.scope.files.match(name, pattern, func() bool { return true }) // the looks are paid for
	if err != nil {
		m.wrong(a, "no manifests there", err.Error(), "write the path of a directory, from that of the configuration")
		return
	}
	if len(found) == 0 {
		m.wrong(a, "no manifests there", fmt.Sprintf("there is no file in the directory %q, or below, whose name ends with .yaml, .yml or .json", shorten(name)),
			"write the path of a directory, from that of the configuration")
		return
	}
	slices.Sort(found)
	for _, file := range found {
		m.file(a, path.Join(name, file))
	}
}

// file takes the objects of one file.
func (m *manifests) file(a *config.Attribute, name string) {
	objects, full, err := m.scope.files.manifest(name)
	var wrong *manifest.Error
	switch {
	case errors.As(err, &wrong):
		where := diag.Range{File: full, Start: diag.Pos{Line: wrong.Line, Column: 1}, End: diag.Pos{Line: wrong.Line, Column: 1}}
		m.scope.add(diag.Diagnostic{Code: codeValue, Subject: &where, Address: m.instance.address, Summary: "no object of Kubernetes", Detail: wrong.Text, Hint: wrong.Hint})
		m.ok = false
		return
	case err != nil:
		m.absent(a, name, m.scope.besideModule(name, err).Error(), "write the path from the directory of the configuration")
		return
	case len(objects) == 0 && a.Name == filesName:
		m.absent(a, name, fmt.Sprintf("there is no object in the file %q", shorten(name)), "take it out of the list, or write objects in it")
		return
	}
	for _, o := range objects {
		where := diag.Range{File: full, Start: diag.Pos{Line: o.Line, Column: 1}, End: diag.Pos{Line: o.Line, Column: 1}}
		m.objects = append(m.objects, model.Object{Content: o.Content, Range: where})
	}
}

// absent tells that a file gives no objects; of several in one list each is told.
func (m *manifests) absent(a *config.Attribute, name, detail, hint string) {
	d := diag.Diagnostic{Code: codeValue, Subject: &a.Range, Summary: "no manifests there", Detail: detail, Hint: hint}
	m.scope.addOnce(told{where: a.Range, summary: d.Summary + name}, d, "")
	m.ok = false
}

// manifest returns the objects of a file, and its path in the tree. It is parsed once.
func (f *files) manifest(name string) ([]manifest.Object, string, error) {
	found, err := f.read(name)
	if err != nil {
		return nil, "", err
	}
	full, err := config.Within(f.dir, name)
	if err != nil {
		return nil, "", err
	}
	known, ok := f.manifests[found]
	if !ok {
		known.objects, known.err = manifest.Parse(found.content)
		f.manifests[found] = known
	}
	return known.objects, full, known.err
}

// parsedManifest is what a file has, or why it cannot be read.
type parsedManifest struct {
	objects []manifest.Object
	err     error
}
