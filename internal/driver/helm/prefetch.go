package helm

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"helm.sh/helm/v3/pkg/release"
)

// contents are Secrets of releases that were read already, by namespace and name.
type contents map[string]*corev1.Secret

// prefetch reads all releases of a namespace that are ours and were not read yet, as at the start
// of a process, in one list. What it cannot read is left to be read, and to fail, by itself.
func (d *Driver) prefetch(ctx context.Context, namespace string, histories map[string][]stored) {
	_, _, _ = d.reads.Do("all in "+namespace, func() (any, error) {
		missing := map[string][]stored{}
		names, versions := map[string]bool{}, map[string]bool{}
		for id, history := range histories {
			last := history[len(history)-1]
			if last.labels[labelSpec] == "" || d.known(id, last) != nil {
				continue
			}
			missing[id] = history
			names[last.labels["name"]] = true
			for _, needed := range needed(history) {
				versions[needed.labels["version"]] = true
			}
		}
		if len(missing) < 2 {
			return nil, nil
		}
		read, err := d.listContents(ctx, namespace, fmt.Sprintf("owner=helm,name in (%s),version in (%s)",
			strings.Join(slices.Sorted(maps.Keys(names)), ","), strings.Join(slices.Sorted(maps.Keys(versions)), ",")))
		if err != nil {
			return nil, err
		}
		for id, history := range missing {
			within, name, _ := strings.Cut(id, "/")
			_, _ = d.readNewest(ctx, within, name, history, read)
		}
		return nil, nil
	})
}

// needed returns the end of a history that [Driver.readNewest] reads: the newest revision, and those
// before it down to the last one that was deployed.
func needed(history []stored) []stored {
	for i := len(history) - 2; i >= 0; i-- {
		if s := history[i].status; s == release.StatusSuperseded || s == release.StatusDeployed {
			return history[i:]
		}
	}
	return history
}

// maxPrefetched is how many bytes of Secrets are read ahead, which is more than sixty of the largest that Kubernetes
// takes. What does not fit is read when its turn comes.
const maxPrefetched = 64 << 20

var errEnough = errors.New("that is enough")

func (d *Driver) listContents(ctx context.Context, namespace, selector string) (contents, error) {
	read, size := contents{}, 0
	err := d.api.EachSecret(ctx, namespace, selector, func(secret *corev1.Secret) error {
		if size += len(secret.Data["release"]); size > maxPrefetched {
			return errEnough
		}
		read[secret.Namespace+"/"+secret.Name] = secret
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return nil, fmt.Errorf("read the releases: %w", err)
	}
	return read, nil
}
