package openstack

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"time"

	"github.com/zclconf/go-cty/cty"
	"gopkg.in/yaml.v3"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// applicationCredentialKind knows those of our own user: Keystone makes one only for whoever asks for it, in the project
// of the token.
type applicationCredentialKind struct {
	keystone
	keeper Keeper
}

const (
	rolesAttribute  = "roles"
	expiryAttribute = "expires_at"
	accessRule      = "access_rule"

	// What the Secret of one has, besides where Keystone is.
	cloudsKey       = "clouds.yaml"
	variableOfName  = "OS_APPLICATION_CREDENTIAL_NAME"
	variableOfValue = "OS_APPLICATION_CREDENTIAL_SECRET"
	variableOfUser  = "OS_USER_ID"
)

func keystoneApplicationCredentials(language *schema.Definition) keystone {
	return keystone{
		schema: attributes(language, "application_credential"), one: "application_credential", many: "application_credentials",
		fields: []field{
			{"project", "project_id"}, {expiryAttribute, expiryAttribute}, {"unrestricted", "unrestricted"},
		},
		replacing: "whoever uses the old secret is locked out until it reads the new one",
	}
}

// pathIn is the address of those of our user.
func (k applicationCredentialKind) pathIn(s *session, parts ...string) string {
	return pathOf(append([]string{"users", s.user, k.many}, parts...)...)
}

func (k applicationCredentialKind) read(raw map[string]any) *object {
	o := k.keystone.read(raw)
	o.project = textAt(raw, "project_id")
	o.scope = o.project
	var roles []string
	for _, role := range objectsAt(raw, rolesAttribute) {
		roles = append(roles, textAt(role, "id"))
	}
	o.values.set(rolesAttribute, texts(roles, cty.List(cty.String)))
	rules := []any{}
	for _, rule := range objectsAt(raw, "access_rules") {
		rules = append(rules, rule)
	}
	o.values.set(accessRule, fromJSON(rules, k.schema.Nested(accessRule).ValueType()))
	if end, ok := moment(textAt(raw, expiryAttribute)); ok && time.Now().After(end) {
		o.health, o.message = unit.HealthFailed, "it has expired: write a later expires_at, or take the block away"
	}
	return o
}

// moment reads a time as people write it, or as Keystone does, without a zone.
func moment(text string) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05"} {
		if at, err := time.Parse(layout, text); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}

// compare tells moments apart, whatever their zones, as far as Keystone keeps them.
func (k applicationCredentialKind) compare(name string, want cty.Value, o *object) (same, handled bool) {
	if name != expiryAttribute {
		return false, false
	}
	wanted, ok := moment(textOf(want))
	have, there := moment(textOf(o.values.get(name)))
	return ok && there && wanted.Truncate(time.Microsecond).Equal(have), true
}

// effect: nothing of it can be changed, its rules included.
func (k applicationCredentialKind) effect(attribute string, _ cty.Value, _ *object, usual unit.Effect) unit.Effect {
	if attribute == accessRule {
		return unit.Replace
	}
	return usual
}

func (k applicationCredentialKind) list(ctx context.Context, s *session) ([]*object, error) {
	return readAll(ownedBy(s, k.read))(s.all(ctx, call{service: serviceIdentity, path: k.pathIn(s)}, k.many))
}

func (k applicationCredentialKind) get(ctx context.Context, s *session, id string) (*object, error) {
	return readOne(ownedBy(s, k.read))(s.one(ctx, call{service: serviceIdentity, method: http.MethodGet, path: k.pathIn(s, id)}, k.one))
}

func (k applicationCredentialKind) joins(objects []*object, t unit.Target, ref unit.ObjectRef, kept *unit.Kept) {
	for _, o := range objects {
		if o.mark == kept.Mark && !kept.Value(variableOfValue).IsEmpty() {
			o.values.set(secretName, nameIn(t, ref))
		}
	}
}

// hindrance is that the secret was lost: Keystone has no more than a digest of it.
func (k applicationCredentialKind) hindrance(want cty.Value, o *object, _ []unit.Field) (problem string, held []string) {
	return lostSecret(want, o, fmt.Sprintf("the Secret with the secret of the application credential %q was lost, and Keystone does not tell it: put it back, "+
		"or delete the application credential %s to have another one made", o.title, o.id)), []string{secretName}
}

func (k applicationCredentialKind) makeable(want cty.Value) string { return unkept(want, k.keeper) }

// adoptable takes over none: nobody knows the secret of another one, and it takes no mark.
func (k applicationCredentialKind) adoptable(_ cty.Value, o *object) string {
	return fmt.Sprintf("there is an application credential %q that was not made here: delete it, or write another name", o.title)
}

// create asks Keystone in the project that it is for. The secret is ours: one that Keystone makes would be lost with its
// answer.
func (k applicationCredentialKind) create(ctx context.Context, s *session, w wanted) (*object, error) {
	there, err := s.inProject(ctx, w.project)
	if err != nil {
		return nil, err
	}
	if there.user != s.user {
		return nil, errAnotherUser
	}
	kept, err := k.kept(ctx, there, &w)
	if err != nil {
		return nil, err
	}
	secret := kept.Value(variableOfValue)
	s.connector.remember(secret)
	if secret.IsEmpty() {
		return nil, unit.Blocked(fmt.Sprintf("%s has lost the key %s: put it back, or delete the Secret to have another one made", w.keeps, variableOfValue))
	}
	body := w.body([]field{{"unrestricted", "unrestricted"}}, nil)
	if end, ok := moment(w.text(expiryAttribute)); ok {
		// Keystone appends a Z to whatever does not end with one (keystone.common.utils.parse_expiration_date).
		body[expiryAttribute] = end.UTC().Format(time.RFC3339Nano)
	}
	body["name"], body[keyDescription], body["secret"] = w.named, joinMark(w.text(keyDescription), w.mark), secret.Reveal()
	if w.written(rolesAttribute) != cty.NilVal {
		roles := []any{}
		for _, id := range w.list(rolesAttribute) {
			roles = append(roles, map[string]any{"id": id})
		}
		body[rolesAttribute] = roles
	}
	if rules, _ := w.plain(accessRule).([]any); len(rules) > 0 {
		body["access_rules"] = rules
	}
	o, err := readOne(ownedBy(there, k.read))(there.one(ctx, call{
		service: serviceIdentity, method: http.MethodPost, path: k.pathIn(there), body: map[string]any{k.one: body},
	}, k.one))
	if err == nil {
		o.values.set(secretName, w.written(secretName))
	}
	return o, err
}

// kept returns the Secret. One of an application credential that was replaced, under another name, is made anew, and one
// of an application credential that is gone: whoever deleted it may have done so because others knew the secret.
func (k applicationCredentialKind) kept(ctx context.Context, s *session, w *wanted) (*unit.Kept, error) {
	fresh := func() (*unit.Kept, error) { return s.newApplicationCredential(w.named) }
	kept, err := w.kept(ctx, k.keeper, fresh)
	if err != nil || !w.again && kept.Value(variableOfName).Reveal() == w.named && kept.Value(variableOfUser).Reveal() == s.user {
		return kept, err
	}
	if err := k.keeper.Discard(ctx, w.keeps, w.mark); err != nil {
		return nil, err
	}
	return w.kept(ctx, k.keeper, fresh)
}

// newApplicationCredential is what programs log in with. They name it with our user, as its id is not known before it is
// there.
func (s *session) newApplicationCredential(name string) (*unit.Kept, error) {
	secret := rand.Text() + rand.Text()
	type auth struct {
		URL    string `yaml:"auth_url"`
		User   string `yaml:"user_id"`
		Name   string `yaml:"application_credential_name"`
		Secret string `yaml:"application_credential_secret"`
	}
	type cloud struct {
		Type      string `yaml:"auth_type"`
		Auth      auth   `yaml:"auth"`
		Region    string `yaml:"region_name,omitempty"`
		Interface string `yaml:"interface"`
	}
	const how = "v3applicationcredential"
	clouds, err := yaml.Marshal(map[string]map[string]cloud{"clouds": {"openstack": {
		Type: how, Auth: auth{s.place.AuthURL, s.user, name, secret}, Region: s.place.Region, Interface: s.face(),
	}}})
	if err != nil {
		return nil, fmt.Errorf("write a clouds.yaml: %w", err)
	}
	kept := &unit.Kept{Type: "Opaque", Values: map[string]redact.Secret{cloudsKey: redact.NewSecret(string(clouds)), variableOfValue: redact.NewSecret(secret)}}
	kept.Plain = map[string]string{
		"OS_AUTH_TYPE": how, "OS_AUTH_URL": s.place.AuthURL, "OS_REGION_NAME": s.place.Region, "OS_INTERFACE": s.face(), "OS_IDENTITY_API_VERSION": "3",
		variableOfUser: s.user, variableOfName: name,
	}
	return kept, nil
}

// update has nothing to do: nothing of it can be changed.
func (k applicationCredentialKind) update(context.Context, *session, *object, wanted, []string) error {
	return nil
}

func (k applicationCredentialKind) remove(ctx context.Context, s *session, o *object) (lasting bool, err error) {
	return false, s.erase(ctx, serviceIdentity, k.pathIn(s, o.id))
}
