package openstack

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// testName is the name of what a test makes, by which it is looked for.
const testName = "kupenstack-smoke-test"

// lookForTest looks for what there is of a run: two short lists. What the record knows by its id and no list has is asked
// for once more. A run that ends also finds what bears its mark and is not on record: a gateway that answered too early
// may have had something made twice.
func (s *session) lookForTest(ctx context.Context, t unit.Target, run *unit.Run) (things, error) {
	test := smokeTest(t)
	ends := test == nil || run.Step == stepPassed || run.Step == stepFailed || run.Step == stepStopped
	volumes := s.volumeService()
	f := things{volumes: s.listed(volumes) != ""}
	servers, err := s.all(ctx, call{
		service: serviceCompute, path: pathOf("servers", "detail"), query: url.Values{"name": {"^" + testName + "$"}}, microversion: listVersion,
	}, "servers")
	if err != nil {
		return f, err
	}
	f.server, err = s.ofTest(ctx, servers, t.Mark, run.Instance, ends, call{service: serviceCompute, path: pathOf("servers", run.Instance), microversion: listVersion}, "server")
	if err != nil {
		return f, err
	}
	if textAt(f.server, "status") == statusError && f.server[keyFault] == nil { // lists have not those of all cells
		if full, err := s.one(ctx, call{
			service: serviceCompute, method: http.MethodGet, path: pathOf("servers", textAt(f.server, "id")), microversion: listVersion,
		}, "server"); err == nil && textAt(full, "status") == statusError {
			f.server = full
		}
	}
	required := test != nil && test.Volume != nil && *test.Volume
	if !f.volumes && !required && run.Volume == "" || run.Volume == "" && test != nil && test.Volume != nil && !*test.Volume {
		return f, nil
	}
	list, err := s.all(ctx, call{service: volumes, path: pathOf("volumes", "detail"), query: url.Values{"name": {testName}}}, "volumes")
	if err != nil {
		return f, err
	}
	f.volume, err = s.ofTest(ctx, list, t.Mark, run.Volume, ends, call{service: volumes, path: pathOf("volumes", run.Volume)}, "volume")
	return f, err
}

// ofTest finds the one of a list that is ours: by the id on record, which has to bear our mark, or by the mark alone as
// long as no id is known, and at the end once there is none of that id.
func (s *session) ofTest(ctx context.Context, list []map[string]any, mark, id string, ends bool, one call, key string) (map[string]any, error) {
	marked := func() map[string]any {
		i := slices.IndexFunc(list, func(raw map[string]any) bool { return mark != "" && markInMetadata(raw) == mark })
		if i < 0 {
			return nil
		}
		return list[i]
	}
	if id == "" {
		return marked(), nil
	}
	i := slices.IndexFunc(list, func(raw map[string]any) bool { return textAt(raw, "id") == id })
	if i >= 0 {
		return list[i], nil
	}
	one.method = http.MethodGet
	raw, err := s.one(ctx, one, key)
	switch {
	case notFound(err) && ends:
		return marked(), nil
	case notFound(err):
		return nil, nil
	}
	return raw, err
}

// volumeService is the name that the catalogue has for the service for volumes.
func (s *session) volumeService() string {
	names := volumeServices()
	if i := slices.IndexFunc(names, func(name string) bool { return s.listed(name) != "" }); i >= 0 {
		return names[i]
	}
	return names[1]
}

// act sends what a move asks for, and notes the id of what it makes.
func (s *session) act(ctx context.Context, m move, t unit.Target, desired cty.Value, f things, run *unit.Run) error {
	metadata := map[string]any{markKey: t.Mark}
	server, volume := textAt(f.server, "id"), textAt(f.volume, "id")
	attachments := pathOf("servers", server, "os-volume_attachments")
	switch m.act {
	case actBoot:
		body := map[string]any{
			"name": testName, "metadata": metadata, "imageRef": idOf(desired, unit.TestImage), "flavorRef": idOf(desired, unit.TestFlavor),
			"networks": []any{map[string]any{"uuid": idOf(desired, unit.TestNetwork)}},
		}
		made, err := s.one(ctx, call{
			service: serviceCompute, method: http.MethodPost, path: "servers", body: map[string]any{"server": body}, microversion: createVersion,
		}, "server")
		run.Instance = textAt(made, "id")
		return err
	case actVolume:
		made, err := s.one(ctx, call{service: s.volumeService(), method: http.MethodPost, path: "volumes", body: map[string]any{
			"volume": map[string]any{"name": testName, "size": 1, "metadata": metadata},
		}}, "volume")
		run.Volume = textAt(made, "id")
		return err
	case actAttach:
		_, err := s.do(ctx, call{service: serviceCompute, method: http.MethodPost, path: attachments, body: map[string]any{
			"volumeAttachment": map[string]any{"volumeId": volume},
		}})
		return err
	case actDetach:
		_, err := s.do(ctx, call{service: serviceCompute, method: http.MethodDelete, path: attachments + "/" + url.PathEscape(volume)})
		return err
	case actDeleteServer:
		return s.deleteOfTest(ctx, serviceCompute, pathOf("servers", server), "instance", f.server, t.Mark)
	case actDeleteVolume:
		return s.deleteOfTest(ctx, s.volumeService(), pathOf("volumes", volume), "volume", f.volume, t.Mark)
	default:
		return nil
	}
}

// deleteOfTest deletes nothing without our mark.
func (s *session) deleteOfTest(ctx context.Context, service, path, what string, raw map[string]any, mark string) error {
	if mark == "" || markInMetadata(raw) != mark {
		return unit.Blocked(fmt.Sprintf("the %s %s with the id %s does not bear our mark, so it is not deleted", what, textAt(raw, "name"), textAt(raw, "id")))
	}
	return s.erase(ctx, service, path)
}

func idOf(desired cty.Value, name string) string {
	v := attribute(desired, name)
	if v == cty.NilVal {
		return ""
	}
	v, _ = v.Unmark()
	return textOf(v)
}

// requestOf finds the id under which the log of Nova has what became of a step: its record of what was done to the
// instance. Whatever keeps it from telling, the failure is told without.
func (s *session) requestOf(ctx context.Context, step, server string) string {
	name := map[string]string{
		stepBoot: "create", stepAttaching: "attach_volume", stepReattaching: "attach_volume", stepDetaching: "detach_volume", stepRedetaching: "detach_volume",
	}[step]
	if name == "" || server == "" {
		return ""
	}
	actions, err := s.whole(ctx, call{service: serviceCompute, path: pathOf("servers", server, "os-instance-actions"), microversion: listVersion}, "instanceActions")
	if err != nil {
		return ""
	}
	for _, a := range actions { // the newest first
		if id := textAt(a, "request_id"); textAt(a, "action") == name && strings.HasPrefix(id, "req-") {
			return id
		}
	}
	return ""
}
