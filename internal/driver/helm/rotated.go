package helm

import (
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// rotated returns the authorities in an object that a program keeps by itself, without an annotation that asks for it, and has
// written after the chart: as many operators do that make the certificate of their own webhook. To put the chart's back would
// cut their clients off until the program writes again. What there is has to be a certificate, and its writer no tool that
// people use by hand: a bundle that somebody emptied or spoiled is drift as ever.
func (d *Driver) rotated(v *view, desired, live *unstructured.Unstructured) []string {
	var paths []string
	for _, field := range d.cluster.Compare(desired, live) {
		if field.By == "" || byHand(field.By) || !certifies(live.Object, pathTo(desired, field.Path)) {
			continue
		}
		paths = append(paths, field.Path)
		if note := fmt.Sprintf("%s: %s is left to %s, which wrote it", refOf(desired), field.Path, field.By); !slices.Contains(v.left, note) {
			v.left = append(v.left, note)
		}
	}
	return paths
}

// pathTo is a field of the live object by keys and the names of elements, nil for what is no authority.
func pathTo(desired *unstructured.Unstructured, path string) []string {
	kind := desired.GroupVersionKind().GroupKind()
	for _, field := range injectedFields() {
		before, after, many := strings.Cut(field.path, "[*].")
		switch {
		case field.group != kind.Group || field.kind != kind.Kind:
		case !many && path == field.path:
			return strings.Split(path, ".")
		case many && strings.HasPrefix(path, before+"[") && strings.HasSuffix(path, "]."+after):
			name := strings.TrimSuffix(strings.TrimPrefix(path, before+"["), "]."+after)
			return append([]string{before, name}, strings.Split(after, ".")...)
		}
	}
	return nil
}

// certifies tells whether there is a certificate at some steps, of which one in a list is the name of an element.
func certifies(value any, steps []string) bool {
	if len(steps) == 0 {
		return false
	}
	for _, step := range steps {
		switch of := value.(type) {
		case map[string]any:
			value = of[step]
		case []any:
			i := slices.IndexFunc(of, func(item any) bool {
				element, _ := item.(map[string]any)
				return element["name"] == step
			})
			if i < 0 {
				return false
			}
			value = of[i]
		default:
			return false
		}
	}
	text, _ := value.(string)
	rest, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return false
	}
	for {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			return false
		}
		if _, err := x509.ParseCertificate(block.Bytes); err == nil && block.Type == "CERTIFICATE" {
			return true
		}
	}
}

// byHand tells whether a field manager is a tool that people change objects with. They are called as their requests say who sends
// them: Lens is node-fetch, and a dashboard its own name, or the browser's before it.
func byHand(manager string) bool {
	return strings.HasPrefix(manager, "kubectl") || strings.HasPrefix(manager, "dashboard") ||
		slices.Contains([]string{"helm", "k9s", "node-fetch", "curl", "Mozilla"}, manager)
}

// keepsAuthorities tells whether an object is of a kind that trusts authorities.
func keepsAuthorities(object *unstructured.Unstructured) bool {
	kind := object.GroupVersionKind().GroupKind()
	return slices.ContainsFunc(injectedFields(), func(f injected) bool { return f.group == kind.Group && f.kind == kind.Kind })
}
