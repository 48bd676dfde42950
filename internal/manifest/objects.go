package manifest

import (
	"fmt"
	"maps"
	"strings"
)

// Objects returns the objects of a plain value: one, a list of them, or one of the kind List. What is in the
// value is not changed. The error is an [*Error] without a line.
func Objects(v any) ([]Object, error) {
	list, is := v.([]any)
	if !is {
		return object(v)
	}
	var all []Object
	for i, element := range list {
		if _, nested := element.([]any); nested {
			return nil, &Error{Text: fmt.Sprintf("the element %d of the list is a list", i), Hint: "write a list of objects; flatten([…]) makes one of several"}
		}
		found, err := object(element)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	if len(all) > maxObjects {
		return nil, &Error{Text: fmt.Sprintf("there are more than %d objects", maxObjects), Hint: "divide them among several blocks"}
	}
	return all, nil
}

// written is the hint for what is no object.
const written = `write apiVersion, kind and metadata, such as { apiVersion = "v1", kind = "ConfigMap", metadata = { name = "notice" } }`

// object returns an object, or those of one that is a list.
func object(v any) ([]Object, error) {
	content, is := v.(map[string]any)
	if !is {
		return nil, &Error{Text: "an object of Kubernetes is a map, and this is none", Hint: written}
	}
	if _, encrypted := content["sops"].(map[string]any); encrypted {
		return nil, &Error{Text: "the object is encrypted, and nothing sensitive can be applied as a manifest", Hint: "leave the file out; a Secret for a chart is made by the values of that"}
	}
	kind, _ := content["kind"].(string)
	version, _ := content["apiVersion"].(string)
	switch {
	case version == "":
		return nil, &Error{Text: lacks(content, "apiVersion"), Hint: written}
	case kind == "":
		return nil, &Error{Text: lacks(content, "kind"), Hint: written}
	case strings.HasPrefix(version, "kustomize.config.k8s.io/"):
		return nil, &Error{Text: "this is a kustomization, which would have to be built", Hint: "name the files that it leads to in files, or commit what it is built to"}
	}
	if items, isList := content["items"].([]any); isList && strings.HasSuffix(kind, "List") {
		var all []Object
		for _, item := range items {
			found, err := object(item)
			if err != nil {
				return nil, err
			}
			all = append(all, found...)
		}
		return all, nil
	}
	metadata, _ := content["metadata"].(map[string]any)
	name, _ := metadata["name"].(string)
	switch generated, _ := metadata["generateName"].(string); {
	case name == "" && generated != "":
		return nil, &Error{Text: fmt.Sprintf("the %s has generateName, which would make another object each time", kind), Hint: "write metadata.name"}
	case name == "":
		return nil, &Error{Text: fmt.Sprintf("the %s has no metadata.name", kind), Hint: "write one; it is a text"}
	}
	if namespace, there := metadata["namespace"]; there && namespace != nil {
		if text, isText := namespace.(string); !isText || text == "" {
			return nil, &Error{Text: fmt.Sprintf("the namespace of the %s %s is no text", kind, name), Hint: "write the name of a namespace in quotes, or take the line away"}
		}
	}
	for _, field := range []string{"labels", "annotations"} {
		if err := texts(metadata[field], fmt.Sprintf("%s of the %s %s", field, kind, name)); err != nil {
			return nil, err
		}
	}
	return []Object{{Content: clean(content, metadata)}}, nil
}

func lacks(content map[string]any, field string) string {
	if content[field] != nil {
		return field + " is no text"
	}
	return "the object has no " + field
}

// texts wants every value of labels and annotations to be a text, as it is the mistake that is made most:
// a number or yes without quotes.
func texts(v any, what string) error {
	if v == nil {
		return nil
	}
	values, is := v.(map[string]any)
	if !is {
		return &Error{Text: what + " is no map", Hint: `write, for example: { team = "cloud" }`}
	}
	for key, value := range values {
		if _, isText := value.(string); !isText && value != nil {
			return &Error{Text: fmt.Sprintf("%s: the value of %q is no text", what, key), Hint: "put it in quotes"}
		}
	}
	return nil
}

// serverFields are the fields of metadata that only the API server writes, and that are in what somebody
// has taken from a cluster.
func serverFields() []string {
	return []string{"creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation", "managedFields", "resourceVersion", "selfLink", "uid"}
}

// clean returns an object without what only the API server writes.
func clean(content, metadata map[string]any) map[string]any {
	content, metadata = maps.Clone(content), maps.Clone(metadata)
	delete(content, "status")
	if content["kind"] == "ClusterRole" && content["aggregationRule"] != nil { // the cluster fills them in
		delete(content, "rules")
	}
	for _, field := range serverFields() {
		delete(metadata, field)
	}
	content["metadata"] = metadata
	return content
}
