// Package cluster builds, starts and stops a real Kubernetes control plane for tests: etcd,
// kube-apiserver, kube-controller-manager, kube-scheduler, and kwok as the kubelet of every
// node. Containers do not run; their life is played by kwok from the stages in stages/.
//
// In goes a directory, and out of it comes a cluster on free ports of 127.0.0.1 that behaves
// like one with fast nodes: workloads become ready, Jobs complete, claims of the StorageClass
// "general" are bound, Services of type LoadBalancer and Ingresses get an address, container
// logs are served, and every request is in an audit log that tests can count in.
//
// # The life of a pod
//
// A pod with init containers is first Pending with its first init container running, then all
// of them are completed, then its containers run and are ready; a pod whose restartPolicy is
// not Always then completes. The annotation behave makes it never ready, crash-loop, fail to
// pull or fail, and with any other value it waits for the reason UnknownBehaviour; ready-after
// delays it. Unlike a real pod it can be told otherwise later, as
// long as its phase is not final.
//
// In a cluster started with Options.Player, pods with the label application (LabelApplication)
// wait after they were created: with init containers running, or else with containers being
// created. A player moves them with annotations: init=done completes the init containers, and
// after that run=ready, completed, crashloop or failed says what the containers do. A pod
// stays where it is when run is set before init=done. Pods with behave or ready-after are not
// played. See annotations.go for all names.
//
// # What is not there
//
// No exec, attach or port-forward, no networking, no resource usage, no cloud provider, no
// DNS. Hosts do not answer: nodes have addresses of 198.18.0.0/15 and pods of 10.244.0.0/16,
// and the API server reaches all kubelets at one port of 127.0.0.1, the nodes' InternalDNS.
// The package never touches anything outside its directory and the loopback interface.
package cluster
