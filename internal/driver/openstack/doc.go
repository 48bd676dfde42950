// Package openstack observes, creates, updates and deletes objects inside OpenStack.
//
// A Driver runs one reconciler for all kinds; each kind is a small file that says how its objects
// are listed, created, changed and deleted, and where an attribute of the schema lies in the API.
// What comes in are targets whose spec is a resource, and their late values; what goes out are
// states and diffs. The driver keeps no state of its own but the connection and running uploads.
//
// How an object is found: by its id, else by our mark, else, while nothing is known of it, by the id
// that the configuration says to import, or without one by its name among the objects that nobody has
// marked. Where nothing is on record any mark counts that an object of the address can have, as it may
// have taken the place of another one, or have been moved there; objects of the wanted name with other
// marks are told of, and left alone. The mark is written by the request that creates:
//
//	network, subnet, router, security group, flavor   at the end of the description
//	port, floating IP, trunk, subnet pool, QoS policy in the same place
//	security group rule, port of a router interface   in the description
//	project                                           a tag
//	image                                             the property kupenstack_mark
//	instance                                          the metadata key kupenstack_mark
//	key pair                                          nowhere: its name and its key are all it has
//	address scope                                     nowhere: its name in its project is all it has
//	RBAC policy                                       nowhere: the right that it gives is all it has
//
// Rules of a QoS policy, sub-ports of a trunk and routes of a router bear no mark. Those that we have set are on
// record by their keys, see [schema.Nested], and only they are taken away.
//
// What a look at the cloud costs: one paged list per kind. Beyond that: one list of ports for all
// routers and instances, as neither lists its own; one list of Neutron's quotas where a project
// writes limits of Neutron; and one request for each project that writes limits of Nova, which has no
// list of them. Limits that cannot be read are a part of their project that is unseen, and of no other;
// those of a service that is not ready are not asked for until they were set once. An object with a
// known id that the list lacks is asked for once more by id before it counts as absent. Agents of Nova
// and Neutron are one list each, when somebody asks for them.
//
// Whether a service works, for the release that it is behind, is found out by one small list that it cannot make
// without its database, for Nova, Neutron and Cinder that of their agents. A service that refuses our user by its
// rules works. Keystone is asked without a login where there is none: our own user comes after it.
//
// Instances are created in the project of the token. Where that is not our user's own project, the
// driver asks for a token of that project; when our user has no role there and the project bears a
// mark of ours, it first gives our user the role "member" in it, which goes with the project.
//
// One driver serves the region of its credentials, or the only one of the catalogue; a target in
// another one is an error, not absent, and an endpoint in another one is not used.
//
// Our own user, where it is ours to make, is a target beside the resources: a user with a project of its own
// and a role there. As long as it can log in, looking at it costs nothing; when Keystone refuses it, the
// administrator's credentials, used for nothing else, find out what is missing and put it right. After a change
// nobody logs in for some seconds, as Keystone revokes the tokens of whole seconds.
//
// Credentials that Keystone refused are not tried again for 5 to 30 minutes, unless those that
// Connect returns differ; meanwhile every call fails at once.
//
// Deleting asks for the object once more and refuses what does not bear our mark. A project stays
// while it has instances, volumes, images, networks, routers, ports, floating IPs, security groups,
// subnet pools, address scopes, QoS policies or trunks, a network while it has subnets, a router while it has
// interfaces that are not ours, a port while something has it, a trunk while it has sub-ports whose ports bear
// no mark, and a floating IP while ports of it are forwarded.
//
// What the package never does: change an object that it only looks up, delete an object that does
// not bear our mark, send a creating request twice, or take an error for absence.
package openstack
