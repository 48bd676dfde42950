package openstack

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// lookAtAccount is when to look again whether our user can log in. Nothing tells of it; as long as the session
// lives it costs no request.
const lookAtAccount = time.Minute

// revocationPause is how long nobody logs in after a change of the user. Keystone revokes what tokens it had with
// times of whole seconds: one that is issued in the same second or the next is refused by all services.
const revocationPause = 3 * time.Second

const (
	aboutUser    = "The user of KupenStack. Its password is in the cluster."
	aboutProject = "The project of KupenStack's own user."
)

// seenAccount is what a state keeps of our user; the zero value is of one that works.
type seenAccount struct {
	user, project, role   string // ids, "" for what is not there
	userMark, projectMark string
	disabled              []string // of "user" and "project"
	granted               bool
	settles               bool // it was changed a moment ago
}

func account(t unit.Target) *unit.Account {
	a, _ := t.Spec.(*unit.Account)
	return a
}

func isAccount(t unit.Target) bool { return account(t) != nil || t.Locator.Kind == unit.KindAccount }

// observeAccounts looks at the targets that are users of ours, and returns the others in the same slice.
func (d *Driver) observeAccounts(ctx context.Context, targets []unit.Target, seen *sights) []unit.Target {
	others := targets[:0]
	for _, t := range targets {
		if !isAccount(t) {
			others = append(others, t)
			continue
		}
		state, err := d.accountState(ctx, t)
		if err != nil {
			seen.failed(t.Address.String(), err, t)
			continue
		}
		seen.states[t.Address] = state
	}
	return others
}

// accountState tells how it stands with our user. Only when it cannot log in, or has not the role, the
// administrator is asked for what is missing.
func (d *Driver) accountState(ctx context.Context, t unit.Target) (unit.State, error) {
	want := account(t)
	if want == nil { // it stays, and nobody asks for more
		return unit.State{Existence: unit.Present, Health: unit.HealthReady, Installed: true, Owned: true}, nil
	}
	s, err := d.connector.session(ctx)
	switch {
	case err == nil && slices.Contains(s.roles, want.Role):
		return unit.State{
			Existence: unit.Present, Health: unit.HealthReady, Installed: true, Owned: true,
			ID: s.user, Applied: want.Digest(), After: lookAtAccount, Observed: seenAccount{},
		}, nil
	case errors.Is(err, errSettles):
		return settling(), nil
	case err != nil && !d.connector.denied(ctx):
		return unit.State{}, err
	}
	var found seenAccount
	err = d.administrate(ctx, func(s *session) (err error) {
		found, err = lookForAccount(ctx, s, want)
		return err
	})
	if err != nil {
		return unit.State{}, err
	}
	if found.user == "" && found.project == "" {
		return unit.State{Existence: unit.Absent, Observed: found}, nil
	}
	ours := func(id, mark string) bool { return id == "" || mark == t.Mark || slices.Contains(t.Marks, mark) }
	return unit.State{
		Existence: unit.Present, Health: unit.HealthProgressing, ID: found.user, Mark: found.userMark,
		Owned:   ours(found.user, found.userMark) && ours(found.project, found.projectMark),
		Message: fmt.Sprintf("the user %s cannot work yet", want.User), After: lookAtAccount, Observed: found,
	}, nil
}

// denied tells whether Keystone refused the credentials that were read last.
func (c *connector) denied(ctx context.Context) bool {
	release, err := c.hold(ctx)
	if err != nil {
		return false
	}
	defer release()
	return c.refusals.recall(c.latest) != nil
}

// administrate runs something as the administrator, whose session is used for nothing else and not kept.
func (d *Driver) administrate(ctx context.Context, run func(*session) error) error {
	if d.administrator == nil {
		return unit.Blocked("nobody says who may make users in Keystone")
	}
	s, err := d.administrator.session(ctx)
	if err != nil {
		return fmt.Errorf("as the administrator of Keystone: %w", err)
	}
	defer d.administrator.drop()
	return run(s)
}

// drop forgets the session, so that the next one begins with credentials that are read anew.
func (c *connector) drop() {
	c.lock <- struct{}{}
	defer func() { <-c.lock }()
	c.main = nil
}

// lookForAccount finds our user and its project by their names, which both are unique within a domain.
func lookForAccount(ctx context.Context, s *session, want *unit.Account) (seenAccount, error) {
	var found seenAccount
	user, err := s.named(ctx, "users", want.User)
	if err != nil {
		return found, err
	}
	project, err := s.named(ctx, "projects", want.User)
	if err != nil {
		return found, err
	}
	if found.role, err = s.role(ctx, want.Role); err != nil {
		return found, err
	}
	found.user, found.project = textAt(user, "id"), textAt(project, "id")
	_, found.userMark = splitMark(textAt(user, keyDescription))
	_, found.projectMark = splitTags(textsAt(project, "tags"))
	for name, raw := range map[string]map[string]any{"user": user, "project": project} {
		if enabled, ok := raw["enabled"].(bool); ok && !enabled {
			found.disabled = append(found.disabled, name)
		}
	}
	slices.Sort(found.disabled)
	if found.user == "" || found.project == "" {
		return found, nil
	}
	roles, err := s.all(ctx, call{service: serviceIdentity, path: pathOf("projects", found.project, "users", found.user, "roles")}, "roles")
	found.granted = slices.ContainsFunc(roles, func(role map[string]any) bool { return textAt(role, "id") == found.role })
	return found, err
}

// named returns the object of a name in the domain of the session's user, nil for none.
func (s *session) named(ctx context.Context, kind, name string) (map[string]any, error) {
	list, err := s.all(ctx, call{service: serviceIdentity, path: kind, query: url.Values{"name": {name}, "domain_id": {s.domain}}}, kind)
	i := slices.IndexFunc(list, func(raw map[string]any) bool { return textAt(raw, "name") == name })
	if err != nil || i < 0 {
		return nil, err
	}
	return list[i], nil
}

// role returns the id of a role.
func (s *session) role(ctx context.Context, name string) (string, error) {
	roles, err := s.all(ctx, call{service: serviceIdentity, path: "roles", query: url.Values{"name": {name}}}, "roles")
	if err != nil {
		return "", err
	}
	if len(roles) == 0 {
		return "", unit.Blocked(fmt.Sprintf("Keystone has no role %q, which our user needs", name))
	}
	return textAt(roles[0], "id"), nil
}

// compareAccount tells what is missing. That the password differs is only known by a login that was refused.
func compareAccount(t unit.Target, st unit.State) unit.Diff {
	want := account(t)
	found, ok := st.Observed.(seenAccount)
	switch {
	case st.Existence == unit.Unknown:
		return unit.Diff{Action: unit.ActionUnknown, Reason: st.Message}
	case want == nil, st.Ready():
		return unit.Diff{Action: unit.ActionNone}
	case !ok:
		return unit.Diff{Action: unit.ActionUnknown, Reason: "the state is not this driver's"}
	case found.settles:
		return unit.Diff{Action: unit.ActionNone}
	}
	diff := unit.Diff{Action: unit.ActionUpdate, Fields: accountFields(want, found)}
	switch {
	case st.Existence == unit.Absent:
		diff.Action = unit.ActionCreate
	case !st.Owned:
		diff.Action = unit.ActionAdopt
		diff.Reason = fmt.Sprintf("the user or the project %s is there already, and gets the password and the role", want.User)
	}
	return diff
}

func accountFields(want *unit.Account, found seenAccount) []unit.Field {
	var fields []unit.Field
	add := func(path, before, after string) {
		fields = append(fields, unit.Field{Path: path, Before: before, After: after})
	}
	if found.project == "" {
		add("project", "", want.User)
	}
	if found.user == "" {
		add("user", "", want.User)
	}
	for _, name := range found.disabled {
		add(name+".enabled", "false", "true")
	}
	if !found.granted {
		add("role", "", want.Role)
	}
	if found.user != "" {
		add("password", unit.TextSensitive, unit.TextSensitive)
	}
	return fields
}

// applyAccount makes what is missing, each step by what is there then, so that it can be cut off after any. The
// password is set unless the login works, and the login is tried then.
func (d *Driver) applyAccount(ctx context.Context, t unit.Target) (unit.State, error) {
	want := account(t)
	if want == nil {
		return unit.State{}, errors.New("there is nothing to apply")
	}
	own, err := d.connector.options.Connect(ctx)
	if err != nil {
		return unit.State{}, fmt.Errorf("the credentials for OpenStack: %w", err)
	}
	if own.Password.IsEmpty() {
		return unit.State{}, unit.Blocked(fmt.Sprintf("there is no password for the user %s", want.User))
	}
	var found seenAccount
	err = d.administrate(ctx, func(s *session) (err error) {
		s.connector.remember(own.Password)
		found, err = lookForAccount(ctx, s, want)
		if err == nil && found.project == "" {
			found.project, err = s.makeProject(ctx, want.User, t.Mark)
			found.projectMark = t.Mark
		}
		if err == nil {
			err = s.mendProject(ctx, t.Mark, found)
		}
		if err == nil {
			err = s.putUser(ctx, want.User, t.Mark, found, own.Password)
		}
		return err
	})
	if err != nil {
		return unit.State{}, judge(err, updating)
	}
	if found.user == "" {
		d.connector.anew(&own, 0)
		return d.accountState(ctx, t)
	}
	d.connector.anew(&own, revocationPause)
	return settling(), nil
}

// settling is the state after a change, until the login can be tried.
func settling() unit.State {
	return unit.State{
		Existence: unit.Present, Health: unit.HealthProgressing, Owned: true, After: revocationPause,
		Message: errSettles.Error(), Observed: seenAccount{settles: true},
	}
}

func (s *session) makeProject(ctx context.Context, name, mark string) (string, error) {
	raw, err := s.one(ctx, call{service: serviceIdentity, method: http.MethodPost, path: "projects", body: map[string]any{"project": map[string]any{
		"name": name, "domain_id": s.domain, keyDescription: aboutProject, "tags": []string{mark},
	}}}, "project")
	return textAt(raw, "id"), err
}

// mendProject takes over a project that is there.
func (s *session) mendProject(ctx context.Context, mark string, found seenAccount) error {
	if slices.Contains(found.disabled, "project") {
		if err := s.patch(ctx, "project", found.project, map[string]any{"enabled": true}); err != nil {
			return err
		}
	}
	if found.projectMark == mark {
		return nil
	}
	if found.projectMark != "" {
		if err := s.erase(ctx, serviceIdentity, pathOf("projects", found.project, "tags", found.projectMark)); err != nil {
			return err
		}
	}
	_, err := s.do(ctx, call{service: serviceIdentity, method: http.MethodPut, path: pathOf("projects", found.project, "tags", mark)})
	return err
}

// putUser makes the user, or sets the password of the one that is there, and gives it the role. Its password
// never expires: nobody but us would renew it.
func (s *session) putUser(ctx context.Context, name, mark string, found seenAccount, password redact.Secret) error {
	body := map[string]any{
		"password": password.Reveal(), "enabled": true, "default_project_id": found.project, keyDescription: joinMark(aboutUser, mark),
		"options": map[string]any{"ignore_change_password_upon_first_use": true, "ignore_password_expiry": true},
	}
	id := found.user
	if id == "" {
		body["name"], body["domain_id"] = name, s.domain
		raw, err := s.one(ctx, call{service: serviceIdentity, method: http.MethodPost, path: "users", body: map[string]any{"user": body}}, "user")
		if err != nil {
			return err
		}
		id = textAt(raw, "id")
	} else if err := s.patch(ctx, "user", id, body); err != nil {
		return err
	}
	_, err := s.do(ctx, call{service: serviceIdentity, method: http.MethodPut, path: pathOf("projects", found.project, "users", id, "roles", found.role)})
	return err
}

func (s *session) patch(ctx context.Context, kind, id string, body map[string]any) error {
	_, err := s.do(ctx, call{service: serviceIdentity, method: http.MethodPatch, path: pathOf(kind+"s", id), body: map[string]any{kind: body}})
	return err
}

// anew lets the login be tried again after a pause: what it was refused for was put right.
func (c *connector) anew(with *Credentials, pause time.Duration) {
	c.lock <- struct{}{}
	defer func() { <-c.lock }()
	c.main, c.latest = nil, login{credentials: with.digest()}
	c.refusals.waits(c.latest, pause)
}
