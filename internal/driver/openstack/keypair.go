package openstack

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// keypairKind has no room for a mark: a pair is known by its name and its key alone. Pairs belong
// to our own user, whose names nobody else can take. One that was generated is known by the Secret that has the
// same key, which bears the mark in its place.
type keypairKind struct {
	schema *schema.Block
	keeper Keeper
}

// keypairVersion is from when on lists have pages; from 2.92 on Nova makes no keys itself.
const keypairVersion = "2.35"

// keypairsOfOthersVersion is from when on an administrator may name the user whose pair is meant.
const keypairsOfOthersVersion = "2.10"

func (k keypairKind) name() string         { return k.schema.Kind }
func (keypairKind) api() string            { return serviceCompute }
func (k keypairKind) marks() bool          { return false }
func (k keypairKind) block() *schema.Block { return k.schema }
func (k keypairKind) cost() string         { return "running instances keep the old key" }

func (k keypairKind) read(raw map[string]any) *object {
	name := textAt(raw, "name")
	o := &object{id: name, title: name, raw: raw, values: readFields(k.schema, []field{
		{"name", "name"},
		{"public_key", "public_key"},
		{"fingerprint", "fingerprint"},
	}, raw)}
	o.values.set("id", cty.StringVal(name))
	return o
}

func (k keypairKind) list(ctx context.Context, s *session) ([]*object, error) {
	wrapped, err := s.all(ctx, call{service: serviceCompute, path: "os-keypairs", microversion: keypairVersion}, "keypairs")
	var raws []map[string]any
	for _, w := range wrapped {
		raw, ok := w["keypair"].(map[string]any)
		if !ok { // it could be any of them, and none is absent then
			return nil, fmt.Errorf("GET os-keypairs of the %s service: not all of the keypairs have one in them: %w", serviceCompute, errUnreadable)
		}
		raws = append(raws, raw)
	}
	return readAll(ownedBy(s, k.read))(raws, err)
}

func (k keypairKind) get(ctx context.Context, s *session, id string) (*object, error) {
	return readOne(ownedBy(s, k.read))(s.one(ctx, call{
		service: serviceCompute, method: http.MethodGet, path: pathOf("os-keypairs", id), microversion: keypairVersion,
	}, "keypair"))
}

// compare ignores the comment behind a key.
func (k keypairKind) compare(name string, want cty.Value, o *object) (same, handled bool) {
	if name != "public_key" {
		return false, false
	}
	return bareKey(textOf(want)) == bareKey(textOf(o.values.get(name))), true
}

func bareKey(key string) string {
	parts := strings.Fields(key)
	return strings.Join(parts[:min(2, len(parts))], " ")
}

// adoptable takes over a pair with the same key only.
func (k keypairKind) adoptable(want cty.Value, o *object) string {
	key := attribute(want, "public_key")
	if key == cty.NilVal {
		if o.mark != "" {
			return ""
		}
		return fmt.Sprintf("there is a key pair %q that was not generated here: delete it, or write another name", o.title)
	}
	key, _ = key.Unmark()
	if same, _ := k.compare("public_key", key, o); !key.IsKnown() || same {
		return ""
	}
	return fmt.Sprintf("there is a key pair %q with another key: delete it, or write another name", o.title)
}

// create gives Nova the public key: Nova's own pairs are of RSA, and one whose answer is lost is lost.
func (k keypairKind) create(ctx context.Context, s *session, w wanted) (*object, error) {
	key, generated := w.text("public_key"), w.written(secretName) != cty.NilVal
	if generated {
		kept, err := w.kept(ctx, k.keeper, func() (*unit.Kept, error) { return newPair(w.named) })
		if err != nil {
			return nil, err
		}
		s.connector.remember(kept.Value(privateKey))
		if key = publicOf(kept); key == "" {
			return nil, unit.Blocked(fmt.Sprintf("%s holds no private key of SSH any more: put the one back that it had, or delete it to have another one made", w.keeps))
		}
	}
	o, err := readOne(ownedBy(s, k.read))(s.one(ctx, call{
		service: serviceCompute, method: http.MethodPost, path: "os-keypairs", microversion: keypairVersion,
		body: map[string]any{"keypair": map[string]any{"name": w.named, "public_key": strings.TrimSpace(key)}},
	}, "keypair"))
	if err == nil && generated {
		o.mark = w.mark
		o.values.set(secretName, w.written(secretName))
	}
	return o, err
}

// update has nothing to do: nothing of a key pair can be changed.
func (k keypairKind) update(context.Context, *session, *object, wanted, []string) error { return nil }

func (k keypairKind) remove(ctx context.Context, s *session, o *object) (lasting bool, err error) {
	return false, s.erase(ctx, serviceCompute, pathOf("os-keypairs", o.id))
}

// outlives tells whether Nova has a pair of a user that Keystone has no more: it is not told of that. Who may not ask for the
// pairs of others leaves them.
func (k keypairKind) outlives(ctx context.Context, s *session, user, id string) (bool, error) {
	_, err := s.one(ctx, call{
		service: serviceCompute, method: http.MethodGet, path: pathOf("os-keypairs", id), query: url.Values{"user_id": {user}}, microversion: keypairsOfOthersVersion,
	}, "keypair")
	if notFound(err) || statusIs(err, http.StatusForbidden) {
		return false, nil
	}
	return err == nil, err
}

func (k keypairKind) bury(ctx context.Context, s *session, user, id string) error {
	err := s.delete(ctx, call{service: serviceCompute, path: pathOf("os-keypairs", id), query: url.Values{"user_id": {user}}, microversion: keypairsOfOthersVersion})
	if statusIs(err, http.StatusForbidden) {
		return nil
	}
	return err
}
