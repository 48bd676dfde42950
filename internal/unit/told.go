package unit

// Told is something that happened to what is shown, which Kubernetes keeps as an Event of the object that shows it.
type Told struct {
	Ref     ObjectRef
	Warning bool   // it is nothing good
	Reason  string // a word
	Message string
}
