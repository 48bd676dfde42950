// Package player acts out the containers of OpenStack-Helm's pods on a cluster where no
// container runs. It watches pods with the label application, decides from a pod's spec, its
// environment and the names of its scripts what its containers would do, and writes the
// decision as annotations (package cluster) that the kubelets of the bed turn into status.
//
// What it knows: kubernetes-entrypoint's dependencies; MariaDB, whose root password is fixed
// when its volume is first used and whose users keep the password they were created with;
// RabbitMQ, whose administrator follows its Secret when a member starts; Keystone's users,
// which live in its database; and the jobs that work on them (db-init, db-sync, rabbit-init,
// ks-user and its kin, bootstrap). Any other container with credentials must pass with them,
// and what has none runs or completes.
//
// A container that fails is restarted with growing pauses and says why in its log; it reads its
// environment anew each time, so that a corrected Secret heals it.
//
// What databases and brokers remember is kept in annotations of their volume claims, so that it
// lives exactly as long as their data would; in clear text, because this is a test bed.
//
// In go a rest.Config and a directory for logs, nothing comes out but patches of pods and
// claims and Logs objects. It never creates or deletes workloads, never changes Secrets, and
// never touches a pod that has the annotations behave or ready-after.
package player
