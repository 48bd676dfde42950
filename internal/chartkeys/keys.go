package chartkeys

import (
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/config"
)

// Chart is what is known of a chart.
type Chart struct {
	// Name is that of the chart, "" where it does not matter.
	Name string
	// Defaults are its own values.
	Defaults map[string]any
	// Templates are the texts of its templates and of those of the charts that it depends on, by name.
	Templates map[string]string
	// Library are those of a chart that it depends on and that makes nothing by itself, by name.
	Library map[string]string
	// Files are texts beside them, which may be templates as well.
	Files []string
	// Others are the keys at the top that charts which it depends on take.
	Others []string
	// Toolkit says that it is made with OpenStack-Helm's library.
	Toolkit bool
}

// Keys knows which keys a chart has places for. Create it with [New]. It may be used by many at once; nil calls
// nothing unknown.
type Keys struct {
	defaults map[string]any
	others   map[string]bool
	reads    *reads
	own      [][]use // of the reads, what the chart itself hands on, and what it looks into for a computed name
	library  library
	groups   map[string][]string // the names that groups of nodes have below a place, see [groupsOf]
	toolkit  bool
	opaque   bool
}

// New returns the keys of a chart. Of one with a template that cannot be read nothing is unknown.
func New(c Chart) *Keys {
	k := &Keys{
		defaults: c.Defaults, others: map[string]bool{"global": true, "tags": true}, reads: newReads(), library: library{}, toolkit: c.Toolkit,
	}
	for _, name := range c.Others {
		k.others[name] = true
	}
	for name, text := range c.Templates {
		k.opaque = k.opaque || k.reads.template(name, text) != nil
	}
	for _, text := range c.Files {
		k.reads.text(text)
	}
	k.reads.texts(c.Defaults)
	for name, text := range c.Library {
		k.opaque = k.opaque || k.library.add(name, text) != nil
	}
	if k.toolkit {
		k.groups = groupsOf(c)
	}
	k.own = [][]use{k.reads.handed, k.reads.computed}
	k.reads.follow(k.library, nil)
	return k
}

// conf is the key below which charts of OpenStack-Helm have what goes to programs.
const conf = "conf"

// closed tells of a map that charts of OpenStack-Helm read by the names of its keys, whatever else is done with
// it: all of it is copied for groups of nodes, or listed.
func closed(at []string) bool {
	switch strings.Join(at, ".") {
	case "", conf, "images", "images.tags", "manifests", "pod", "pod.replicas":
		return true
	default:
		return false
	}
}

// shaped tells of a map whose keys all charts of OpenStack-Helm share, though they list it or hand it on as a whole: how
// endpoints are reached, apart from the names of users, what the containers of a pod get, and when a job runs.
func shaped(at []string) bool {
	switch at[0] {
	case "endpoints":
		return len(at) != 3 || at[2] != "auth"
	case "pod":
		return len(at) > 1 && at[1] == "resources"
	case "jobs":
		return len(at) > 1
	default:
		return false
	}
}

// elsewhere tells whether a map beside the second of a path, as another endpoint, has what the path leads to.
func (k *Keys) elsewhere(at []string, key string) bool {
	beside, _ := k.defaults[at[0]].(map[string]any)
	for _, one := range beside {
		inner, _ := one.(map[string]any)
		for _, step := range at[min(2, len(at)):] {
			inner, _ = inner[step].(map[string]any)
		}
		if _, has := inner[key]; has {
			return len(at) > 1
		}
	}
	return false
}

// sure tells whether nothing reads a key of a map that no template names. It may look like one that is there, and the values may
// be lost.
func (k *Keys) sure(at []string, key string, similar, lost bool) bool {
	if k.toolkit && closed(at) {
		return similar || !slices.ContainsFunc(k.reads.computed, func(u use) bool { return u.absolute && slices.Equal(u.path, at) })
	}
	if k.toolkit && len(at) > 0 && shaped(at) {
		return similar && !k.elsewhere(at, key)
	}
	least := 0
	if k.toolkit { // which copies all values for groups of nodes, and reads the copies as it reads these
		least = 1
	}
	relative := 1
	if k.toolkit && len(at) > 0 && !lost && !k.reads.top.names[at[0]] { // what is called as a key at the top is something else
		relative = 2
	}
	return similar && !covers(k.reads.handed, at, least, relative) && !covers(k.reads.computed, at, least, relative)
}

// Unknown is a key that nothing of a chart reads.
type Unknown struct {
	Index int // of the path
	// Within leads from there to the key where that is in a list, such as [0].key; "" otherwise.
	Within string
	// Hint says what was probably meant, or what there is; it may be "".
	Hint string
}

// Unknown returns which of the keys at the ends of paths are unknown to the chart, in their order. The values are
// those that the chart gets along with them, any maps, lists and texts: there may be templates in them.
func (k *Keys) Unknown(paths [][]string, values any) []Unknown {
	if k == nil || k.opaque {
		return nil
	}
	var found []Unknown
	var written *reads
	for i, path := range paths {
		if within, hint := k.inList(path, values); within != "" {
			found = append(found, Unknown{Index: i, Within: within, Hint: hint})
			continue
		}
		if within, hint, is := k.inGroups(path, values); is {
			found = append(found, Unknown{Index: i, Within: within, Hint: hint})
			continue
		}
		hint, free, ok := k.suspect(path, k.reads.top.lost)
		if !ok {
			continue
		}
		if written == nil {
			written = newReads()
			written.texts(values)
			written.follow(k.library, k.reads.followed)
		}
		at, key := path[:len(path)-1], path[len(path)-1]
		lost := k.reads.top.lost || written.top.lost // a text may get the values of a template, and the other way round
		if lost || len(at) > 0 && written.top.names[at[0]] {
			if _, _, ok := k.suspect(path, true); !ok {
				continue
			}
		}
		if !k.read(written, at, key, lost) && !k.read(k.reads, at, key, lost) && (!free || !covers(written.handed, at, 1, 1) && !covers(written.computed, at, 1, 1)) {
			found = append(found, Unknown{Index: i, Hint: hint})
		}
	}
	return found
}

// suspect tells whether nothing of the chart itself reads a key, and what was meant. It is free where what is written beside
// it hands on the map that it is in.
func (k *Keys) suspect(path []string, lost bool) (hint string, free, ok bool) {
	hint, free, misshapen := k.misshapen(path)
	around, ok := k.around(path)
	if !ok && !misshapen {
		return "", false, false
	}
	at, key := path[:len(path)-1], path[len(path)-1]
	if k.read(k.reads, at, key, lost) {
		return "", false, false
	}
	if misshapen {
		return hint, free, true
	}
	return k.hint(path, around), true, k.sure(at, key, config.Nearest(key, around) != "", lost)
}

// read tells whether templates may read a key of a map. In charts of OpenStack-Helm, where a template or a text has nearly
// every word that is usual elsewhere, one at the top is read there and nowhere else.
func (k *Keys) read(by *reads, at []string, key string, lost bool) bool {
	if k.toolkit && len(at) == 0 {
		return by.readsAtTop(key, lost)
	}
	return by.reads(at, key)
}

// around returns the keys that the chart has around a key that it does not have, sorted; false where the chart
// has the key, or may take any.
func (k *Keys) around(path []string) (keys []string, ok bool) {
	if len(path) == 0 || k.others[path[0]] || k.toolkit && (path[0] == conf && len(path) > 2 || switchesJob(path)) {
		return nil, false
	}
	defaults := k.defaults
	for _, step := range path[:len(path)-1] {
		defaults, _ = defaults[step].(map[string]any)
	}
	if _, known := defaults[path[len(path)-1]]; known || len(defaults) == 0 {
		return nil, false
	}
	for name := range defaults {
		keys = append(keys, name)
	}
	slices.Sort(keys)
	return keys, true
}

// switchesJob tells whether a path may lead to the switch of a job. The library makes their names of those of the jobs
// that others wait for, which may be named in any text.
func switchesJob(path []string) bool {
	return len(path) == 2 && path[0] == "manifests" && strings.HasPrefix(path[1], "job_")
}

// hint says what was meant by a key: one beside it, or else, of one at the top, that of its name further inside.
func (k *Keys) hint(path, around []string) string {
	at, key := path[:len(path)-1], path[len(path)-1]
	meant := ""
	if near := config.Nearest(key, around); near != "" {
		meant = strings.Join(append(slices.Clone(at), near), ".")
	} else if found := inside(k.defaults, key); len(at) == 0 && found != nil {
		meant = strings.Join(found, ".")
	}
	if meant != "" {
		return "did you mean " + meant + "?"
	}
	return config.OneOf(key, around)
}

// inside finds the one map inside of maps of the values that has a name; nil where there are none or several.
func inside(defaults map[string]any, name string) []string {
	var found []string
	for key, v := range defaults {
		inner, _ := v.(map[string]any)
		if _, is := inner[name]; !is {
			continue
		}
		if found != nil {
			return nil
		}
		found = []string{key, name}
	}
	return found
}
