package player

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// unmet returns one line for each dependency that a kubernetes-entrypoint container waits for.
func (w world) unmet(pod *corev1.Pod, env map[string]string) []string {
	var lines []string
	say := func(what, why string) {
		lines = append(lines, fmt.Sprintf("Entrypoint WARNING: Resolving dependency %s failed: %s", what, why))
	}
	for _, item := range items(env["DEPENDENCY_SERVICE"]) {
		namespace, name := split(item, pod.Namespace)
		if !w.hasEndpoints(namespace, name) {
			say(fmt.Sprintf("Service %s in namespace %s", name, namespace), "Service "+name+" has no endpoints")
		}
	}
	for _, item := range items(env["DEPENDENCY_JOBS"]) {
		namespace, name := split(item, pod.Namespace)
		job, err := w.jobs.Jobs(namespace).Get(name)
		if err != nil || job.Status.Succeeded == 0 {
			say(fmt.Sprintf("Job %s in namespace %s", name, namespace), w.jobState(err))
		}
	}
	var jobs []struct {
		Name, Namespace string
		Labels          map[string]string
	}
	if err := decode(env["DEPENDENCY_JOBS_JSON"], &jobs); err != nil {
		say("DEPENDENCY_JOBS_JSON", err.Error())
	}
	for _, wanted := range jobs {
		if err := w.jobsComplete(orElse(wanted.Namespace, pod.Namespace), wanted.Name, wanted.Labels); err != nil {
			say(fmt.Sprintf("Jobs %s%v", wanted.Name, wanted.Labels), err.Error())
		}
	}
	for _, item := range items(env["DEPENDENCY_DAEMONSET"]) {
		namespace, name := split(item, pod.Namespace)
		if !w.daemonReady(namespace, name, pod.Spec.NodeName) {
			say(fmt.Sprintf("DaemonSet %s in namespace %s", name, namespace), "no pod of it is ready on "+pod.Spec.NodeName)
		}
	}
	var pods []struct {
		Namespace       string
		Labels          map[string]string
		RequireSameNode bool
	}
	if err := decode(env["DEPENDENCY_POD_JSON"], &pods); err != nil {
		say("DEPENDENCY_POD_JSON", err.Error())
	}
	for _, wanted := range pods {
		node := ""
		if wanted.RequireSameNode {
			node = pod.Spec.NodeName
		}
		if !w.podReady(orElse(wanted.Namespace, pod.Namespace), wanted.Labels, node) {
			say(fmt.Sprintf("Pod on same host with labels %v", wanted.Labels), fmt.Sprintf("found no ready pod with labels %v (node %q)", wanted.Labels, node))
		}
	}
	var resources []customDependency
	if err := decode(env["DEPENDENCY_CUSTOM_RESOURCE"], &resources); err != nil {
		say("DEPENDENCY_CUSTOM_RESOURCE", err.Error())
	}
	for _, wanted := range resources {
		wanted.Namespace = orElse(wanted.Namespace, pod.Namespace)
		if err := w.custom.check(wanted); err != nil {
			say(fmt.Sprintf("%s %s in namespace %s", wanted.Kind, wanted.Name, wanted.Namespace), err.Error())
		}
	}
	return lines
}

func (w world) jobState(err error) string {
	if err != nil {
		return "it does not exist"
	}
	return "Job is not completed yet"
}

func (w world) jobsComplete(namespace, name string, selector map[string]string) error {
	found, err := w.jobs.Jobs(namespace).List(labels.SelectorFromSet(selector))
	if err != nil {
		return err
	}
	count := 0
	for _, job := range found {
		if name != "" && job.Name != name {
			continue
		}
		count++
		if job.Status.Succeeded == 0 {
			return fmt.Errorf("job %s is not completed yet", job.Name)
		}
	}
	if count == 0 {
		return errors.New("no matching jobs found")
	}
	return nil
}

func (w world) daemonReady(namespace, name, node string) bool {
	pods, err := w.pods.Pods(namespace).List(labels.Everything())
	if err != nil {
		return false
	}
	for _, pod := range pods {
		owner := metav1.GetControllerOf(pod)
		if owner != nil && owner.Kind == "DaemonSet" && owner.Name == name && pod.Spec.NodeName == node && ready(pod) {
			return true
		}
	}
	return false
}

func (w world) podReady(namespace string, selector map[string]string, node string) bool {
	for _, pod := range w.readyPods(namespace, selector) {
		if node == "" || pod.Spec.NodeName == node {
			return true
		}
	}
	return false
}

func items(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}

// split separates the optional namespace of "namespace:name".
func split(item, namespace string) (string, string) {
	if before, after, found := strings.Cut(item, ":"); found {
		return before, after
	}
	return namespace, item
}

func orElse(value, otherwise string) string {
	if value == "" {
		return otherwise
	}
	return value
}

func decode(text string, into any) error {
	if text == "" {
		return nil
	}
	return json.Unmarshal([]byte(text), into)
}
