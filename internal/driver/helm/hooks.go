package helm

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"

	"helm.sh/helm/v3/pkg/release"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// What hook objects bear.
const (
	annotationRelease  = unit.AnnotationRelease
	annotationRevision = "kupenstack.io/hook-revision"
)

// The stages of a hook. Each is written down before what it says is done, so that a process that
// goes on after a kill knows what may have happened.
const (
	hookCreating = "creating" // may exist or not
	hookRunning  = "running"  // was created
	hookDone     = "done"
	hookFailed   = "failed"
)

// progress says how far the hooks of a release are.
type progress struct {
	Run      string                `json:"run"`
	Hooks    map[string]hookRecord `json:"hooks,omitempty"`
	Finished []release.HookEvent   `json:"finished,omitempty"` // events all of whose hooks are done
	Done     string                `json:"done,omitempty"`     // the last run before this one that is done, hooks after its revision included
	Undone   int                   `json:"undone,omitempty"`   // how many runs came to nothing and were taken back: their hooks are none of a later run with the same name
	attempts
}

type hookRecord struct {
	Stage   string `json:"stage"`
	Attempt int    `json:"attempt"`
	Message string `json:"message,omitempty"`

	APIVersion string `json:"apiVersion,omitempty"` // of the hook's object
}

func (p *progress) finished(event release.HookEvent) bool { return slices.Contains(p.Finished, event) }

// done returns the last run that is done, with the hooks after its revision: while the next one has made no revision, that
// of this one is the newest, and what was next may be taken back.
func (p *progress) done() string {
	if p.finished(postEvent(p.Run)) {
		return p.Run
	}
	return p.Done
}

// begun tells whether any hook of an event was begun.
func (p *progress) begun(event release.HookEvent) bool {
	if p.finished(event) {
		return true
	}
	for key := range p.Hooks {
		if strings.HasPrefix(key, string(event)+" ") {
			return true
		}
	}
	return false
}

func hookKey(event release.HookEvent, ref unit.ObjectRef) string {
	return string(event) + " " + ref.String()
}

// progressRef names the ConfigMap that holds the progress.
func progressRef(namespace, name string) unit.ObjectRef {
	return unit.ObjectRef{APIVersion: "v1", Kind: "ConfigMap", Namespace: namespace, Name: "kupenstack-hooks." + name}
}

const progressKey = "progress.json"

// readProgress decodes the progress of a run. That of another run counts for nothing, but for whether this one was done before it.
func readProgress(object *unstructured.Unstructured, run string) *progress {
	fresh := &progress{Run: run, Hooks: map[string]hookRecord{}}
	if object == nil {
		return fresh
	}
	text, _, _ := unstructured.NestedString(object.Object, "data", progressKey)
	p := &progress{Hooks: map[string]hookRecord{}}
	switch err := json.Unmarshal([]byte(text), p); {
	case err != nil:
		return fresh
	case p.Run != run:
		fresh.Undone = p.Undone
		if fresh.Done = p.done(); fresh.Done == run {
			fresh.Finished = []release.HookEvent{postEvent(run)}
		}
		return fresh
	case p.Hooks == nil:
		return fresh
	}
	return p
}

// recorded decodes the progress of whatever run is on record.
func recorded(object *unstructured.Unstructured) progress {
	if object == nil {
		return progress{}
	}
	text, _, _ := unstructured.NestedString(object.Object, "data", progressKey)
	var p progress
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		return progress{}
	}
	return p
}

// writeProgress stores the progress before anything is done that it speaks of.
func (d *Driver) writeProgress(ctx context.Context, namespace, name string, p *progress) error {
	text, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("encode the progress of hooks: %w", err)
	}
	ref := progressRef(namespace, name)
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": ref.APIVersion, "kind": ref.Kind,
		"metadata": map[string]any{
			"name": ref.Name, "namespace": ref.Namespace,
			"labels":      map[string]any{labelManagedBy: "kupenstack"},
			"annotations": map[string]any{annotationRelease: name},
		},
		"data": map[string]any{progressKey: string(text)},
	}}
	if _, err := d.cluster.Apply(ctx, Manager, object); err != nil {
		return fmt.Errorf("record the progress of hooks: %w", err)
	}
	return nil
}

// hook is a hook of one event with its object.
type hook struct {
	event    release.HookEvent
	policies []release.HookDeletePolicy
	object   *unstructured.Unstructured
	ref      unit.ObjectRef
}

func (h hook) deletedWhen(policy release.HookDeletePolicy) bool {
	return slices.Contains(h.policies, policy) && !stays(h.object)
}

// hooksOf returns the hooks of an event in the order in which Helm runs them: by weight, then by
// name; otherwise as they come, sorted by kind.
func (d *Driver) hooksOf(all []*release.Hook, event release.HookEvent, namespace, name string) ([]hook, error) {
	var chosen []*release.Hook
	for _, h := range all {
		if slices.Contains(h.Events, event) {
			chosen = append(chosen, h)
		}
	}
	sort.SliceStable(chosen, func(i, j int) bool {
		if chosen[i].Weight == chosen[j].Weight {
			return chosen[i].Name < chosen[j].Name
		}
		return chosen[i].Weight < chosen[j].Weight
	})
	var hooks []hook
	for _, h := range chosen {
		objects, err := d.parse(split(h.Manifest), namespace, nil)
		if err != nil {
			return nil, unreadableIn("hook "+h.Path, err)
		}
		policies := h.DeletePolicies
		if len(policies) == 0 {
			policies = []release.HookDeletePolicy{release.HookBeforeHookCreation} // as Helm does
		}
		for _, object := range objects {
			labels := object.GetLabels()
			if labels == nil {
				labels = map[string]string{}
			}
			labels[labelManagedBy] = managedByHelm
			object.SetLabels(labels)
			annotate(object, annotationRelease, name)
			hooks = append(hooks, hook{event: event, policies: policies, object: object, ref: refOf(object)})
		}
	}
	return hooks, nil
}

// outcome is what has become of a hook.
type outcome int

const (
	outcomeRunning outcome = iota
	outcomeDone
	outcomeFailed
)

// outcomeOf judges a hook's object as Helm does: Jobs and Pods run to completion, anything else is
// done when it is there.
func (d *Driver) outcomeOf(live *unstructured.Unstructured) (outcome, string) {
	switch live.GetKind() {
	case kindJob:
		conditions, _, _ := unstructured.NestedSlice(live.Object, "status", "conditions")
		for _, item := range conditions {
			condition, _ := item.(map[string]any)
			if condition["status"] != "True" {
				continue
			}
			switch condition["type"] {
			case "Complete":
				return outcomeDone, ""
			case "Failed":
				message, _ := condition["message"].(string)
				return outcomeFailed, "the job failed: " + message
			}
		}
		_, message := d.cluster.Health(live)
		return outcomeRunning, message
	case kindPod:
		phase, _, _ := unstructured.NestedString(live.Object, "status", "phase")
		switch phase {
		case "Succeeded":
			return outcomeDone, ""
		case "Failed":
			message, _, _ := unstructured.NestedString(live.Object, "status", "message")
			return outcomeFailed, "the pod failed: " + message
		}
		_, message := d.cluster.Health(live)
		return outcomeRunning, message
	default:
		return outcomeDone, ""
	}
}

// hookStatus is what an observation says of the hooks of an event.
type hookStatus struct {
	done    bool
	former  bool // they are done, and what is on record is a run that came to no revision
	begun   bool // one of them was
	due     bool // there is something to do now
	failed  bool
	hook    unit.ObjectRef
	message string
	told    []string // by those that are done
}

// hookState looks at the hooks of an event without changing anything.
func (d *Driver) hookState(ctx context.Context, namespace, name, run string, hooks []hook) (hookStatus, error) {
	if len(hooks) == 0 {
		return hookStatus{done: true}, nil
	}
	refs := []unit.ObjectRef{progressRef(namespace, name)}
	for _, h := range hooks {
		refs = append(refs, h.ref)
	}
	live, err := d.cluster.Get(ctx, refs...)
	if err != nil {
		return hookStatus{}, fmt.Errorf("look at the hooks: %w", err)
	}
	p := readProgress(live[refs[0]], run)
	event := hooks[0].event
	var told []string
	for _, h := range hooks {
		if record := p.Hooks[hookKey(h.event, h.ref)]; record.Stage == hookDone && record.Message != "" {
			told = append(told, record.Message)
		}
	}
	if p.finished(event) {
		return hookStatus{done: true, begun: true, told: told, former: p.Done == run}, nil
	}
	status := hookStatus{begun: p.begun(event), due: true, told: told, hook: hooks[len(hooks)-1].ref, message: "it is done"}
	for _, h := range hooks {
		record := p.Hooks[hookKey(h.event, h.ref)]
		if record.Stage == hookDone {
			continue
		}
		status.hook = h.ref
		switch object := live[h.ref]; {
		case record.Stage == hookFailed:
			status.failed, status.message = true, record.Message
		case record.Stage != hookRunning:
			status.message = "it is next"
		case object == nil:
			status.message = "it is gone before it was done"
		default:
			var result outcome
			result, status.message = d.outcomeOf(object)
			status.due, status.failed = result != outcomeRunning, result == outcomeFailed
			if text := d.overtime(object); result == outcomeRunning && text != "" {
				status.due, status.message = d.hangs(run, object), text+": "+status.message
			}
		}
		break
	}
	return status, nil
}

// waits tells whether a hook runs, and there is nothing to do about it.
func (s hookStatus) waits() bool { return !s.done && s.begun && !s.due }

// hooksBefore looks at the hooks that run before the next revision.
func (d *Driver) hooksBefore(ctx context.Context, v *view) error {
	if v.want == nil || v.blocked != "" || !v.outdated() || v.newest != nil && v.newest.status == release.StatusUninstalling {
		return nil
	}
	next, err := d.rendering(ctx, v)
	if err != nil {
		return err
	}
	if err := d.awaitMigration(ctx, v, next.hooks); err != nil {
		return err
	}
	hooks, err := d.hooksOf(next.hooks, v.preEvent(), v.namespace, v.name)
	if unit.IsBlocked(err) {
		return nil // the step tells
	}
	if err != nil {
		return err
	}
	for _, h := range hooks {
		v.upcoming = append(v.upcoming, h.ref)
	}
	if v.before, err = d.hookState(ctx, v.namespace, v.name, v.run(), hooks); err == nil && v.before.waits() {
		v.why.line = fmt.Sprintf("hook %s: %s", v.before.hook, v.before.message)
		v.why.Explanation = d.cluster.Explain(ctx, v.before.hook, v.hide)
	}
	return err
}
