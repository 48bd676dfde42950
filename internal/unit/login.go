package unit

// The kinds of locators of what logs in to OpenStack, and of Secrets that are made of others.
const (
	KindAccount = "account"
	KindFilled  = "filled"
)

// Account is the user of OpenStack that we work with ourselves, with a project of its own and a role there.
// How to log in, and as whom that is arranged, the driver knows.
type Account struct {
	User   string // its name, and that of its project
	Role   string
	Region string
}

// Driver returns [OpenStack].
func (*Account) Driver() DriverName { return OpenStack }

// Locator names the user. It goes with Keystone.
func (a *Account) Locator() Locator {
	return Locator{Driver: OpenStack, Kind: KindAccount, Name: a.User, Region: a.Region, Keep: true}
}

// Digest covers everything.
func (a *Account) Digest() string { return digest(a) }

// Filled is a Secret with a text that a value of another Secret is put into, and perhaps copies beside it.
type Filled struct {
	Namespace string // of all Secrets
	Name      string
	Key       string
	// Before and After are the text around the value, which is written as JSON has it: in quotes.
	Before, After string
	// Source and SourceKey name the other Secret and the value.
	Source, SourceKey string
	Copies            []Copy `json:",omitempty"`
}

// Copy is a key with a value of another Secret as it is. It is left out as long as that is not there, or empty.
type Copy struct{ Key, Source, SourceKey string }

// Driver returns [Kubernetes].
func (*Filled) Driver() DriverName { return Kubernetes }

// Locator names the Secret.
func (f *Filled) Locator() Locator {
	return Locator{Driver: Kubernetes, Kind: KindFilled, Namespace: f.Namespace, Name: f.Name}
}

// Digest covers all but the value.
func (f *Filled) Digest() string { return digest(f) }
