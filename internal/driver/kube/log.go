package kube

import (
	"k8s.io/klog/v2"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"
)

// LogLibraries makes the libraries of Kubernetes use a logger. They hold it for the whole process, and read it
// without a lock: so a process calls this once, before it makes a client of any of them.
func LogLibraries(logger klog.Logger) {
	klog.SetLogger(logger)
	ctrllog.SetLogger(logger)
}
