package unit

import (
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
)

// KindSmokeTest is the kind of locator of a test of the whole cloud.
const KindSmokeTest = "smoke_test"

// SmokeTest is a test that runs once for each state of the control plane: an instance starts, and a volume is
// attached to it twice. What it makes for that it takes away again.
type SmokeTest struct {
	// ControlPlane changes with the releases of the services.
	ControlPlane string
	Region       string
	// Image, Flavor, Network and Project are what the instance is made from, by the names that [SmokeTest.Desired] has
	// for them. What is not written is missing.
	Choices map[string]Choice
	// Volume tells whether there is a volume; nil where that depends on whether the cloud has a service for them.
	Volume *bool
	// Retry has the test run again when it is another text.
	Retry string
}

// The names of what a test is made from.
const (
	TestImage   = "image"
	TestFlavor  = "flavor"
	TestNetwork = "network"
	TestProject = "project"
)

// Choice is an object that a test uses: the id of one, or another unit that has it.
type Choice struct {
	ID   string
	From *addr.Object `json:",omitempty"`
}

// Driver returns [OpenStack].
func (*SmokeTest) Driver() DriverName { return OpenStack }

// Locator tells the region.
func (s *SmokeTest) Locator() Locator {
	return Locator{Driver: OpenStack, Kind: KindSmokeTest, Region: s.Region}
}

// Digest covers everything, but not the ids that other units decide.
func (s *SmokeTest) Digest() string { return digest(s) }

// Desired returns the ids of what the test is made from, with the outputs of other units as far as they are known. What is
// not written is null.
func (s *SmokeTest) Desired(outputs map[addr.Object]cty.Value) cty.Value {
	all := map[string]cty.Value{}
	for _, name := range []string{TestImage, TestFlavor, TestNetwork, TestProject} {
		choice, written := s.Choices[name]
		switch {
		case !written:
			all[name] = cty.NullVal(cty.String)
		case choice.From == nil:
			all[name] = cty.StringVal(choice.ID)
		default:
			all[name] = IDIn(outputs[*choice.From])
		}
	}
	return cty.ObjectVal(all)
}

// Uses returns the units that the test takes its objects from, in order.
func (s *SmokeTest) Uses() []addr.Object {
	var used []addr.Object
	for _, name := range slices.Sorted(maps.Keys(s.Choices)) {
		if from := s.Choices[name].From; from != nil {
			used = append(used, *from)
		}
	}
	return used
}

// IDIn returns the id among the outputs of a unit, unknown until it is there.
func IDIn(outputs cty.Value) cty.Value {
	if outputs == cty.NilVal || !outputs.Type().IsObjectType() || !outputs.Type().HasAttribute("id") || outputs.IsNull() || !outputs.IsKnown() {
		return cty.UnknownVal(cty.String)
	}
	plain, _ := outputs.Unmark()
	id, _ := plain.GetAttr("id").Unmark()
	return id
}

// Run is what is on record of the runs of a test.
type Run struct {
	// Passed is the digest of the test that passed last, For that of the newest run; "" for none.
	Passed string `json:"passed,omitempty"`
	For    string `json:"for,omitempty"`
	// Step is where the run is, in the words of its driver; "" when none is under way.
	Step string `json:"step,omitempty"`
	// Since is when the step began, in seconds since 1970.
	Since int64 `json:"since,omitempty"`
	// Project, Instance and Volume are the ids of what the run has made, and of where it did.
	Project  string `json:"project,omitempty"`
	Instance string `json:"instance,omitempty"`
	Volume   string `json:"volume,omitempty"`
	// Failed counts the runs for the same digest that failed. Why says why the last one did, and Again from when on the
	// next one may begin.
	Failed int    `json:"failed,omitempty"`
	Why    string `json:"why,omitempty"`
	Again  int64  `json:"again,omitempty"`
}

// Open tells whether a run is under way, so that something of it may be there.
func (r *Run) Open() bool { return r != nil && r.Step != "" }
