// Package openstack observes, creates, updates and deletes objects inside OpenStack.
//
// A Driver runs one reconciler for all kinds; each kind is a small file that says how its objects
// are listed, created, changed and deleted, and where an attribute of the schema lies in the API.
// What comes in are targets whose spec is a resource, and their late values; what goes out are
// states and diffs. The driver keeps no state of its own but the connection and running uploads.
//
// How an object is found: by its id, else by our mark, else, while nothing is known of it, by the id
// that the configuration says to import, or as the only one that has what it says of that, or without either by its
// name among the objects that nobody has marked. Where nothing is on record any mark counts that an object of the address can have, as it may
// have taken the place of another one, or have been moved there; objects of the wanted name with other
// marks are told of, and left alone. The mark is written by the request that creates:
//
//	network, subnet, router, security group, flavor   at the end of the description
//	port, floating IP, trunk, subnet pool, QoS policy at the end of the description
//	volume type                                       at the end of the description
//	domain, role, group, user, region                 at the end of the description
//	registered limit, limit, application credential          at the end of the description
//	identity service                                  at the end of the description
//	security group rule, port of a router interface   in the description
//	project                                           a tag
//	identity endpoint                                 the attribute kupenstack_mark
//	image                                             the property kupenstack_mark
//	instance, volume, snapshot                        the metadata key kupenstack_mark
//	host aggregate                                    the metadata key kupenstack_mark, by a second request
//	key pair                                          nowhere: its name and its key are all it has, and its Secret one that was generated
//	server group                                      nowhere: its name and its policy are all it has
//	address scope                                     nowhere: its name in its project is all it has
//	volume QoS                                        nowhere: its name is all it has
//	role assignment, volume attachment                nowhere: it is what it connects
//	RBAC policy                                       nowhere: the right that it gives is all it has
//
// A creating request that ends without an answer, or with one of who stopped waiting for it, may be carried out all the same,
// and so may one of a process before of which nothing is on record but that it was begun. Then the next one is sent only
// half a minute later, after one more look. What is not wanted any more by then is forgotten no sooner either, unless its kind
// bears no mark: the record of it is all that tells to whom what comes late belongs.
//
// Objects without a name, which are endpoints, role assignments and attachments, are found by what they connect in
// place of a name; of those that bear no mark, what they connect is in the intent. Where the creating request takes no
// mark and others may have the same name, the intent has the ids
// of what had the name before. When the answer is lost, the one object that has come since and could have been created
// as what is wanted is ours; of several nobody can tell which, and that is told.
//
// What bears the mark of something on record and has another id, is told as a notice, and is never touched: a service may
// carry out a creating request long after it was given up. Of kinds without marks nobody can tell that.
//
// What is made here and no service tells, such as the private key of a pair that is generated and the secret of an application
// credential, is kept in a Secret of
// the cluster, see [Keeper]. The Secret comes first and goes last, and bears the mark. It is never made anew while the
// object is there: that waits for a person. As a watch has it, it costs nothing to look at.
//
// Hosts of an aggregate that are chosen by the labels of nodes are wanted, shown and on record by the names of their
// nodes. Who makes the target knows which nodes have the labels; the driver knows which host is on which node.
//
// Rules of a QoS policy, sub-ports of a trunk and routes of a router bear no mark. Those that we have set are on
// record by their keys, see [schema.Nested], and only they are taken away.
//
// What a look at the cloud costs: one paged list per kind. Where that has more than one page, and all that is looked at are
// a few that are on record, or looked up by name or id, these are asked for by filters in place of the other pages, see
// [seeker]; of what is read besides, only what can be meant is kept. Beyond that: one list of ports for all
// routers and instances, as neither lists its own; one list of Neutron's quotas where a project
// writes limits of Neutron, and one request for the limits of all that it lacks; one list of server groups where an instance writes one; one list of volumes where an instance
// writes one that it runs from, or others; one list of ports and one of networks where a sub-port of a trunk inherits its tag; one list of Nova's services where
// the hosts of an aggregate are chosen by the labels of nodes; one request for each
// flavor and volume type that is not public, and each image that is shared, and writes who can use it, or wrote it, as no
// list says that; one for each project that writes limits of Nova, which has no list of them, and for each that volume types write limits for;
// one for each instance, volume and snapshot that has failed, unless the list says why, once for each failure that is a minute old;
// and one for each group that users write, or wrote, or for each such user where these are fewer, as Keystone has no list of
// all. Of what is looked up, these are asked for only where the configuration refers to them. What costs a request for each of many is asked for several at a time, as kinds are. Images are two lists, as Glance has the hidden ones apart. Users and groups cost one list of domains and one list for each domain that seems to
// have none, as a Keystone whose domains have backends of their own shows those of our own domain only.
// Limits of unified limits, be they of one project or of a domain, are asked for with a token of the system as a whole,
// in which our user needs a role. Limits that cannot be read are a part of their project that is unseen, and of no other; those of a
// service that is not ready are not asked for until they were set once. An object with a
// known id that the list lacks is asked for once more by id before it counts as absent. Agents of Nova
// and Neutron are one list each, when somebody asks for them.
//
// Whether a service works, for the release that it is behind, is found out by one small list that it cannot make
// without its database, for Nova, Neutron and Cinder that of their agents. An agent that pods run on a node is missed until it
// has reported from there once; in which pods those are, who asks knows. A service that refuses our user by its
// rules works. Keystone is asked without a login where there is none: our own user comes after it.
//
// Instances are created in the project of the token. Where that is not our user's own project, the
// driver asks for a token of that project; when our user has no role there and the project bears a
// mark of ours, it first gives our user the role "member" in it, which goes with the project.
//
// What is missing in a list counts as absent only where our user is shown all that there is: what is in the session's
// own project, or anything as long as it has the role "admin", for which Keystone is asked once more whenever a project, a
// flavor, a volume type or something in another project was not found. Else it is unknown; and so are ports where an
// instance or router in another project seems to have none, and instances that may have been created, while a cell of
// Nova does not answer. A user without that role looks for what is in another project by a session there, one list per
// kind and project, and needs a role in it. So the project is on record before an object is created, and that of its
// volume for an attachment: what is not wanted any more is looked for there.
//
// One driver serves the region of its credentials, or the only one of the catalogue; a target in
// another one is an error, not absent, and an endpoint in another one is not used.
//
// An instance is resized in three steps: the metadata key kupenstack_resize says which flavor we are about to ask for,
// Nova is asked and moves the instance, and what it has moved is confirmed. Then the key goes. Only while it is there, Nova
// is also asked for the actions of that instance: whether it confirms already, or why it gave the resize up. A resize
// without the key, or to another flavor, is somebody else's.
//
// A port that Nova makes in a network for an instance that is there already is asked for once: the metadata key kupenstack_plug
// says since when, and goes once the answer is there. As long as it is younger than a minute and a half, or Nova is at it
// by its actions, no other one is asked for. What is noted of a network that was taken out meanwhile stays for as long.
// An interface is detached by its port's id, which no second request does harm to: of networks only those that look as Nova
// makes them, and no more of a network than are on record of the block; no other one as long as Nova is at one.
//
// Our own user, where it is ours to make, is a target beside the resources: a user with a project of its own
// and a role there. As long as it can log in, looking at it costs nothing; when Keystone refuses it, the
// administrator's credentials, used for nothing else, find out what is missing and put it right. After a change
// nobody logs in for some seconds, as Keystone revokes the tokens of whole seconds.
//
// The test of the whole cloud is a target, too. A run of it goes on by what the inventory has on record and by two short
// lists of instances and volumes of one name, which bear the mark in their metadata. Without a run under way it costs
// nothing.
//
// Credentials that Keystone refused are not tried again for 5 to 30 minutes, unless those that
// Connect returns differ; meanwhile every call fails at once.
//
// What is created in the project of a token takes a session there. Our user gives itself the role for that in a project
// of ours where it has none; [Driver.TakeBack] takes it back. What is on record of that, which is written before, is all
// that tells such a role from those that others gave.
//
// Deleting asks for the object once more and refuses what does not bear our mark. A project stays
// while it has instances, server groups, volumes, snapshots, backups, images, networks, subnets, routers, ports, floating
// IPs, security groups, subnet pools, address scopes and groups, QoS and RBAC policies or trunks, or where the cloud has these services shares, zones, load balancers or clusters, a network while it has subnets, a router while it has
// interfaces that are not ours, a port while something has it, a security group or QoS policy while it has rules that others have added, a trunk while it has sub-ports whose ports bear no mark,
// and a floating IP while ports of it are forwarded. What Neutron itself keeps because of ports (networks, subnets and security groups),
// and a port because of a trunk, is asked for only once it has refused: those of others are named then, and nothing is tried again. A domain stays
// while it has projects, users, groups, roles or identity providers, a role while somebody has it, a group while it has users or roles,
// a user while it has roles that are not ours,
// an assignment while our own user has the role by it,
// a service of the catalogue while it has endpoints, and a region while it has endpoints or regions below it. A volume
// stays while it has snapshots or is attached, a volume QoS while volume types have it, and a host aggregate while it has hosts that others have added.
// Before an instance goes, Nova is told to keep the volumes that it would take along, except those that it made for it:
// as long as that cannot be done the instance stays.
//
// # Adding a kind
//
// A kind is one block of the schema, one file here, and one line in [kinds], which is the only list of them: without a
// variable of the package or an init nothing else can know that the file is there. The block, which one of the lists that
// schema.New puts together has to name, says which service keeps the objects (API), what tells them apart, what a change of each
// attribute takes, and what an object takes of the quota of its project (Quota); plans, compositions, exports and the reference
// go by it. The file has the methods of [kind], and those of the other interfaces in kind.go and beside what asks
// for them, as far as they are true of the kind. What its API does in another way than most it says itself:
//
//   - in a [call]: the key of a list or object, "" being the answer itself; which key has the ids, and whether pages follow
//     links, begin behind an object or at a number; headers; a body that is no JSON; answers that say nothing. What comes
//     back beside a body, such as headers, is in the [reply] of [session.send].
//   - by [served]: a service that is not in [services], with its types in the catalogue, its version, and how it is asked
//     whether it works.
//   - by [walled]: that nobody is shown what is in a project without a role there. Such objects are looked for by a session
//     in each of their projects; where our user has no role, nothing was made yet, and it gets one as it makes something.
//   - by [inhabiting]: what of the kind keeps a project.
//   - by [limiting]: where its service keeps limits of projects that the block names (Keeps).
//   - by a [unit.RetryError]: that a refusal passes by itself.
//   - by [scattered]: that lists leave out what is in a part of the service that does not answer; by [lodging]: that
//     its objects are in no project that they name; by [granting]: that they are roles of somebody.
//
// Who reads the schema makes it once, at the top of a program, and gives it to the driver in [Options]; a driver can be given
// kinds beside those that are listed, whose blocks that schema has. TestKindsToCome leads load balancers, zones, secrets, stacks,
// containers and shares through their lives so, each as a block and a file of its own, against services that are played.
// TestBedKindToCome and TestBedKindToComeOfCinder lead address groups of a real Neutron, and group types of a real Cinder, through the
// whole program: see the package schema. An export has what is in our user's own project of kinds that are walled.
//
// What the package never does: change an object that it only looks up, delete an object that does
// not bear our mark, send a creating request twice, or take an error for absence.
package openstack
