package cluster

// Annotations on a pod, or on the pod template of its owner, tell the kubelets of the bed how
// the pod behaves. The stages in stages/ read them; see doc.go for the life of a pod.
const (
	// AnnotationPrefix begins the name of every annotation that the bed reads.
	AnnotationPrefix = "testbed.kupenstack.io/"

	// AnnotationBehave makes a pod misbehave by itself; its values are the Behave constants.
	// It wins over everything else, also over a player.
	AnnotationBehave = AnnotationPrefix + "behave"
	// AnnotationReadyAfter delays the moment when the containers run: a Go duration such as
	// "3s". A played pod that has it is played no more, and advances by itself.
	AnnotationReadyAfter = AnnotationPrefix + "ready-after"

	// AnnotationInit set to InitDone completes the init containers of a played pod.
	AnnotationInit = AnnotationPrefix + "init"
	// AnnotationRun says what the containers of a played pod do once its init containers are
	// completed; its values are the Run constants.
	AnnotationRun = AnnotationPrefix + "run"
	// AnnotationRestarts is the restart count of a crash-looping pod's containers, a decimal
	// number. The status follows when it changes. Without it the count is DefaultRestarts.
	AnnotationRestarts = AnnotationPrefix + "restarts"
	// AnnotationReason is the message of the containers' waiting or terminated state.
	AnnotationReason = AnnotationPrefix + "reason"
)

// Values of AnnotationBehave.
const (
	BehaveNeverReady = "never-ready" // runs, but its readiness probe never succeeds
	BehaveCrashLoop  = "crashloop"   // waits in CrashLoopBackOff, Job pods too
	BehaveImagePull  = "image-pull"  // waits in ImagePullBackOff
	BehaveFail       = "fail"        // ends with exit code 1, phase Failed
)

// InitDone is the value of AnnotationInit.
const InitDone = "done"

// Values of AnnotationRun. From RunReady and RunCrashLoop a pod can go on to any other;
// RunCompleted and RunFailed are final, as they are for a real pod.
const (
	RunReady     = "ready"     // the containers run and are ready
	RunCompleted = "completed" // the containers ended with exit code 0, phase Succeeded
	RunCrashLoop = "crashloop" // the containers wait in CrashLoopBackOff
	RunFailed    = "failed"    // the containers ended with exit code 1, phase Failed
)

// DefaultRestarts is the restart count of a crash-looping pod without AnnotationRestarts.
const DefaultRestarts = 5

// LabelApplication marks the pods that a player plays. Every pod of an OpenStack-Helm chart
// has it.
const LabelApplication = "application"
