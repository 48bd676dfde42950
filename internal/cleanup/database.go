package cleanup

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// dropDatabase has a container drop the databases which it would create: by the program that its chart has for
// that, or else by one of ours that begins as the chart's own does.
func (r Release) dropDatabase(pod, container map[string]any) error {
	mounts, _ := container["volumeMounts"].([]any)
	for _, item := range mounts {
		mount, _ := item.(map[string]any)
		if mount["subPath"] != databaseMaker {
			continue
		}
		if !r.brings(pod, mount["name"], databaseRemover) {
			container["command"] = []any{"/bin/bash", "-c", removeDatabase}
			return nil
		}
		container["command"] = []any{"/tmp/" + databaseRemover}
		mount["mountPath"], mount["subPath"] = "/tmp/"+databaseRemover, databaseRemover
		return nil
	}
	return fmt.Errorf("does not mount %s", databaseMaker)
}

// brings tells whether a volume is a ConfigMap of the release that has a key.
func (r Release) brings(pod map[string]any, volume any, key string) bool {
	volumes, _ := pod["volumes"].([]any)
	for _, item := range volumes {
		source, _ := item.(map[string]any)
		name, found, _ := unstructured.NestedString(source, "configMap", "name")
		if !found || source["name"] != volume {
			continue
		}
		return slices.ContainsFunc(r.Objects, func(object *unstructured.Unstructured) bool {
			data, _, _ := unstructured.NestedStringMap(object.Object, "data")
			return object.GetKind() == "ConfigMap" && object.GetName() == name && data[key] != ""
		})
	}
	return false
}

// removeDatabase drops a database and its user, in the words of the program that charts have for it. How the
// database is reached, and what it is called, says the first part of the program that makes it. Should that be
// another program than the one that is known, nothing is dropped.
const removeDatabase = `set -eo pipefail
if ! grep -qx '# Create DB' /tmp/db-init.py; then
  echo "/tmp/db-init.py is not what was expected: nothing is dropped" >&2
  exit 1
fi
reaches=$(sed '/^# Create DB$/,$d' /tmp/db-init.py)
drops='
with root_engine.connect() as connection:
    connection.execute(text("DROP DATABASE IF EXISTS {0}".format(database)))
    connection.execute(text("DROP USER IF EXISTS {0}".format(user)))
    try:
        connection.commit()
    except AttributeError:
        pass
logger.info("Deleted database {0} and its user {1}".format(database, user))
'
exec "$(command -v python || command -v python3)" -c "$reaches
$drops"
`
