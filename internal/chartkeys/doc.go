// Package chartkeys tells which of the values that somebody wrote for a chart nothing of it reads. Helm takes
// any key, so that a word that is spelled wrongly or put into the wrong place changes nothing, and nobody says so.
//
// A key that is refused wrongly would hold back a cloud, so one is called unknown only where all of this holds:
//
//   - The chart's own values have the map around it, with something in it, and not the key. Whatever is below an
//     empty map, a list, a text or null is free. So is what belongs to charts that the chart depends on.
//   - No template reads it: neither by its name in that map, nor by its name in a map that may be that one (as
//     below with, or of a variable), nor is its name written there as a text, as for index and hasKey. Templates
//     are those of the chart, of what it depends on, in its files and values, and in the values that were written.
//   - No template hands on the map or one around it as a whole, as with range and toYaml, nor looks into it
//     for a name that is computed.
//   - A key that the map does have looks like it.
//
// A few maps all charts of OpenStack-Helm have, and read by the names of their keys, though they copy or list them
// as a whole: the top, conf, images, images.tags, manifests, pod and pod.replicas. There every key is unknown that
// the chart does not have and no template reads; it has to look like another one only where templates compute
// names as well, as they do in images.tags and manifests; and what begins with job_ in manifests is free, as their
// library makes such names of those of jobs that others wait for. Below conf only the first level is looked at: what is
// inside goes to programs as it is. A chart is one of them when it depends on their library.
//
// Nothing is rendered, and no value is told: only keys.
package chartkeys
