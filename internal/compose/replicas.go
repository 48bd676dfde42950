package compose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// defaultReplicas are those that we decide on where nothing is written. An even number of brokers,
// which the chart has, loses its majority with half of them; and clients must know the number.
func defaultReplicas() map[string]map[string]int {
	return map[string]map[string]int{"rabbitmq": {"server": 3}}
}

// replicaValues are the copies of each part of a service. The parts have the names that the charts
// have for them.
func replicaValues(s *model.Service) []setting {
	var list []setting
	for _, counts := range []map[string]int{defaultReplicas()[s.Name], s.Replicas} {
		for part, n := range counts {
			list = append(list, setting{path: "pod.replicas." + part, value: int64(n)})
		}
	}
	return list
}

// alone is a part of a service of which there may be one only, as long as all that there are go by one name: they
// would take what is meant for each other. The name is that of what they work for, so it cannot just be changed.
type alone struct {
	part, host string // "" for what goes by no name
	backends   bool   // what it works for may have names of its own
}

// alones are such parts of OpenStack-Helm's charts. A cinder-backup that starts takes the backups of its name that are
// under way for left-overs, and gives them up; a manila-data all copies of shares, whatever it is called.
func alones() map[string][]alone {
	return map[string][]alone{
		"cinder": {{part: "volume", host: "conf.cinder.DEFAULT.host", backends: true}, {part: "backup", host: "conf.cinder.DEFAULT.host"}},
		"manila": {{part: "share", host: "conf.manila.DEFAULT.host"}, {part: "data"}},
	}
}

// checkAlone refuses several of such a part, unless something else is said of their name.
func (c *composer) checkAlone(s *model.Service, values map[string]any) {
	for _, of := range alones()[s.Name] {
		deployed := deploys(values, "deployment", of.part, true) || deploys(values, "statefulset", of.part, false)
		if !deployed || of.host != "" && covers(values, of.host) && (!of.backends || !sharesHost(values)) {
			continue
		}
		if n, _ := get(values, "pod.replicas."+of.part).(int64); n > 1 {
			summary, why := "more than one with the same name", "all of them would go by one name, and take each other's work"
			if of.host == "" {
				summary, why = "more than one of what there is one of", "each that starts would give up what the others do"
			}
			c.failAt(codeValue, c.lastOrigin(s, "replicas"), summary, fmt.Sprintf("%s of %s cannot run %d times: %s", of.part, s.Name, n, why),
				fmt.Sprintf("write %s = 1 in replicas; Kubernetes starts it elsewhere when its node is lost", of.part))
		}
	}
}

// checkSharedVolume refuses several pods of Glance on a volume that one node alone can write to: the next one would wait
// for it on another node for ever. Each pod has two of them, one for images and one for those on their way in.
func (c *composer) checkSharedVolume(s *model.Service, values map[string]any) {
	const part, many = "api", "ReadWriteMany"
	n, _ := get(values, "pod.replicas."+part).(int64)
	if s.Name != imageService || n < 2 || storageOf(plainText(get(values, imageStorage))) != schema.ImagesPVC {
		return
	}
	var narrow []string
	for manifest, volume := range map[string]string{"pvc_images": "volume", "pvc_tmp": "volume_staging"} {
		toggle := "manifests." + manifest
		made, written := get(values, toggle).(bool)
		if (made || !written) && !takenAway(values, toggle) && !slices.Contains(namesIn(get(values, volume+".accessModes")), many) {
			narrow = append(narrow, fmt.Sprintf("%s = { accessModes = [%q] }", volume, many))
		}
	}
	if len(narrow) == 0 || len(c.nodesFor(values, part)) == 1 {
		return
	}
	slices.Sort(narrow)
	told := len(c.diags)
	c.failAt(codeValue, c.lastOrigin(s, "replicas"), "several pods on the volume of one",
		fmt.Sprintf("%s runs %d times, and keeps images on a volume that only one node at a time can write to: pods on others would never start", s.Name, n),
		fmt.Sprintf("write replicas = 1; or keep images elsewhere, such as storage = %q; or, with a storage class whose volumes many nodes can write to, values = { %s }", schema.ImagesCeph, strings.Join(narrow, ", ")))
	c.countsByValues(s, told, "pod.replicas."+part, imageStorage)
}

// countsByValues makes warnings of the diagnostics from one on, where one of some values was written for the chart, and has
// them tell of that line: what people write for charts counts.
func (c *composer) countsByValues(s *model.Service, from int, paths ...string) {
	for _, path := range paths {
		if !covers(c.written[s.Name], path) {
			continue
		}
		at, _ := c.whereKey(s, s.Settings, steps(path))
		for i := from; i < len(c.diags); i++ {
			d := &c.diags[i]
			d.Severity, d.Code, d.Subject = diag.Warning, codeUnsafe, &at.where
		}
		return
	}
}

// tellEven warns of an even number of those that decide by majority: half of them have none. With none at all there is nobody to ask.
func (c *composer) tellEven(s *model.Service, values map[string]any) {
	known, _ := c.definition.Service(s.Name)
	for _, part := range slices.Concat(known.Votes, known.Members, known.Grows) {
		path := "pod.replicas." + part
		n, written := get(values, path).(int64)
		if !written || n%2 != 0 {
			continue
		}
		at := c.lastOrigin(s, "replicas")
		if covers(c.written[s.Name], path) {
			at, _ = c.whereKey(s, s.Settings, steps(path))
		}
		summary := "no clear majority"
		detail := fmt.Sprintf("%s of %s decides by majority: with %d, no more can be lost than with %d, and if half of them are, the others stop", part, s.Name, n, n-1)
		if n == 0 {
			summary, detail = "nothing runs", fmt.Sprintf("%s of %s runs 0 times: what needs it finds nothing there, and waits", part, s.Name)
		}
		c.failAt(codeUnsafe, at, summary, detail, fmt.Sprintf("write an odd number, such as %d", n+1))
		c.diags[len(c.diags)-1].Severity = diag.Warning
	}
}
