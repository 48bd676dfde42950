package kube

import (
	"encoding/base64"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
)

// learn has what is told, of whatever it is, lose these credentials: OpenStack may quote how one of its services logs in to a
// database, to which the driver that asks it has no key. All that are generated are long enough; one that was adopted may not be.
func (c *Cluster) learn(values map[string]redact.Secret) {
	c.masker.Share(slices.Collect(maps.Values(values))...)
}

// valuesIn are those of a Secret.
func valuesIn(live *unstructured.Unstructured) map[string]redact.Secret {
	values := map[string]redact.Secret{}
	data, _ := live.Object["data"].(map[string]any)
	for key, value := range data {
		text, _ := value.(string)
		if decoded, err := base64.StdEncoding.DecodeString(text); err == nil {
			values[key] = redact.NewSecret(string(decoded))
		}
	}
	return values
}
