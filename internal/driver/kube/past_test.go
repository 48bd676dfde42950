package kube

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// past reads an object as an older program has written it. These files are added to, and never changed to please a
// newer one: that has to read what is stored in clusters.
func past(t *testing.T, name string) *unstructured.Unstructured {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "past", name+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var content map[string]any
	if err := yaml.Unmarshal(text, &content); err != nil {
		t.Fatal(err)
	}
	return &unstructured.Unstructured{Object: content}
}

// TestWhatWasShownIsRead: what an older program has shown is found under its name, is known to the newest field by
// field, and would be written again as it is, so that conditions keep their times.
func TestWhatWasShownIsRead(t *testing.T) {
	said := map[string]bool{}
	for name, kind := range map[string]string{
		"osknode": unit.KindShownNode, "ossvc": unit.KindShownService, "oscp": unit.KindShownCloud, "occp": unit.KindShownProfile,
	} {
		object := past(t, name+"-v1alpha1")
		want := unit.ObjectRef{APIVersion: object.GetAPIVersion(), Kind: object.GetKind(), Name: object.GetName()}
		if ref := unit.ShownRef(kind, object.GetName()); ref != want {
			t.Errorf("%s is looked for as %+v, and is there as %+v", name, ref, want)
		}
		status, _, err := unstructured.NestedMap(object.Object, "status")
		if err != nil {
			t.Fatal(err)
		}
		delete(status, "desiredNodeConfiguration") // what the configuration says
		says := sayingOf(object)
		again, err := writtenOf(says)
		if err != nil {
			t.Fatal(err)
		}
		if len(status)+len(again) > 0 && !reflect.DeepEqual(again, status) {
			t.Errorf("%s says\n%v\nand would say\n%v", name, status, again)
		}
		maps.Copy(said, fieldsOf(reflect.ValueOf(says)))
		for i := range says.Conditions {
			maps.Copy(said, fieldsOf(reflect.ValueOf(says.Conditions[i])))
		}
	}
	for _, all := range []reflect.Type{reflect.TypeFor[unit.Shown](), reflect.TypeFor[unit.ShownCondition]()} {
		for f := range all.NumField() {
			if name := all.Field(f).Name; !said[name] {
				t.Errorf("nothing in testdata/past has %s: add it there", name)
			}
		}
	}
}

// fieldsOf names the fields of a struct that are not empty.
func fieldsOf(v reflect.Value) map[string]bool {
	names := map[string]bool{}
	for f := range v.NumField() {
		if !v.Field(f).IsZero() {
			names[v.Type().Field(f).Name] = true
		}
	}
	return names
}

// TestTheInstallationIsRead: the key of an older program is the key of the newest, or all marks would be strangers'.
func TestTheInstallationIsRead(t *testing.T) {
	object := past(t, "installation")
	if ref := secretRef(object.GetNamespace(), installation); ref.Name != object.GetName() || ref.Kind != object.GetKind() {
		t.Errorf("it is looked for as %v", ref)
	}
	id, key, err := installationOf(object)
	if err != nil || id != "c6a0f0ea-6d5a-4d6f-9d58-0d5e1c4a7f21" || key.Reveal() != "a key of thirty-two bytes, long!" {
		t.Errorf("it is read as %q, %v", id, err)
	}
	// What another program wrote in its place is no installation, and none is made instead.
	for _, lost := range []string{"id", "key"} {
		object := past(t, "installation")
		unstructured.RemoveNestedField(object.Object, "data", lost)
		if _, _, err := installationOf(object); !errors.Is(err, errDamaged) {
			t.Errorf("without %s: %v", lost, err)
		}
	}
}
