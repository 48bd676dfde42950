package cleanup

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/schema"
)

// Release is one that is to go, with the objects that it consists of; hooks are among them.
type Release struct {
	Namespace string
	Name      string
	Objects   []*unstructured.Unstructured
}

// Jobs returns the Jobs that take away one of [schema.Leftovers], at least one. The error says why the release has
// none to make them from.
func Jobs(r Release, left string) ([]*unstructured.Unstructured, error) {
	var jobs []*unstructured.Unstructured
	for _, from := range makers()[left] {
		made := r.job(r.Name + "-" + from.job)
		switch {
		case made == nil && from.optional:
			continue
		case made == nil:
			return nil, fmt.Errorf("there is no Job %s-%s", r.Name, from.job)
		}
		job, err := r.remover(made, from, left)
		if err != nil {
			return nil, err
		}
		if job != nil {
			jobs = append(jobs, job)
		}
	}
	if len(jobs) == 0 {
		return nil, fmt.Errorf("no Job %s makes any", Maker(r.Name, left))
	}
	return jobs, nil
}

// job returns the Job of a name, nil for none.
func (r Release) job(name string) *unstructured.Unstructured {
	at := slices.IndexFunc(r.Objects, func(o *unstructured.Unstructured) bool { return o.GetKind() == "Job" && o.GetName() == name })
	if at < 0 {
		return nil
	}
	return r.Objects[at]
}

// remover returns the Job that takes away what another has made, nil when that makes no pool after all.
func (r Release) remover(job *unstructured.Unstructured, from maker, left string) (*unstructured.Unstructured, error) {
	pod, _, _ := unstructured.NestedMap(job.Object, "spec", "template", "spec") // a copy
	all, _ := pod["containers"].([]any)
	var containers []any
	for _, item := range all {
		container, _ := item.(map[string]any)
		name, _ := container["name"].(string)
		if left == schema.LeftUsers && !r.owns(container) {
			continue // a user of another service, which was given to this one as well
		}
		if left == schema.LeftPools && value(container, poolName) == "" {
			continue // data is kept elsewhere
		}
		if !runs(container, "/tmp/"+from.program) {
			return nil, fmt.Errorf("container %q of Job %s does not run %s", name, job.GetName(), from.program)
		}
		if from.remover != "" {
			container["command"] = []any{"/bin/bash", "-c", from.remover}
		} else if err := r.dropDatabase(pod, container); err != nil {
			return nil, fmt.Errorf("container %q of Job %s %w", name, job.GetName(), err)
		}
		if left == schema.LeftUsers {
			r.tellServices(container)
		}
		containers = append(containers, container)
	}
	if len(containers) == 0 {
		if left == schema.LeftPools {
			return nil, nil
		}
		return nil, fmt.Errorf("the Job %s has no container for a user of %s itself", job.GetName(), r.Name)
	}
	pod["containers"] = containers
	waitForNoJobs(pod)
	spec := map[string]any{} // without what would delete the Job before its end was seen
	for _, key := range []string{"backoffLimit", "activeDeadlineSeconds", "template"} {
		if value, found, _ := unstructured.NestedFieldCopy(job.Object, "spec", key); found {
			spec[key] = value
		}
	}
	if err := unstructured.SetNestedMap(spec, pod, "template", "spec"); err != nil {
		return nil, err
	}
	object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": job.GetAPIVersion(), "kind": job.GetKind(), "spec": spec}}
	object.SetNamespace(r.Namespace)
	object.SetName(from.name(r.Name, left))
	object.SetLabels(job.GetLabels())
	return object, nil
}

// owns tells whether the user that a container makes is one of the release's own. Containers are named by the services
// that the users are for, and so may be several of one release: what tells is the name in the Secret, as in nova_neutron,
// by which Nova talks to Neutron.
func (r Release) owns(container map[string]any) bool {
	if name, _ := container["name"].(string); strings.HasPrefix(name, r.Name+"-") {
		return true
	}
	user := r.secretValue(container, "SERVICE_OS_USERNAME")
	return strings.HasPrefix(user, r.Name+"_") || strings.HasPrefix(user, r.Name+"-")
}

// secretValue is that of a variable of a container's environment that is taken from a Secret of the release; "" for none.
func (r Release) secretValue(container map[string]any, variable string) string {
	env, _ := container["env"].([]any)
	for _, item := range env {
		entry, _ := item.(map[string]any)
		if entry["name"] != variable {
			continue
		}
		secret, _, _ := unstructured.NestedString(entry, "valueFrom", "secretKeyRef", "name")
		key, _, _ := unstructured.NestedString(entry, "valueFrom", "secretKeyRef", "key")
		for _, object := range r.Objects {
			if object.GetKind() != "Secret" || object.GetName() != secret {
				continue
			}
			coded, _, _ := unstructured.NestedString(object.Object, "data", key)
			text, err := base64.StdEncoding.DecodeString(coded)
			if err != nil {
				return "" // of what cannot be read nothing is said
			}
			return string(text)
		}
	}
	return ""
}

// runs tells whether a container is started with a program.
func runs(container map[string]any, program string) bool {
	command, _ := container["command"].([]any)
	return slices.Contains(command, any(program)) && container["args"] == nil
}

// value is that of a variable of a container's environment that is written there; "" for none.
func value(container map[string]any, name string) string {
	env, _ := container["env"].([]any)
	for _, item := range env {
		if variable, _ := item.(map[string]any); variable["name"] == name {
			text, _ := variable["value"].(string)
			return text
		}
	}
	return ""
}

// tellServices gives the types of the release's services in the catalogue to what deletes its users.
func (r Release) tellServices(container map[string]any) {
	var types []string
	if job := r.job(Maker(r.Name, schema.LeftCatalogue)); job != nil {
		all, _, _ := unstructured.NestedSlice(job.Object, "spec", "template", "spec", "containers")
		for _, item := range all {
			registers, _ := item.(map[string]any)
			if name := value(registers, "OS_SERVICE_TYPE"); name != "" && !slices.Contains(types, name) {
				types = append(types, name)
			}
		}
	}
	env, _ := container["env"].([]any)
	container["env"] = append(env, map[string]any{"name": serviceTypes, "value": strings.Join(types, " ")})
}

// waitForNoJobs has the init containers of OpenStack-Helm's wait for services only: Jobs that were waited for once
// may be long gone.
func waitForNoJobs(pod map[string]any) {
	all, _ := pod["initContainers"].([]any)
	for _, item := range all {
		container, _ := item.(map[string]any)
		env, _ := container["env"].([]any)
		for _, item := range env {
			variable, _ := item.(map[string]any)
			if name, _ := variable["name"].(string); strings.HasPrefix(name, "DEPENDENCY_JOBS") && variable["value"] != nil {
				variable["value"] = ""
			}
		}
	}
}
