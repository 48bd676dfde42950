package unit

// LabelReadable on a Secret, with the value "true", says that configurations may refer to it.
const LabelReadable = "kupenstack.io/readable"

// Copied is a Secret with one value of a Secret in another namespace, for pods, which reach none there. It follows that
// value, and stays when nothing of the configuration wants it any more: pods that run need it to start again.
type Copied struct {
	Namespace string
	Name      string
	Key       string
	Labels    map[string]string `json:",omitempty"`
	Source    CopySource
}

// CopySource is where the value is. A Secret of another type is somebody else's, and nothing of it is taken.
type CopySource struct{ Namespace, Name, Key, Type string }

// Driver returns [Kubernetes].
func (*Copied) Driver() DriverName { return Kubernetes }

// Locator names the Secret.
func (c *Copied) Locator() Locator {
	return Locator{Driver: Kubernetes, Kind: KindFilled, Namespace: c.Namespace, Name: c.Name, Keep: true}
}

// Digest covers all but the value.
func (c *Copied) Digest() string { return digest(c) }
