package openstack

import (
	"fmt"
	"strings"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// The steps of a run, as they are on record. A step that asks for something is followed by one that waits for it.
const (
	stepBoot        = "boot"
	stepVolume      = "volume"
	stepAttach      = "attach"
	stepAttaching   = "attaching"
	stepDetach      = "detach"
	stepDetaching   = "detaching"
	stepReattach    = "attach-again"
	stepReattaching = "attaching-again"
	stepRedetach    = "detach-again"
	stepRedetaching = "detaching-again"

	// The ends of a run: all that it has made is deleted, whatever became of it.
	stepPassed  = "passed"
	stepFailed  = "failed"
	stepStopped = "stopped" // what it was for is not wanted any more
)

// stepLimit is how long a step may take.
const stepLimit = 10 * time.Minute

// about says for people what a step does.
func about(step string) string {
	switch step {
	case stepBoot:
		return "an instance is being started"
	case stepVolume:
		return "a volume is being made"
	case stepAttach, stepAttaching:
		return "the volume is being attached"
	case stepDetach, stepDetaching:
		return "the volume is being detached"
	case stepReattach, stepReattaching:
		return "the volume is being attached for the second time"
	case stepRedetach, stepRedetaching:
		return "the volume is being detached for the second time"
	case stepPassed:
		return "all went well"
	default:
		return "the test is stopped"
	}
}

// action is a request that changes something.
type action int

const (
	actNone action = iota
	actBoot
	actVolume
	actAttach
	actDetach
	actDeleteServer
	actDeleteVolume
	actFinish // needs no request: nothing is left
)

// move is what comes next in a run. One without an act and without another step waits.
type move struct {
	act     action
	to      string // the step that comes then; "" for the same
	failure string // why the run fails by going there
	message string
	ends    bool // it only takes away what the run has made
	stuck   bool // it needs a person
}

// things are what there is of a run.
type things struct {
	server, volume map[string]any // nil for none
	volumes        bool           // the cloud has a service for them
}

func (f things) empty() bool { return f.server == nil && f.volume == nil }

// next decides what comes next in a run that is under way. It is pure.
func next(t unit.Target, run unit.Run, f things, now time.Time) move {
	test := smokeTest(t)
	late := now.Sub(time.Unix(run.Since, 0)) > stepLimit
	switch run.Step {
	case stepPassed, stepFailed, stepStopped:
		m := cleanUp(f, late)
		became := about(run.Step)
		if run.Step == stepFailed {
			became = run.Why
		}
		m.ends, m.message = true, became+"; "+m.message
		return m
	}
	if test == nil || run.For != test.Digest() {
		return move{to: stepStopped, message: about(stepStopped), ends: true}
	}
	m := forward(test, run, f)
	m.message = about(run.Step)
	if why := broken(run, f); why != "" {
		m.failure = why
	} else if m.failure == "" && late && (m.act != actNone || m.to == "") {
		m.failure = fmt.Sprintf("it was not done after %s; %s", stepLimit, f.says())
	}
	if m.failure != "" {
		return move{to: stepFailed, failure: about(run.Step) + ": " + m.failure, message: m.message, ends: true}
	}
	return m
}

// broken says what ends a run at any step.
func broken(run unit.Run, f things) string {
	server, volume := textAt(f.server, "status"), textAt(f.volume, "status")
	switch {
	case run.Instance != "" && f.server == nil, going(f.server):
		return "somebody has deleted the instance"
	case run.Volume != "" && f.volume == nil, volume == "deleting":
		return "somebody has deleted the volume"
	case server == statusError:
		return "Nova says that the instance is in the state ERROR: " + first(faultIn(f.server), "it does not say why")
	case strings.HasPrefix(volume, "error"):
		return "Cinder says that the volume is in the state " + volume
	}
	return ""
}

// says tells what Nova and Cinder say of what there is.
func (f things) says() string {
	text := "Nova says that the instance is in the state " + first(textAt(f.server, "status"), "unknown")
	if f.volume != nil {
		text += ", and Cinder that the volume is in the state " + textAt(f.volume, "status")
	}
	return text
}

// going tells whether a server is being deleted.
func going(server map[string]any) bool {
	status := textAt(server, "status")
	return textAt(server, keyTask) == "deleting" || status == "DELETED" || status == "SOFT_DELETED"
}

// forward is what comes next as long as all goes well.
func forward(test *unit.SmokeTest, run unit.Run, f things) move {
	volume := textAt(f.volume, "status")
	free, inUse := volume == "available", volume == "in-use"
	switch run.Step {
	case stepBoot:
		switch {
		case f.server == nil:
			return move{act: actBoot}
		case textAt(f.server, "status") != "ACTIVE":
			return move{}
		case test.Volume != nil && !*test.Volume, test.Volume == nil && !f.volumes:
			return move{to: stepPassed}
		}
		return move{to: stepVolume}
	case stepVolume:
		switch {
		case f.volume == nil:
			return move{act: actVolume}
		case free:
			return move{to: stepAttach}
		}
		return move{}
	case stepAttach, stepReattach:
		if free {
			return move{act: actAttach, to: map[string]string{stepAttach: stepAttaching, stepReattach: stepReattaching}[run.Step]}
		}
		return move{to: map[string]string{stepAttach: stepAttaching, stepReattach: stepReattaching}[run.Step]} // it was asked for
	case stepAttaching, stepReattaching:
		switch {
		case inUse:
			return move{to: map[string]string{stepAttaching: stepDetach, stepReattaching: stepRedetach}[run.Step]}
		case free:
			return move{failure: "Nova did not attach the volume, which is in the state available again"}
		}
		return move{}
	case stepDetach, stepRedetach:
		if inUse {
			return move{act: actDetach, to: map[string]string{stepDetach: stepDetaching, stepRedetach: stepRedetaching}[run.Step]}
		}
		return move{to: map[string]string{stepDetach: stepDetaching, stepRedetach: stepRedetaching}[run.Step]}
	case stepDetaching, stepRedetaching:
		switch {
		case free:
			return move{to: map[string]string{stepDetaching: stepReattach, stepRedetaching: stepPassed}[run.Step]}
		case inUse:
			return move{failure: "Nova did not detach the volume, which is in the state in-use again"}
		}
		return move{}
	default: // a step of a program that we do not know
		return move{to: stepStopped, ends: true}
	}
}

// cleanUp is what comes next at the end of a run. The volume goes once nothing has it attached.
func cleanUp(f things, late bool) move {
	const server, disk = "the instance of the test is being deleted", "the volume of the test is being deleted"
	volume := textAt(f.volume, "status")
	wait := move{message: disk}
	if f.server != nil {
		wait.message = server
	}
	if late {
		wait = move{stuck: true, message: "what the test has made is not deleted after " + stepLimit.String() + ", see the logs of Nova and Cinder; " + f.says()}
	}
	switch {
	case f.server != nil && !going(f.server):
		return move{act: actDeleteServer, message: server}
	case f.server != nil:
		return wait
	case volume == "available" || volume == "error":
		return move{act: actDeleteVolume, message: disk}
	case f.volume != nil && strings.HasPrefix(volume, "error"):
		return move{stuck: true, message: "the volume of the test cannot be deleted: Cinder says that it is in the state " + volume + ", so it has to be looked at by hand"}
	case f.volume != nil:
		return wait
	}
	return move{act: actFinish, message: "what the test has made is gone"}
}
