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
// Charts of OpenStack-Helm, which are those that depend on its library, are known better:
//
//   - Of the library's templates only those count that the chart's own, or texts in its files and values, lead to by name, themselves
//     or through other ones. A name that is put together leads to all that it may be the beginning of.
//   - The library copies all values for groups of nodes, and reads the copies as it reads these. So that the values
//     are handed on from the top leaves nothing in them free.
//   - At the top, what templates have as a word for something else is not read: nearly all words that are usual in other
//     charts they do. There a key is read where templates lead to it by the name Values, or through variables that hold the
//     values or copies of them; and only where the values are handed on as a whole to where they cannot be followed, as in
//     other maps.
//   - A few maps all of these charts have, and read by the names of their keys, though they copy or list them as a
//     whole: the top, conf, images, images.tags, manifests, pod and pod.replicas. Of the rules above the first two
//     hold there, and the last where templates look into that very map for a computed name, as they do in images.tags
//     and manifests.
//   - All of them write endpoints and pod.resources alike. Of the rules above the third does not hold there, apart from
//     the names of users (below auth of an endpoint): what looks like a key that the map has, and is none that another
//     endpoint has there, is meant to be that.
//   - A map at the top is not handed on by what has its name somewhere else, as with the dependency on a pod.
//   - What is below pod.tolerations, pod.security_context, pod.probes and pod.affinity the library's templates put into pods, where
//     the chart leads to them, and what is below pod.lifecycle into what makes pods. There the first rule and the last do not hold, nor
//     the third where Kubernetes gets the map as it is: the keys are those of its types, in lists as well, and around these those that
//     the library reads, unless templates of the chart itself hand on the map or look into it for a computed name.
//   - What is inside of a key of conf is not looked at. Nor is what begins with job_ in manifests, as the library makes
//     such names of those of jobs that others wait for.
//
// Of a chart that takes values out of one that it depends on, or has a template that cannot be read, nothing is unknown.
//
// All this is [Keys.Unknown], which renders nothing. [Keys.Idle] has charts of OpenStack-Helm rendered by its caller for keys of which
// nobody knows by their names, and tells those that change nothing: names of components, services and users, and what is inside of
// conf and not written out whole.
//
// No value is told: only keys.
package chartkeys
