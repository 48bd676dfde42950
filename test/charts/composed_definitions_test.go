//go:build beds

package charts_test

import (
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// TestDefinitions checks the definitions as the API server does.
func TestDefinitions(t *testing.T) {
	objects := composed.Demo(t)["system.definitions"].Spec.(*unit.Objects)
	if !objects.Keep || len(objects.Items) != 4 {
		t.Fatalf("%+v", objects)
	}
	for _, item := range objects.Items {
		var definition apiextensionsv1.CustomResourceDefinition
		if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(item, &definition, true); err != nil {
			t.Fatal(err)
		}
		apiextensionsv1.SetDefaults_CustomResourceDefinition(&definition)
		apiextensionsv1.SetDefaults_CustomResourceDefinitionSpec(&definition.Spec)
		var internal apiextensions.CustomResourceDefinition
		if err := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(&definition, &internal, nil); err != nil {
			t.Fatal(err)
		}
		structural, err := schema.NewStructural(internal.Spec.Validation.OpenAPIV3Schema)
		if err != nil {
			t.Fatal(err)
		}
		if errs := schema.ValidateStructural(nil, structural); len(errs) > 0 {
			t.Error(errs.ToAggregate())
		}
	}
}
