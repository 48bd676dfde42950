package chartkeys

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// podShape is what the library's templates take from below pod: some of it they put into pods as it is, which have no other
// keys than those of Kubernetes.
type podShape struct {
	Affinity struct {
		Anti struct {
			Type        map[string]any `json:"type"`
			TopologyKey map[string]any `json:"topologyKey"`
			Weight      map[string]any `json:"weight"`
		} `json:"anti"`
	} `json:"affinity"`
	Lifecycle struct {
		Upgrades struct {
			Deployments struct {
				RevisionHistory any `json:"revision_history"`
				Strategy        any `json:"pod_replacement_strategy"`
				RollingUpdate   struct {
					MaxUnavailable any `json:"max_unavailable"`
					MaxSurge       any `json:"max_surge"`
				} `json:"rolling_update"`
			} `json:"deployments"`
			Daemonsets map[string]struct {
				Enabled         any `json:"enabled"`
				MinReadySeconds any `json:"min_ready_seconds"`
				MaxUnavailable  any `json:"max_unavailable"`
			} `json:"daemonsets"`
			Statefulsets struct {
				Strategy any `json:"pod_replacement_strategy"`
			} `json:"statefulsets"`
		} `json:"upgrades"`
		GracePeriod map[string]struct {
			Timeout any `json:"timeout"`
		} `json:"termination_grace_period"`
		DisruptionBudget map[string]struct {
			MinAvailable any `json:"min_available"`
		} `json:"disruption_budget"`
	} `json:"lifecycle"`
	Tolerations map[string]struct {
		Enabled     any                 `json:"enabled"`
		Tolerations []corev1.Toleration `json:"tolerations"`
	} `json:"tolerations"`
	SecurityContext map[string]struct {
		Pod       corev1.PodSecurityContext         `json:"pod"`
		Container map[string]corev1.SecurityContext `json:"container"`
	} `json:"security_context"`
	Probes map[string]map[string]map[string]struct {
		Enabled any          `json:"enabled"`
		Params  corev1.Probe `json:"params"`
	} `json:"probes"`
}

// takenBy are the templates that take what is below a key of pod. A chart that does not lead to them has its own way with it.
// What is below lifecycle charts read by names alone, as they do those of their own beside.
func takenBy() map[string]string {
	const snippets = "helm-toolkit.snippets.kubernetes_"
	return map[string]string{
		"affinity": snippets + "pod_anti_affinity", "tolerations": snippets + "tolerations", "probes": snippets + "probe",
		"security_context": snippets + "pod_security_context", "lifecycle": "",
	}
}

// shapeOf returns the type of what is at a path; nil where anything may be.
func (k *Keys) shapeOf(path []string) reflect.Type {
	if !k.toolkit || len(path) < 2 || path[0] != "pod" {
		return nil
	}
	if by, known := takenBy()[path[1]]; !known || by != "" && !k.reads.followed[by] {
		return nil
	}
	t := reflect.TypeFor[podShape]()
	for _, step := range path[1:] {
		if t = inType(t, step); t == nil {
			return nil
		}
	}
	return t
}

// inType returns the type of what a key of a type has; nil where it has none, or where anything may be.
func inType(t reflect.Type, key string) reflect.Type {
	if t.Kind() == reflect.Map {
		return plain(t.Elem())
	}
	return fieldsOf(t)[key]
}

// fieldsOf returns the keys that a type has; nil for one that has no certain ones.
func fieldsOf(t reflect.Type) map[string]reflect.Type {
	if t == nil || t.Kind() != reflect.Struct || reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return nil
	}
	fields := map[string]reflect.Type{}
	for i := range t.NumField() {
		field := t.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous && name == "" {
			maps.Copy(fields, fieldsOf(plain(field.Type)))
		} else {
			fields[name] = plain(field.Type)
		}
	}
	return fields
}

func plain(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// misshapen returns what a key of a map should be called where that is of a shape that has no such key, and the chart does not
// have it either. It is free where what is written may do more with the map than the library does, which cannot be of one
// that Kubernetes gets.
func (k *Keys) misshapen(path []string) (hint string, free, is bool) {
	if len(path) == 0 {
		return "", false, false
	}
	at, key := path[:len(path)-1], path[len(path)-1]
	shape := k.shapeOf(at)
	fields := fieldsOf(shape)
	if _, known := fields[key]; fields == nil || known {
		return "", false, false
	}
	defaults := k.defaults
	for _, step := range at {
		defaults, _ = defaults[step].(map[string]any)
	}
	if _, known := defaults[key]; known {
		return "", false, false
	}
	free = !ofKubernetes(shape)
	if free && (covers(k.own[0], at, 2, len(at)) || covers(k.own[1], at, len(at), len(at))) {
		return "", false, false
	}
	return hintIn(at, key, fields), free, true
}

func ofKubernetes(t reflect.Type) bool { return t.PkgPath() == reflect.TypeFor[corev1.Pod]().PkgPath() }

func hintIn(at []string, key string, fields map[string]reflect.Type) string {
	return hintOf(at, key, slices.Sorted(maps.Keys(fields)))
}

// inList finds the first key in the maps of a list at a path that these do not have.
func (k *Keys) inList(path []string, values any) (within, hint string) {
	shape := k.shapeOf(path)
	if shape == nil || shape.Kind() != reflect.Slice {
		return "", ""
	}
	fields := fieldsOf(plain(shape.Elem()))
	for i, element := range listAt(path, values) {
		m, _ := element.(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(m)) {
			if _, known := fields[key]; !known && fields != nil {
				return fmt.Sprintf("[%d].%s", i, key), hintIn(nil, key, fields)
			}
		}
	}
	return "", ""
}

// listAt finds a list in values, or in the first of several that has one there.
func listAt(path []string, values any) []any {
	if several, ok := values.([]any); ok {
		for _, one := range several {
			if found := listAt(path, one); found != nil {
				return found
			}
		}
		return nil
	}
	for _, step := range path {
		m, _ := values.(map[string]any)
		values = m[step]
	}
	found, _ := values.([]any)
	return found
}
