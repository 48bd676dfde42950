package engine

import (
	"context"
	"fmt"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// Secrets reads keys of Kubernetes Secrets that the configuration refers to.
type Secrets interface {
	// Opted returns the value of a key. The error is a [unit.BlockedError] when there is no such
	// Secret or key, or when the Secret does not say that it may be read; a [unit.RetryError] in it
	// says when to look again.
	Opted(ctx context.Context, namespace, name, key string) (redact.Secret, error)
}

// madeFromSecrets are the targets that [Engine.withSecrets] is for.
func madeFromSecrets(targets []unit.Target) []unit.Target {
	var made []unit.Target
	for i := range targets {
		if resource, ok := targets[i].Spec.(*unit.Resource); ok && len(resource.Secrets) > 0 {
			made = append(made, targets[i])
		}
	}
	return made
}

// withSecrets adds what units are made from to their states. Where the cluster does not answer, the
// unit could not be observed.
func (e *Engine) withSecrets(ctx context.Context, targets []unit.Target, states map[addr.Object]unit.State) map[addr.Object]unit.State {
	type answer struct {
		value redact.Secret
		err   error
	}
	known := map[model.SecretRef]answer{}
	for _, t := range targets {
		state := states[t.Address]
		if state.Existence == unit.Unknown {
			continue
		}
		state.Secrets, state.Withheld = map[model.SecretRef]redact.Secret{}, ""
		for _, ref := range t.Spec.(*unit.Resource).Secrets {
			found, asked := known[ref]
			if !asked {
				if e.Secrets == nil {
					found.err = unit.Blocked("there is no way to read " + ref.String())
				} else {
					found.value, found.err = e.Secrets.Opted(ctx, ref.Namespace, ref.Name, ref.Key)
				}
				known[ref] = found
			}
			switch {
			case found.err == nil:
				state.Secrets[ref] = found.value
			case !unit.IsBlocked(found.err):
				state = unit.State{Message: fmt.Sprintf("read %s: %v", ref, found.err)}
			case state.Withheld == "":
				state.Withheld = found.err.Error()
				if after := unit.RetryAfter(found.err); state.After == 0 || after < state.After {
					state.After = after
				}
			}
			if state.Existence == unit.Unknown {
				break
			}
		}
		states[t.Address] = state
	}
	return states
}
