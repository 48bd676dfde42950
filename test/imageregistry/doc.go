// Package imageregistry is a registry of container images for tests: it tells what tags stand for, as the
// specification of OCI's distribution has it, with tokens where a login is set, and it can fail. In come names of
// images, which it all has unless their tag says otherwise; out go digests. It keeps no layers, and nothing can be
// pushed to it but by [Registry.Push].
package imageregistry
