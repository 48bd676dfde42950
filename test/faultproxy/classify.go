package faultproxy

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// ClassifyKubernetes names requests as Kubernetes does: the verb is get, list, watch,
// create, update, patch, delete or deletecollection, and in the path the namespace and the
// object's name are replaced by {namespace} and {name}. What is not about a resource keeps
// its method and path.
func ClassifyKubernetes(r *http.Request) (verb, path string) {
	segments := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	prefix := 2 // api/v1
	if segments[0] == "apis" {
		prefix = 3 // apis/group/version
	}
	if segments[0] != "api" && segments[0] != "apis" || len(segments) <= prefix {
		return r.Method, r.URL.Path
	}
	resource := slices.Clone(segments[prefix:])
	if resource[0] == "namespaces" && len(resource) > 2 && resource[2] != "status" && resource[2] != "finalize" {
		segments[prefix+1] = "{namespace}"
		prefix, resource = prefix+2, resource[2:]
	}
	named := len(resource) > 1
	if named {
		segments[prefix+1] = "{name}"
	}
	return kubernetesVerb(r, named), "/" + strings.Join(segments, "/")
}

func kubernetesVerb(r *http.Request, named bool) string {
	switch r.Method {
	case http.MethodGet:
		switch {
		case isWatch(r):
			return "watch"
		case named:
			return "get"
		}
		return "list"
	case http.MethodPost:
		return "create"
	case http.MethodPut:
		return "update"
	case http.MethodPatch:
		return "patch"
	case http.MethodDelete:
		if named {
			return "delete"
		}
		return "deletecollection"
	}
	return r.Method
}

// An id of OpenStack: a UUID, with or without its dashes.
var openStackID = regexp.MustCompile(`^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$`)

// ClassifyOpenStack keeps the method and replaces every segment of the path that is an id
// by {id}.
func ClassifyOpenStack(r *http.Request) (verb, path string) {
	segments := strings.Split(r.URL.Path, "/")
	for i, segment := range segments {
		if openStackID.MatchString(segment) {
			segments[i] = "{id}"
		}
	}
	return r.Method, strings.Join(segments, "/")
}

func classifyPlain(r *http.Request) (verb, path string) { return r.Method, r.URL.Path }
