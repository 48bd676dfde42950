package openstack

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// containerKind has no ids but names, which each project has its own of. What a container has is in headers, which no list
// has, and with them the only place for a mark: so it bears none.
type containerKind struct{ schema *schema.Block }

const (
	serviceObjects  = "object-store"
	headerMetadata  = "X-Container-Meta-"
	headerRemoves   = "X-Remove-Container-Meta-"
	headerRead      = "X-Container-Read"
	headerContained = "X-Container-Object-Count"
)

func (k containerKind) name() string         { return k.schema.Kind }
func (k containerKind) marks() bool          { return false }
func (k containerKind) walled()              {}
func (k containerKind) madeInProject()       {}
func (k containerKind) block() *schema.Block { return k.schema }
func (k containerKind) cost() string         { return "what is in it is lost" }
func (k containerKind) service() service {
	return service{types: []string{serviceObjects}, version: "v1/"}
}

func (k containerKind) readIn(s *session) func(map[string]any) *object {
	return func(raw map[string]any) *object {
		name := textAt(raw, "name")
		o := &object{id: name, title: name, project: s.project, scope: s.project, raw: raw}
		for name, v := range map[string]string{"id": name, "name": name, "project": s.project} {
			o.values.set(name, cty.StringVal(v))
		}
		return o
	}
}

func (k containerKind) list(ctx context.Context, s *session) ([]*object, error) {
	c := call{service: serviceObjects, query: url.Values{"format": {"json"}}, known: "name", turns: byMarker}
	return readAll(k.readIn(s))(s.all(ctx, c, ""))
}

// headers are those of a container. It has no body.
func (k containerKind) headers(ctx context.Context, s *session, name string) (http.Header, error) {
	got, err := s.send(ctx, call{service: serviceObjects, method: http.MethodHead, path: pathOf(name)})
	return got.header, err
}

func (k containerKind) fill(o *object, header http.Header) {
	metadata := map[string]any{}
	for name := range header {
		if key, ok := strings.CutPrefix(name, headerMetadata); ok {
			metadata[strings.ToLower(key)] = header.Get(name)
		}
	}
	o.values.set("metadata", fromMap(metadata, cty.Map(cty.String)))
	o.values.set("read", cty.StringVal(header.Get(headerRead)))
	o.detail = header.Get(headerContained)
}

func (k containerKind) get(ctx context.Context, s *session, id string) (*object, error) {
	header, err := k.headers(ctx, s, id)
	if err != nil {
		return nil, err
	}
	o := k.readIn(s)(map[string]any{"name": id})
	k.fill(o, header)
	return o, nil
}

func (k containerKind) completes(want cty.Value, _ *object) bool {
	return attribute(want, "metadata") != cty.NilVal || attribute(want, "read") != cty.NilVal
}

func (k containerKind) complete(ctx context.Context, s *session, all []found) map[addr.Object]error {
	failures := map[addr.Object]error{}
	all = slices.DeleteFunc(slices.Clone(all), func(f found) bool { return !k.completes(f.want, f.object) || f.object.detail != nil })
	for i, got := range remembered(s, all, "metadata", "swift", func(open []found) []answer[http.Header] {
		return abreast(len(open), func(i int) (http.Header, error) { return k.headers(ctx, s, open[i].object.id) })
	}) {
		o := all[i].object
		if got.err != nil {
			failures[all[i].address] = got.err
			o.unseen, o.obscured = append(o.unseen, "swift"), got.err.Error()
			continue
		}
		k.fill(o, got.value)
	}
	return failures
}

// written are the headers for what is written.
func (k containerKind) written(w wanted, attributes []string) map[string]string {
	header := map[string]string{}
	metadata, _ := w.plain("metadata").(map[string]any)
	if attributes == nil || slices.Contains(attributes, "metadata") {
		for key, v := range metadata {
			header[headerMetadata+key] = fmt.Sprint(v)
		}
	}
	if read := w.plain("read"); read != nil && (attributes == nil || slices.Contains(attributes, "read")) {
		header[headerRead] = fmt.Sprint(read)
	}
	for _, key := range w.drop["metadata"] {
		header[headerRemoves+key] = "x"
	}
	return header
}

// create makes it with a PUT, which would change one that is there.
func (k containerKind) create(ctx context.Context, s *session, w wanted) (*object, error) {
	scoped, err := s.inProject(ctx, w.project)
	if err != nil {
		return nil, err
	}
	written := k.written(w, nil)
	_, err = scoped.send(ctx, call{service: serviceObjects, method: http.MethodPut, path: pathOf(w.named), header: written, creates: true, mute: true})
	if err != nil {
		return nil, err
	}
	o, shown := k.readIn(scoped)(map[string]any{"name": w.named}), http.Header{}
	for name, v := range maps.All(written) {
		shown.Set(name, v)
	}
	k.fill(o, shown)
	return o, nil
}

func (k containerKind) update(ctx context.Context, s *session, o *object, w wanted, attributes []string) error {
	_, err := s.send(ctx, call{service: serviceObjects, method: http.MethodPost, path: pathOf(o.id), header: k.written(w, attributes), mute: true})
	return err
}

// remove refuses while there is something in it, as Swift does.
func (k containerKind) remove(ctx context.Context, s *session, o *object) (lasting bool, err error) {
	if n, _ := o.detail.(string); n != "0" {
		return false, unit.Blocked(fmt.Sprintf("the container still has objects (%s): delete them first", n))
	}
	return false, s.erase(ctx, serviceObjects, pathOf(o.id))
}
