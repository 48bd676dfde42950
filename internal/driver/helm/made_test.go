package helm

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// unlabelled does not show what a Job has made, as watches look for labels.
type unlabelled struct{ *shelf }

func (c unlabelled) Get(ctx context.Context, refs ...unit.ObjectRef) (map[unit.ObjectRef]*unstructured.Unstructured, error) {
	return c.shelf.Get(ctx, slices.DeleteFunc(slices.Clone(refs), func(ref unit.ObjectRef) bool { return ref.Kind == "Secret" })...)
}

// adapted looks at a release whose Job fills in a ConfigMap and makes a Secret.
func adapted(t *testing.T, c *shelf) (*Driver, *view) {
	t.Helper()
	d, v := installed(t, c, simple("v1", "ConfigMap", "ceph-etc", 1), simple("batch/v1", kindJob, "adapter", 1))
	d.cluster, v.newest.after = unlabelled{c}, nil
	v.want.spec.Made = []unit.ObjectRef{
		{APIVersion: "v1", Kind: "ConfigMap", Namespace: "o", Name: "ceph-etc"}, {APIVersion: "v1", Kind: "Secret", Namespace: "o", Name: "key"},
	}
	if err := d.inspect(t.Context(), v); err != nil {
		t.Fatal(err)
	}
	return d, v
}

func jobThat(condition string) *unstructured.Unstructured {
	job := simple("batch/v1", kindJob, "adapter", 1)
	job.Object["status"] = map[string]any{"conditions": []any{map[string]any{"type": condition, "status": "True"}}}
	return job
}

// What a Job makes comes back by the Job, which was done and has to run again.
func TestJobsRunAgainForWhatTheyMade(t *testing.T) {
	config, key, done := simple("v1", "ConfigMap", "ceph-etc", 1), simple("v1", "Secret", "key", 1), jobThat("Complete")
	const gone, back, job = "delete Job o/adapter", "apply ConfigMap o/ceph-etc", "apply Job o/adapter"
	for name, test := range map[string]struct {
		there []*unstructured.Unstructured
		want  []string // of one step after the other
	}{
		"all is there":          {[]*unstructured.Unstructured{config, key, done}, nil},
		"the ConfigMap is gone": {[]*unstructured.Unstructured{key, done}, []string{gone, back, job}},
		"the Secret is gone":    {[]*unstructured.Unstructured{config, done}, []string{gone, job}},
		"cut off between":       {[]*unstructured.Unstructured{key}, []string{back, job}},
		"the Job runs":          {[]*unstructured.Unstructured{config, simple("batch/v1", kindJob, "adapter", 1)}, nil},
		"the Job failed":        {[]*unstructured.Unstructured{config, jobThat("Failed")}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			c := newShelf(test.there...)
			for range 3 {
				d, v := adapted(t, c)
				diff := v.diff()
				if diff.Action == unit.ActionNone {
					break
				}
				if len(c.written) == 0 && slices.Contains(test.want, gone) &&
					!slices.ContainsFunc(diff.Fields, func(f unit.Field) bool {
						return f.Path == "Job o/adapter" && strings.HasPrefix(f.After, "run again, as ")
					}) {
					t.Errorf("the plan says %+v", diff.Fields)
				}
				if err := d.step(t.Context(), v); err != nil {
					t.Fatal(err)
				}
			}
			if !slices.Equal(c.written, test.want) {
				t.Errorf("wrote %q, want %q", c.written, test.want)
			}
		})
	}
}

// stuck deletes nothing.
type stuck struct{ *shelf }

func (stuck) Delete(context.Context, unit.ObjectRef, types.UID) error { return errors.New("no") }

// What a Job fills in does not come back before the Job has made room, while a revision waits least of all.
func TestNothingComesBackUnfilled(t *testing.T) {
	c := newShelf(simple("v1", "Secret", "key", 1), jobThat("Complete"))
	d, v := adapted(t, c)
	d.cluster = stuck{c}
	if err := d.step(t.Context(), v); err == nil || len(c.written) > 0 {
		t.Errorf("wrote %q, %v", c.written, err)
	}
	d, v = adapted(t, c)
	v.blocked = "the chart cannot be rendered"
	if err := d.inspect(t.Context(), v); err != nil || len(v.diff().Mends) > 0 {
		t.Errorf("while the next one is held back: %+v, %v", v.diff(), err)
	}
	// What is back since has nothing run again.
	d, v = adapted(t, c)
	c.objects[v.want.spec.Made[0]] = simple("v1", "ConfigMap", "ceph-etc", 1)
	if err := d.step(t.Context(), v); err != nil || len(c.written) > 0 {
		t.Errorf("back since: wrote %q, %v", c.written, err)
	}
}
