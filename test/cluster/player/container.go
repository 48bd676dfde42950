package player

import (
	"fmt"
	"path"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// container is one container as its process would see it.
type container struct {
	world
	pod  *corev1.Pod
	spec corev1.Container
}

// program is the base name of what the container runs: the first script in /tmp among its
// command and arguments, or else the command.
func (c container) program() string {
	words := slices.Concat(c.spec.Command, c.spec.Args)
	for _, word := range words {
		if strings.HasPrefix(word, "/tmp/") && !strings.ContainsAny(word, " \n") {
			return path.Base(word)
		}
	}
	if len(words) == 0 {
		return ""
	}
	return path.Base(words[0])
}

// has tells whether the container's spec sets all of these environment variables.
func (c container) has(names ...string) bool {
	for _, name := range names {
		if !slices.ContainsFunc(c.spec.Env, func(variable corev1.EnvVar) bool { return variable.Name == name }) {
			return false
		}
	}
	return true
}

// env returns the value of a variable now, at the container's start; "" when it is not set. It
// fails when a Secret or its key is missing, which keeps a real container from starting.
func (c container) env(name string) (string, error) {
	for _, variable := range c.spec.Env {
		if variable.Name != name {
			continue
		}
		if variable.ValueFrom == nil {
			return variable.Value, nil
		}
		if ref := variable.ValueFrom.SecretKeyRef; ref != nil {
			return c.secret(ref)
		}
	}
	return "", nil
}

func (c container) secret(ref *corev1.SecretKeySelector) (string, error) {
	optional := ref.Optional != nil && *ref.Optional
	found, err := c.secrets.Secrets(c.pod.Namespace).Get(ref.Name)
	if err != nil {
		if optional {
			return "", nil
		}
		return "", fmt.Errorf("secret %q not found", ref.Name)
	}
	value, ok := found.Data[ref.Key]
	if !ok && !optional {
		return "", fmt.Errorf("couldn't find key %s in Secret %s/%s", ref.Key, c.pod.Namespace, ref.Name)
	}
	return string(value), nil
}

// environment returns the variables that have plain values.
func (c container) environment() map[string]string {
	values := map[string]string{}
	for _, variable := range c.spec.Env {
		values[variable.Name] = variable.Value
	}
	return values
}

// files returns the files that the container sees from Secrets, by their path.
func (c container) files() map[string]string {
	found := map[string]string{}
	for _, mount := range c.spec.VolumeMounts {
		for name, text := range c.volume(mount.Name) {
			switch mount.SubPath {
			case "":
				found[path.Join(mount.MountPath, name)] = text
			case name:
				found[mount.MountPath] = text
			}
		}
	}
	return found
}

// volume returns the files of a volume that is made of Secrets.
func (c container) volume(name string) map[string]string {
	files := map[string]string{}
	add := func(secret string, items []corev1.KeyToPath) {
		found, err := c.secrets.Secrets(c.pod.Namespace).Get(secret)
		if err != nil {
			return
		}
		for key, data := range found.Data {
			file := key
			for _, item := range items {
				if item.Key == key {
					file = item.Path
				}
			}
			files[file] = string(data)
		}
	}
	for _, volume := range c.pod.Spec.Volumes {
		if volume.Name != name {
			continue
		}
		if volume.Secret != nil {
			add(volume.Secret.SecretName, volume.Secret.Items)
		}
		if volume.Projected != nil {
			for _, source := range volume.Projected.Sources {
				if source.Secret != nil {
					add(source.Secret.Name, source.Secret.Items)
				}
			}
		}
	}
	return files
}

// secretsOf names the Secrets that a pod's volumes and containers refer to.
func secretsOf(pod *corev1.Pod) []string {
	var names []string
	for _, volume := range pod.Spec.Volumes {
		if volume.Secret != nil {
			names = append(names, volume.Secret.SecretName)
		}
		if volume.Projected != nil {
			for _, source := range volume.Projected.Sources {
				if source.Secret != nil {
					names = append(names, source.Secret.Name)
				}
			}
		}
	}
	for _, spec := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		for _, variable := range spec.Env {
			if variable.ValueFrom != nil && variable.ValueFrom.SecretKeyRef != nil {
				names = append(names, variable.ValueFrom.SecretKeyRef.Name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// settings returns the values of a key in all sections of the container's INI files, with the
// names of the sections.
func (c container) settings(key string) map[string]string {
	found := map[string]string{}
	for _, text := range c.files() {
		for section, value := range ini(text, key) {
			found[section] = value
		}
	}
	return found
}

// ini returns a key's value in each section of an INI file that has it.
func ini(text, key string) map[string]string {
	found := map[string]string{}
	section := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]") {
			section = line[1 : len(line)-1]
			continue
		}
		name, value, isPair := strings.Cut(line, "=")
		if isPair && strings.TrimSpace(name) == key {
			found[section] = strings.TrimSpace(value)
		}
	}
	return found
}
