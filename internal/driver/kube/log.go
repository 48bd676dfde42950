package kube

import (
	"context"

	"k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/kupenstack/kupenstack-sync/internal/contain"
)

// LogLibraries makes the libraries of Kubernetes use a logger. They hold it for the whole process, and read it
// without a lock: so a process calls this once, before it makes a client of any of them. From then on a panic in one of their
// goroutines that they know of ends the process with what may be told of it: they would log its value.
func LogLibraries(logger klog.Logger) {
	klog.SetLogger(logger)
	ctrllog.SetLogger(logger)
	runtime.PanicHandlers = []func(context.Context, any){func(_ context.Context, value any) { contain.Of(value).End() }}
}
