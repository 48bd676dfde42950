package cause

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// DependencyKind says what kind of thing an init container of OpenStack-Helm's charts waits for.
type DependencyKind string

// The kinds of things that kubernetes-entrypoint knows.
const (
	WaitsForService   DependencyKind = "Service"
	WaitsForJob       DependencyKind = "Job"
	WaitsForJobs      DependencyKind = "Jobs" // by labels
	WaitsForDaemonSet DependencyKind = "DaemonSet"
	WaitsForPods      DependencyKind = "pods" // by labels
	WaitsForContainer DependencyKind = "container"
	WaitsForFile      DependencyKind = "file"
	WaitsForResource  DependencyKind = "resource"
)

// Dependency is one thing that an init container waits for.
type Dependency struct {
	Kind      DependencyKind
	Namespace string
	Name      string // "" where labels tell
	Labels    string // a selector
	// SameNode wants it on the node of the pod that waits.
	SameNode bool
	// APIVersion, Resource and Fields are those of a resource whose fields must have these values.
	APIVersion string
	Resource   string
	Fields     string

	own string // the namespace of the pod
}

// String names it; the namespace only where it is another than that of the pod.
func (d Dependency) String() string {
	name := cmp.Or(d.Name, d.Labels)
	if d.Namespace != d.own && d.Namespace != "" {
		name = d.Namespace + "/" + name
	}
	kind := string(d.Kind)
	if d.Kind == WaitsForResource {
		kind = cmp.Or(d.Resource, kind)
	}
	return kind + " " + name
}

// dependencies reads what an init container of OpenStack-Helm's charts waits for from its environment. What
// cannot be read is told as it stands there.
func dependencies(namespace string, env []corev1.EnvVar) []Dependency {
	var found []Dependency
	for _, variable := range env {
		setting, ok := strings.CutPrefix(variable.Name, "DEPENDENCY_")
		if !ok || variable.Value == "" || variable.Value == "[]" || variable.Value == "null" {
			continue
		}
		list := func(kind DependencyKind) {
			for name := range strings.SplitSeq(variable.Value, ",") {
				if name = strings.TrimSpace(name); name == "" {
					continue
				}
				in := namespace
				if before, after, ok := strings.Cut(name, ":"); ok {
					in, name = cmp.Or(before, namespace), after
				}
				found = append(found, Dependency{Kind: kind, Namespace: in, Name: name, SameNode: kind == WaitsForDaemonSet, own: namespace})
			}
		}
		switch setting {
		case "SERVICE":
			list(WaitsForService)
		case "JOBS":
			list(WaitsForJob)
		case "DAEMONSET":
			list(WaitsForDaemonSet)
		case "CONTAINER":
			list(WaitsForContainer)
		case "CONFIG", "SOCKET":
			for path := range strings.SplitSeq(variable.Value, ",") {
				found = append(found, Dependency{Kind: WaitsForFile, Namespace: namespace, Name: path, own: namespace})
			}
		case "JOBS_JSON":
			found = append(found, described(namespace, WaitsForJobs, variable.Value)...)
		case "POD_JSON":
			found = append(found, described(namespace, WaitsForPods, variable.Value)...)
		case "CUSTOM_RESOURCE":
			found = append(found, described(namespace, WaitsForResource, variable.Value)...)
		default:
			found = append(found, Dependency{Kind: DependencyKind(strings.ToLower(setting)), Namespace: namespace, Name: variable.Value, own: namespace})
		}
	}
	return found
}

// described reads what is written in JSON.
func described(namespace string, kind DependencyKind, text string) []Dependency {
	var entries []struct {
		Namespace  string            `json:"namespace"`
		Labels     map[string]string `json:"labels"`
		SameNode   bool              `json:"requireSameNode"`
		APIVersion string            `json:"apiVersion"`
		Kind       string            `json:"kind"`
		Name       string            `json:"name"`
		Fields     []struct {
			Key   string `json:"key"`
			Value string `json:"value"`
		} `json:"fields"`
	}
	if err := json.Unmarshal([]byte(text), &entries); err != nil {
		return []Dependency{{Kind: kind, Namespace: namespace, Labels: text, own: namespace}}
	}
	var found []Dependency
	for _, entry := range entries {
		d := Dependency{
			Kind: kind, Namespace: cmp.Or(entry.Namespace, namespace), Name: entry.Name, SameNode: entry.SameNode,
			APIVersion: entry.APIVersion, Resource: entry.Kind, own: namespace,
		}
		d.Labels = metav1.FormatLabelSelector(&metav1.LabelSelector{MatchLabels: entry.Labels})
		if len(entry.Labels) == 0 {
			d.Labels = ""
		}
		for _, field := range entry.Fields {
			d.Fields += fmt.Sprintf("%s=%s\n", field.Key, field.Value)
		}
		found = append(found, d)
	}
	return found
}

// names joins them.
func names(dependencies []Dependency) string {
	texts := make([]string, len(dependencies))
	for i, d := range dependencies {
		texts[i] = d.String()
	}
	return strings.Join(texts, ", ")
}

// Waiting says which of the things that it waits for are not there, by what was found out: the reasons by
// dependency, "" for one that is as it has to be. What is not among them nobody could look at.
func (f *Finding) Waiting(reasons map[Dependency]string) {
	var unmet, unseen []string
	for _, d := range f.Waits {
		reason, looked := reasons[d]
		switch {
		case !looked:
			unseen = append(unseen, d.String())
		case reason != "":
			unmet = append(unmet, fmt.Sprintf("%s (%s)", d, reason))
		}
	}
	name := "init container " + f.Container
	switch {
	case len(unmet) > 0 && len(unseen) > 0:
		f.Text = fmt.Sprintf("%s waits for %s, and maybe for %s", name, strings.Join(unmet, ", "), strings.Join(unseen, ", "))
	case len(unmet) > 0:
		f.Text = name + " waits for " + strings.Join(unmet, ", ")
	case len(unseen) > 0:
		f.Text = name + " waits for " + strings.Join(unseen, ", ")
	default:
		f.Text = name + " has not finished, though all is there that it waits for: " + names(f.Waits)
	}
}
