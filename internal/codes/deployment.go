package codes

// deployment are the codes of what is found when the configuration becomes units and changes.
func deployment() []area {
	return []area{
		{"confine", "What reading may cost", "Files are read and evaluated in a process of their own first, which has 256 MiB of memory and 2.5 seconds of processor time. Sensible files take a small part of that.", []Entry{
			{"confine.crash", "The process came to an end as it never should: a mistake of KupenStack, which the files brought to light. Undo what was changed last, and report the files."},
			{"confine.memory", "Reading or evaluating the files takes more memory than there is. Look at what was changed last for values that grow by each step, such as text, lists or loops made from each other."},
			{"confine.stack", "Something is nested more deeply than any sensible file. Look at what was changed last, and give parts of it names with `locals`."},
			{"confine.time", "Reading or evaluating the files takes more processor time than there is. Look at what was changed last for loops in loops, and for large texts that are searched or parsed again and again."},
		}},
		{"revision", "What else is in the repository", "What the configuration needs from the files beside it.", []Entry{
			{"revision.charts", "`repository` in `charts` or in a `chart` is a path, and the revision has no such directory. The path begins at the top of the repository, wherever the configuration is. Commit the charts there, or write the address of a repository of charts, which begins with `oci://` or `https://`, or of another Git repository, with `git+https://` or `git+ssh://`."},
			{"revision.lock", "`charts.lock.json` is no lock file of charts, or a version of it that this program does not know; the message says what is wrong. After a merge it may have two entries for a chart. Take it from an earlier commit, or from one side of the merge, and run `kupenstack-sync lock`, which adds what is missing. Without the file, that takes the newest versions of all charts that are allowed, and what tags of images are now. A file of a later version needs a newer `kupenstack-sync`."},
			{"revision.tear-down", "`kupenstack-sync destroy` was given the name of another cloud than the configuration describes. Look at `--repo` and `--path`. Nothing was taken away."},
			{"revision.untrusted", "`--verify` lists whose commits are applied, and the newest is not signed by any of them; with `--verify-history`, one is not that led to it since the commit in force. The message says which and why. The last good revision stays in force. Have somebody who is listed sign a commit on top of it, or add the signer to the list, which is read again at each poll. `kupenstack-sync plan` shows what such a commit would change, and warns."},
		}},
		{"compose", "What can be deployed", "What the configuration asks for and no chart, image or dependency can give.", []Entry{
			{"compose.credentials", "A password or user is written for one chart and not for another that has to have the same, so that they could not log in. Write it in all places that the message names, or in none: then it is generated."},
			{"compose.cycle", "Units wait for each other, so that none of them could ever begin. The message shows the circle; it goes through a `depends_on` of yours. Take that away."},
			{"compose.device", "A node with the role `compute` or `network` has no device for a `physical_network`, two of them, or one that is another network's as well; or a device is one that `conf` or `values` of a service name for tunnels and the like, which it would lose its addresses for. Write `labels` of nodes and `devices` so that each node has exactly one entry, or another device."},
			{"compose.duplicate", "Two blocks would make the same object of Kubernetes, or the same Helm release, or one that KupenStack makes itself; each would undo what the other does. Or a manifest has what no manifest can have: a node, or a record of KupenStack or Helm. Keep one of them, or give it another name or namespace."},
			{"compose.images", "A warning: no images of a service are known for the release of the cloud, so it gets those of its chart, which may be of another release. Write others in `images = { … }` of its block, for all that the warning names, or take the service out until the cloud has a later release."},
			{"compose.invalid-value", "The `conf` or `values` of a service cannot be given to a chart, or a resource is of a kind that does not exist. The message says what is in the way."},
			{"compose.missing-node", "A resource waits for a node with `depends_on`, and that node takes no part, as it has `disabled = true`. Enable it, or take the dependency away."},
			{"compose.missing-service", "A service or resource needs a service that the cloud does not deploy, or that has `enabled = false`. Write a `service` block for it, or enable it."},
			{"compose.no-charts", "A `chart` block does not say where its chart is, and the cloud has no `charts` block whose repository it could be in. Write `repository` in one of them."},
			{"compose.no-openstack", "There are resources and no way to reach the OpenStack that they belong to: the cloud does not deploy Keystone, where it would log in with a user of its own. Write an `openstack` block in the cloud, or give `--os-cloud`."},
			{"compose.node-configuration", "A service is configured for single nodes, and its chart cannot do that, or not for so many profiles, or these nodes run nothing of the service that it would be for. Move the setting to the cloud or its default profile, join profiles, or give the nodes the role that the message names."},
			{"compose.node-label", "`labels` of a `node` has a label that says which roles or profile it has, or one that Kubernetes (`kubernetes.io/hostname`, `node.kubernetes.io/instance-type` and their like) or KupenStack sets itself. Write `roles` or `profile`, or another key."},
			{"compose.node-status", "The configuration of a service is larger than what the `OpenstackNode` of each node shows, or what a profile sets larger than what its `OpenStackCloudConfigurationProfile` does: 256 KiB each, and 8 MiB for all of a kind together. This is a warning: the configuration holds all the same, and the report has a page for each node."},
			{"compose.profile-name", "Nodes are labelled with the names of their profiles, and this name cannot be the value of a label in Kubernetes. Rename the profile."},
			{"compose.release-name", "A `chart` block has a label that cannot be the name of a Helm release, or a `name` that is too long for one. Write `name` with lower case letters, digits and dashes, of at most 53 characters."},
			{"compose.slot", "A profile that single nodes have sets something for them, and has no `slot`, by which charts choose these nodes. Write the one that the message names. The others stay as they are: their pods go on."},
			{"compose.trust", "The cloud has a `tls` block, and a service whose chart has no place for the authority that signs the certificates, so that it could not talk to the APIs. Take the service out, or the block."},
			{"compose.unknown-release", "No images are known of this release of OpenStack. The message lists those that can be deployed."},
			{"compose.unlocked-chart", "A chart comes from a repository, and `charts.lock.json` does not say which version was chosen. Nothing is deployed that may be something else tomorrow. Run `kupenstack-sync lock` where the configuration is, and commit the file. It is needed again when `repository` or `version` of `charts` or of a `chart` change, or a service or `chart` is added. It is also told of a cloud with `lock = true` in `images` whose `charts.lock.json` has no images, or none of the program of a service. A warning tells of images that somebody wrote and the file has not: what runs them is refused."},
			{"compose.version", "A version is written for a service whose images have no versions to choose from. Write the images themselves, by their names in the chart: `images = { … }`."},
		}},
		{"chart", "What charts take", "What charts say against what is written for them.", []Entry{
			{"chart.unknown-key", "A key in `conf`, `images` or `values` of a service, or in `values` of a `chart` block, is read by nothing of its chart, so that it would change nothing: it is spelled wrongly, or stands in the wrong place. The message says what was probably meant. `validate` tells it for charts that it needs no server for, and otherwise `plan`, as what a release is blocked by. Of programs' own settings below `conf` nobody knows the keys."},
		}},
		{"plan", "What may be changed", "Why a plan as a whole is refused. Nothing of it is applied.", []Entry{
			{"plan.empty-configuration", "The configuration asks for nothing, though there are things that it asked for before. Nothing is deleted for that. Check `--path` and the last merge; what is really to go is taken out block by block."},
			{"plan.immutable", "The name, namespace, region or a backend of a cloud that is deployed would change, or storage_size or storage of a service of it, a pool of Ceph that one keeps data in, or what a `backend` of cinder has its volumes in, and these are fixed. Put the old value back; another backend can be written beside one that is there. A cloud with other ones is another cloud."},
			{"plan.no-record", "The cloud is deployed, and the record of its name, release, region, namespace and backends is lost, so that nobody can tell whether the configuration changes one of them. Restore the Secret `kupenstack-inventory-deployment`, or put back the configuration that was applied last: the record is written anew by that, and other changes can follow."},
			{"plan.release-change", "The release of OpenStack changes while the cloud is running, and upgrades from one to the next do not exist yet. Put the old value back."},
			{"plan.too-late", "`clean_up` names something that was not taken away with its service, and the service is uninstalled already: nobody would do it. Take the name out, and away by hand what is there; or enable the service again, and disable it once it is ready, with `clean_up` in the same commit."},
		}},
	}
}
