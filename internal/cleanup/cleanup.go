package cleanup

import (
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

// maker is a Job of OpenStack-Helm's charts that makes something in another service.
type maker struct {
	job     string // the end of its name
	program string // what its containers run
	// remover takes away what the program makes, in its place and in its environment; "" where the chart
	// has a program for that.
	remover string
}

// The programs of the Jobs for databases.
const (
	databaseMaker   = "db-init.py"
	databaseRemover = "db-drop.py"
)

func makers() map[string]maker {
	return map[string]maker{
		schema.LeftCatalogue: {job: "ks-service", program: "ks-service.sh", remover: removeCatalogue},
		schema.LeftUsers:     {job: "ks-user", program: "ks-user.sh", remover: removeUser},
		schema.LeftMessaging: {job: "rabbit-init", program: "rabbit-init.sh", remover: removeMessaging},
		schema.LeftDatabase:  {job: "db-init", program: databaseMaker},
	}
}

// Name is that of the Job that takes away one of [schema.Leftovers].
func Name(release, left string) string { return release + "-clean-" + left }

// Maker is the name of the Job that has made one of [schema.Leftovers].
func Maker(release, left string) string { return release + "-" + makers()[left].job }

// Job returns the Job that takes away one of [schema.Leftovers]. The error says why the release has none to make
// it from.
func Job(r Release, left string) (*unstructured.Unstructured, error) {
	at := slices.IndexFunc(r.Objects, func(o *unstructured.Unstructured) bool {
		return o.GetKind() == "Job" && o.GetName() == Maker(r.Name, left)
	})
	if at < 0 {
		return nil, fmt.Errorf("there is no Job %s", Maker(r.Name, left))
	}
	job, from := r.Objects[at], makers()[left]
	pod, _, _ := unstructured.NestedMap(job.Object, "spec", "template", "spec") // a copy
	all, _ := pod["containers"].([]any)
	var containers []any
	for _, item := range all {
		container, _ := item.(map[string]any)
		name, _ := container["name"].(string)
		if left == schema.LeftUsers && !strings.HasPrefix(name, r.Name+"-") {
			continue // users of other services, which these have made as well
		}
		if !runs(container, "/tmp/"+from.program) {
			return nil, fmt.Errorf("container %q of Job %s does not run %s", name, job.GetName(), from.program)
		}
		if from.remover != "" {
			container["command"] = []any{"/bin/bash", "-c", from.remover}
		} else if err := r.dropDatabase(pod, container); err != nil {
			return nil, fmt.Errorf("container %q of Job %s %w", name, job.GetName(), err)
		}
		containers = append(containers, container)
	}
	if len(containers) == 0 {
		return nil, fmt.Errorf("Job %s has no container for %s itself", job.GetName(), r.Name)
	}
	pod["containers"] = containers
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
	object.SetName(Name(r.Name, left))
	object.SetLabels(job.GetLabels())
	return object, nil
}

// runs tells whether a container is started with a program.
func runs(container map[string]any, program string) bool {
	command, _ := container["command"].([]any)
	return slices.Contains(command, any(program)) && container["args"] == nil
}

// dropDatabase has a container run the program of its chart that drops the databases which it would create.
func (r Release) dropDatabase(pod, container map[string]any) error {
	container["command"] = []any{"/tmp/" + databaseRemover}
	mounts, _ := container["volumeMounts"].([]any)
	for _, item := range mounts {
		mount, _ := item.(map[string]any)
		if mount["subPath"] != databaseMaker {
			continue
		}
		if !r.brings(pod, mount["name"], databaseRemover) {
			return fmt.Errorf("has no program %s beside it", databaseRemover)
		}
		mount["mountPath"], mount["subPath"] = "/tmp/"+databaseRemover, databaseRemover
		return nil
	}
	return fmt.Errorf("does not mount %s", databaseMaker)
}

// brings tells whether a volume is a ConfigMap of the release that has a key.
func (r Release) brings(pod map[string]any, volume any, key string) bool {
	volumes, _ := pod["volumes"].([]any)
	for _, item := range volumes {
		source, _ := item.(map[string]any)
		name, found, _ := unstructured.NestedString(source, "configMap", "name")
		if !found || source["name"] != volume {
			continue
		}
		return slices.ContainsFunc(r.Objects, func(object *unstructured.Unstructured) bool {
			data, _, _ := unstructured.NestedStringMap(object.Object, "data")
			return object.GetKind() == "ConfigMap" && object.GetName() == name && data[key] != ""
		})
	}
	return false
}
