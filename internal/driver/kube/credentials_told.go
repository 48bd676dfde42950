package kube

import (
	"encoding/base64"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
)

// leastLearned is how long a credential is at least that is taken out of whatever is told. All that are generated are longer. One
// that was adopted may be a word that texts have by chance: only the releases that have it take it out of what they tell.
const leastLearned = 16

// learn has what is told, of whatever it is, lose these credentials: OpenStack may quote how one of its services logs in to a
// database, to which the driver that asks it has no key.
func (c *Cluster) learn(values map[string]redact.Secret) {
	if c.masker == nil {
		return
	}
	var learned []redact.Secret
	for _, value := range values {
		if len(value.Reveal()) >= leastLearned {
			learned = append(learned, value)
		}
	}
	c.masker.Add(learned...)
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
