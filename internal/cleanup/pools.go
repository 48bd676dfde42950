package cleanup

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// poolName is the variable of the environment with the name of a pool, for what makes it.
const poolName = "RBD_POOL_NAME"

// Pools are the names of the pools that a Job makes or takes away, in order.
func Pools(job *unstructured.Unstructured) []string {
	all, _, _ := unstructured.NestedSlice(job.Object, "spec", "template", "spec", "containers")
	var names []string
	for _, item := range all {
		container, _ := item.(map[string]any)
		if name := value(container, poolName); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Uses tells whether a release keeps something in a pool, by the values that it was made with and the Jobs that it
// consists of: charts have the names of pools below keys that say so.
func Uses(values map[string]any, objects []*unstructured.Unstructured, pool string) bool {
	return mentions(values, pool) || slices.ContainsFunc(objects, func(o *unstructured.Unstructured) bool {
		return o.GetKind() == "Job" && slices.Contains(Pools(o), pool)
	})
}

// mentions looks for a pool below keys that are about pools.
func mentions(v any, pool string) bool {
	switch v := v.(type) {
	case map[string]any:
		for key, inner := range v {
			if strings.Contains(key, "pool") && inner == pool || mentions(inner, pool) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, func(inner any) bool { return mentions(inner, pool) })
	}
	return false
}

// removePool deletes a pool that is the service's alone: Ceph has on record who uses a pool, by the application that
// the chart gives it, and images in it that others are made from or have open tell of those as well. A pool of
// Rook's bears the application rbd, as does one that somebody prepared by hand.
const removePool = `set -eo pipefail
` + say + `pool=${RBD_POOL_NAME:?} application=${RBD_POOL_APP_NAME:?}
stays() {
  say "the pool $pool stays: $*"
  exit 1
}
pools=$(ceph osd pool ls)
if ! grep -Fxq -- "$pool" <<<"$pools"; then
  echo "there is no pool $pool"
  exit 0
fi
marks=$(ceph osd pool application get "$pool" -f json | python3 -c 'import json, sys; print("\n".join(json.load(sys.stdin)))')
if [ "$application" = rbd ] || ! grep -Fxq -- "$application" <<<"$marks"; then
  stays "nothing tells that the service has made it. Delete it by hand, and take pools out of clean_up"
fi
others=$(grep -Fxv -- "$application" <<<"$marks" || true)
if [ -n "$others" ]; then
  stays "it is used for" $others "as well. Delete it by hand once nobody needs it, and take pools out of clean_up"
fi
images=$(rbd ls "$pool")
while read -r image; do
  if [ -z "$image" ]; then
    continue
  fi
  made=$(rbd children --all "$pool/$image")
  outside=$(awk -v inside="$pool/" '$0 != "" && index($0, inside) != 1 { print; exit }' <<<"$made")
  if [ -n "$outside" ]; then
    stays "$outside is a copy that needs $image in it. Flatten or delete such copies first, or take pools out of clean_up"
  fi
  open=$(rbd status "$pool/$image")
  if grep -q 'watcher=' <<<"$open"; then
    stays "somebody has $image in it open. Stop what uses it first, or take pools out of clean_up"
  fi
done <<<"$images"
if ! answer=$(ceph osd pool delete "$pool" "$pool" --yes-i-really-really-mean-it 2>&1); then
  case $answer in
  *mon_allow_pool_delete*)
    stays "the monitors let nobody delete pools. Say: ceph config set mon mon_allow_pool_delete true, and false again afterwards; or take pools out of clean_up"
    ;;
  esac
  stays "Ceph says: $answer"
fi
echo "deleted the pool $pool"
`
