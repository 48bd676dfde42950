package resolve

import (
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// tls reads which APIs speak TLS inside of the cluster.
func (r *resolver) tls(b *config.Block) *model.TLS {
	t := &model.TLS{Services: r.list(b, "services"), Range: b.Range, Ranges: ranges(b)}
	if a := b.Attribute("services"); a != nil && t.Services == nil {
		if v, ok := r.shown(a); ok && !v.IsNull() {
			t.Services = []string{} // written, and empty
		}
	}
	slices.Sort(t.Services)
	t.Backends = r.list(b, "backends")
	slices.Sort(t.Backends)
	if image := r.text(b, "image"); image != schema.DefaultTLSImage {
		t.Image = image
	}
	if issuer := r.issuer(b); issuer != nil {
		t.Issuer = *issuer
	}
	return t
}
