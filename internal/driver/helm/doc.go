// Package helm is the driver of Helm releases, and the only package that imports Helm. It has no
// clients of Kubernetes of its own: a [Cluster] hands it all of them, the one that Helm works with
// included, so that each request of Helm's goes by the same guard.
//
// What comes in are targets with a [unit.Release]: a chart, its values, and the places in the
// values that take keys of Kubernetes Secrets. What goes out are states and diffs, and a release
// that Helm's own commands understand.
//
// Charts are files of the configuration, or come from repositories as they were locked: packed, by their digest, or
// from a commit of a Git repository, by that of their files. What was downloaded is kept on disk, and counts there
// with this digest alone.
//
// Helm only renders, patches and keeps the history. It never waits and never runs a hook, so a call
// into it takes seconds. The hooks are run by this package, one after another, as steps whose
// progress is kept in a ConfigMap beside the release: a process that is killed goes on where it
// was, and runs no hook twice. Where a release is taken away before it came to a revision, what its hooks
// made goes by that record. A release that a killed process left pending is taken over: one of ours at once,
// one of somebody else's once Helm has given no sign of life for long.
//
// What was applied last is told by labels of the release: digests of the specification, of the
// chart's files, and of the secret values (keyed, so that nobody can try out values). While they
// are as wanted nothing is rendered. An object of the release that was changed or deleted by
// somebody else is repaired under Helm's field manager, without a new revision and without hooks. That
// holds for the revision that is deployed until an upgrade has succeeded: what is wanted instead may wait,
// or fail and rest, and meanwhile everything is put back as Helm left it.
//
// A release whose objects are ready is so once the API behind it answers, where there is one that is known how to
// ask. It is asked beside the looks at releases: one look waits seconds for a first answer, and any other that is
// news wakes the unit. A good answer counts until the next look at everything, as long as the release stays as it is
// and ready. Who asks, and how, is no matter of this package.
//
// What controllers write is theirs, such as the replicas of what is scaled: repairs, upgrades and returns carry the
// live value, while the stored revision has that of the chart. What the configuration leaves to others as well is
// not repaired.
//
// Pods of DaemonSets that instances need are replaced by this package, where the chart was told OnDelete: those of
// one node after another, each once all that were replaced before are ready and the agents of OpenStack on their
// nodes are up. What does not come up on one node does not reach the next, and what works meanwhile serves others.
// DaemonSets for nodes of no group keep their names when there is a further group, whatever the chart calls them then.
//
// Steps of an upgrade that fail, and hooks that are not done in time, are on record in the same ConfigMap, and only so many are tried: then the upgrade is
// given up until another input comes. Where it is asked for, the release goes back to the last revision that was
// complete, unless a hook may have changed the schema of a database, or a StatefulSet has another image. That it
// goes back is recorded before anything is done, and the new revision says by a label which input it stands in
// for, so a process that is killed goes on, and nothing is tried twice.
//
// What a release has made in other services goes with it where that is asked for, by Jobs of package cleanup, which
// are run as its hooks are. Before the first of them the release is marked as one that is being uninstalled, so that
// one that is wanted again is installed from the beginning. Claims to volumes, and Secrets with keys that its hooks
// have made to outlive it, go with it where they are on record as doing so, once its objects are gone and before its history goes, or by [Driver.DeleteData].
//
// Keys of the values that somebody wrote and nothing of the chart reads block a release before anything is changed
// (see package chartkeys), or that change nothing of what it is rendered to without a cluster. That is looked at once for
// each new specification or chart: a revision that was made with such keys already stays in force.
//
// A secret value that changes alone is reported and not rolled out: to rotate it takes more than a
// revision, as databases and brokers know the old one. The release keeps the values that it was
// made with until its specification changes.
//
// The package never deletes a CustomResourceDefinition or a Namespace, and a PersistentVolumeClaim or an object with
// Helm's policy "keep" only where the UID of that very one is named: by the record of what goes with its release,
// or to [Driver.DeleteData]. It reads no home directory, and puts no secret into an error, a
// message or a diff.
package helm
