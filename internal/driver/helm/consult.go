package helm

import (
	"context"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// states sums views up, and asks the APIs behind those releases that are ready by their objects.
func (d *Driver) states(ctx context.Context, views []*view) []unit.State {
	states := make([]unit.State, 0, len(views))
	var pending []<-chan struct{}
	for _, v := range views {
		state := d.state(ctx, v)
		if api := d.apiOf(v); api != nil {
			if done := d.consult(ctx, v, &state, api); done != nil {
				pending = append(pending, done)
			}
		}
		states = append(states, state)
	}
	d.answers.wait(ctx, pending)
	for i, v := range views {
		if states[i].API.Reach == unit.ReachUnasked && states[i].Ready() {
			d.heed(v, &states[i])
		}
	}
	return states
}

// apiOf returns what is to be asked before a release is ready; nil for nothing.
func (d *Driver) apiOf(v *view) *unit.API {
	spec, _ := v.target.Spec.(*unit.Release)
	if spec == nil || d.options.Ask == nil {
		return nil
	}
	return spec.API
}

func (v *view) release() string { return v.namespace + "/" + v.name }

// consult asks the API if it is its turn, and returns what is closed when a first answer is there.
func (d *Driver) consult(ctx context.Context, v *view, state *unit.State, api *unit.API) <-chan struct{} {
	state.API = unit.Answer{Reach: unit.ReachUnasked}
	if !state.Ready() {
		d.answers.forget(v.release()) // what comes up again is asked again
		return nil
	}
	expected, err := d.expected(ctx, v, api.Programs)
	if err != nil {
		expected = nil // which are not known now
	}
	return d.answers.begin(v.target.Address, v.release(), v.newest.version, *api, expected, d.running(v))
}

// heed has a release wait for what its API lacks.
func (d *Driver) heed(v *view, state *unit.State) {
	answer, tooLong := d.answers.last(v.release())
	answer.Message, answer.Detail = v.masker.Text(answer.Message).String(), v.masker.Text(answer.Detail).String()
	state.API = answer
	if answer.Reach == unit.ReachAnswers {
		return
	}
	state.Health = unit.HealthProgressing
	if tooLong {
		state.Health = unit.HealthFailed
	}
	state.Message = v.name + ": " + answer.String()
	if answer.Reach == unit.ReachUnasked {
		state.Message = "its API is asked whether it works"
	}
	if len(state.Details) < maxDetails {
		state.Details = append(state.Details, state.Message)
	}
}
