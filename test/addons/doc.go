// Package addons gives a cluster what real ones have beside Kubernetes, as far as somebody who talks to the API
// server sees it: cert-manager, the Gateway API with a controller, and Rook. Their definitions are those of their
// Go modules; what their controllers would write into the cluster is played.
package addons
