package openstack

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// stackKind keeps its mark in a tag. Heat shows what is in the project of the token alone, by both name and id, and what a
// stack was made of one by one.
type stackKind struct{ schema *schema.Block }

const (
	serviceStacks = "orchestration"
	stackPause    = time.Millisecond
	keyTemplate   = "template"
	keyParameters = "parameters"
)

func (k stackKind) name() string         { return k.schema.Kind }
func (k stackKind) marks() bool          { return true }
func (k stackKind) walled()              {}
func (k stackKind) madeInProject()       {}
func (k stackKind) block() *schema.Block { return k.schema }
func (k stackKind) cost() string         { return "all that it has made is made again" }

func (k stackKind) readIn(s *session) func(map[string]any) *object {
	return func(raw map[string]any) *object {
		o := &object{id: textAt(raw, "id"), title: textAt(raw, "stack_name"), project: s.project, scope: s.project, raw: raw}
		tags, mark := splitTags(textsAt(raw, "tags"))
		o.mark = mark
		for name, v := range map[string]string{"id": o.id, "name": o.title, "project": o.project} {
			o.values.set(name, cty.StringVal(v))
		}
		o.values.set("tags", texts(tags, cty.Set(cty.String)))
		why := "Heat says that the stack is in the state " + textAt(raw, "stack_status") + ": " + textAt(raw, "stack_status_reason")
		action, status, _ := strings.Cut(textAt(raw, "stack_status"), "_")
		switch {
		case status == "IN_PROGRESS":
			o.health, o.after, o.message, o.busy, o.going = unit.HealthProgressing, stackPause, why, why, action == "DELETE"
		case status == "FAILED" && action == "UPDATE": // it takes another change
			o.lame = why
		case status == "FAILED":
			o.health, o.message = unit.HealthFailed, why
		}
		return o
	}
}

func (k stackKind) list(ctx context.Context, s *session) ([]*object, error) {
	return readAll(k.readIn(s))(s.all(ctx, call{service: serviceStacks, path: "stacks"}, "stacks"))
}

// get asks the list for one: by its id alone Heat answers with another address.
func (k stackKind) get(ctx context.Context, s *session, id string) (*object, error) {
	c := call{service: serviceStacks, method: http.MethodGet, path: "stacks", query: url.Values{"id": {id}}}
	raws, err := s.all(ctx, c, "stacks")
	if err == nil && len(raws) == 0 {
		err = &apiError{service: c.service, method: c.method, path: c.path, status: http.StatusNotFound}
	}
	if err != nil {
		return nil, err
	}
	return k.readIn(s)(raws[0]), nil
}

func (k stackKind) completes(want cty.Value, _ *object) bool {
	return attribute(want, keyTemplate) != cty.NilVal || attribute(want, keyParameters) != cty.NilVal
}

// complete asks for what stacks are made of, of those that write it.
func (k stackKind) complete(ctx context.Context, s *session, all []found) map[addr.Object]error {
	failures := map[addr.Object]error{}
	for _, part := range []string{keyTemplate, keyParameters} {
		open := slices.DeleteFunc(slices.Clone(all), func(f found) bool { return attribute(f.want, part) == cty.NilVal })
		for i, got := range remembered(s, open, part, "heat", func(open []found) []answer[map[string]any] {
			return abreast(len(open), func(i int) (map[string]any, error) { return k.part(ctx, s, open[i].object, part) })
		}) {
			o := open[i].object
			if got.err != nil {
				failures[open[i].address] = got.err
				o.unseen, o.obscured = append(o.unseen, "heat"), got.err.Error()
				continue
			}
			if part == keyParameters {
				o.values.set(part, fromMap(got.value, cty.Map(cty.String)))
				continue
			}
			text, err := json.Marshal(got.value)
			if err == nil {
				o.values.set(part, cty.StringVal(string(text)))
			}
		}
	}
	return failures
}

func (k stackKind) part(ctx context.Context, s *session, o *object, part string) (map[string]any, error) {
	c := call{service: serviceStacks, method: http.MethodGet, path: pathOf("stacks", o.title, o.id)}
	if part == keyTemplate {
		c.path += "/template"
		return s.one(ctx, c, "")
	}
	raw, err := s.one(ctx, c, "stack")
	parameters, _ := raw[keyParameters].(map[string]any)
	return parameters, err
}

// compare takes two templates that say the same for one.
func (k stackKind) compare(name string, want cty.Value, o *object) (same, handled bool) {
	have, known := o.values.look(name)
	if name != keyTemplate || !known {
		return false, false
	}
	return reflect.DeepEqual(template(want), template(have)), true
}

func template(v cty.Value) (decoded any) {
	if json.Unmarshal([]byte(textOf(unmarked(v))), &decoded) != nil {
		return nil
	}
	return decoded
}

func (k stackKind) body(w wanted) map[string]any {
	body := map[string]any{keyTemplate: template(w.written(keyTemplate)), "tags": strings.Join(markedTags(w), ",")}
	if parameters := w.plain(keyParameters); parameters != nil {
		body[keyParameters] = parameters
	}
	return body
}

// create is answered with the id alone.
func (k stackKind) create(ctx context.Context, s *session, w wanted) (*object, error) {
	scoped, err := s.inProject(ctx, w.project)
	if err != nil {
		return nil, err
	}
	body := k.body(w)
	body["stack_name"] = w.named
	raw, err := scoped.one(ctx, call{service: serviceStacks, method: http.MethodPost, path: "stacks", body: body}, "stack")
	if err != nil {
		return nil, err
	}
	raw["stack_name"], raw["stack_status"], raw["tags"] = w.named, "CREATE_IN_PROGRESS", []any{w.mark}
	return k.readIn(scoped)(raw), nil
}

// update changes what is written and leaves the rest, and is answered with nothing.
func (k stackKind) update(ctx context.Context, s *session, o *object, w wanted, attributes []string) error {
	body := k.body(w)
	if !slices.Contains(attributes, keyTemplate) {
		delete(body, keyTemplate)
	}
	others := listOf(o.values.get("tags"))
	if !slices.Contains(attributes, "tags") {
		body["tags"] = strings.Join(append(others, w.mark), ",")
	}
	_, err := s.send(ctx, call{service: serviceStacks, method: http.MethodPatch, path: pathOf("stacks", o.title, o.id), body: body, mute: true})
	return err
}

func (k stackKind) remove(ctx context.Context, s *session, o *object) (lasting bool, err error) {
	return true, s.erase(ctx, serviceStacks, pathOf("stacks", o.title, o.id))
}
