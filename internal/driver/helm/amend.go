package helm

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// amendment is what we change of what charts render, as no values would; it is a postrender.PostRenderer.
type amendment struct {
	leave      bool // leavePods
	remainders []unit.Remainder
	before     []*unstructured.Unstructured // for keepNames
}

// amendmentOf is that of a release, of which some objects are there.
func amendmentOf(spec *unit.Release, before []*unstructured.Unstructured) amendment {
	return amendment{spec.OnDelete, spec.Remainders, before}
}

// Amended returns the documents that a chart renders for a release as they are applied where those of before are.
func Amended(spec *unit.Release, rendered, before string) (string, error) {
	var there []*unstructured.Unstructured
	for _, document := range split(before) {
		object := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(document), &object.Object); err != nil {
			return "", fmt.Errorf("read what was there: %w", err)
		}
		there = append(there, object)
	}
	amended, err := amendmentOf(spec, there).Run(bytes.NewBufferString(rendered))
	if err != nil {
		return "", err
	}
	return amended.String(), nil
}

// apply changes objects, and returns those that it changed.
func (a amendment) apply(objects []*unstructured.Unstructured) []*unstructured.Unstructured {
	var changed []*unstructured.Unstructured
	if a.leave {
		changed = leavePods(objects)
	}
	return append(changed, keepNames(objects, a.before, a.remainders)...)
}

// Run does the same with what Helm renders, sends and stores: documents as Helm joins them.
func (a amendment) Run(rendered *bytes.Buffer) (*bytes.Buffer, error) {
	const between = "---\n"
	documents := strings.Split("\n"+rendered.String(), "\n"+between)
	of := map[*unstructured.Unstructured]int{}
	var objects []*unstructured.Unstructured
	for i, document := range documents {
		if !a.concerns(document) {
			continue
		}
		object := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(document), &object.Object); err != nil {
			return nil, fmt.Errorf("read what was rendered: %w", err)
		}
		of[object], objects = i, append(objects, object)
	}
	for _, object := range a.apply(objects) {
		document := documents[of[object]]
		text, err := yaml.Marshal(object.Object)
		if err != nil {
			return nil, fmt.Errorf("write what was rendered: %w", err)
		}
		source := ""
		if line, _, _ := strings.Cut(document, "\n"); strings.HasPrefix(line, "# Source: ") {
			source = line + "\n"
		}
		amended := source + string(text)
		if !strings.HasSuffix(document, "\n") {
			amended = strings.TrimSuffix(amended, "\n")
		}
		documents[of[object]] = amended
	}
	return bytes.NewBufferString(strings.TrimPrefix(strings.Join(documents, "\n"+between), "\n")), nil
}

// concerns tells whether a document may be one that is changed: a DaemonSet, or the configuration of one that keeps its name.
func (a amendment) concerns(document string) bool {
	return (a.leave || len(a.remainders) > 0) && strings.Contains(document, kindDaemonSet) ||
		slices.ContainsFunc(a.remainders, func(r unit.Remainder) bool { return strings.Contains(document, r.Name) })
}
