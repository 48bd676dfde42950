package openstack

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// hide takes what is sensitive of a wanted object out of texts about what was found, in place: that may have the same name,
// or whatever else it was searched by.
func hide(t unit.Target, want cty.Value, texts ...*string) {
	r := resource(t)
	if r == nil {
		return
	}
	if want == cty.NilVal {
		want = r.Desired
	}
	var masker *redact.Masker // which most texts have no need of
	for _, text := range texts {
		switch {
		case *text == "":
			continue
		case masker == nil:
			secrets := hiddenOf(r, want)
			if len(secrets) == 0 {
				return
			}
			masker = redact.NewMasker()
			masker.Add(secrets...)
		}
		*text = masker.Text(*text).String()
	}
}

// hiddenOf are the texts of a wanted object that nobody may see, be that by the schema or by the configuration.
func hiddenOf(r *unit.Resource, want cty.Value) []redact.Secret {
	var secrets []redact.Secret
	for _, name := range names(r.Block) {
		v := attribute(want, name)
		if v == cty.NilVal {
			continue
		}
		a := r.Block.Attribute(name)
		_ = cty.Walk(v, func(_ cty.Path, inner cty.Value) (bool, error) {
			if !inner.IsMarked() && (a == nil || !a.Sensitive) {
				return true, nil
			}
			for _, text := range textsIn(inner) {
				secrets = append(secrets, redact.NewSecret(text))
			}
			return false, nil
		}) // the function returns no error
	}
	return secrets
}
