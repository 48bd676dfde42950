package openstack_test

import "testing"

// TestBedTextsThatAreCut writes texts as a heredoc or a file has them, with a line break at the end, and names with a blank
// there: Cinder and Keystone keep some without, which is no difference.
func TestBedTextsThatAreCut(t *testing.T) {
	b := newBench(t)
	const said = "Data of the shop.\n" // Cinder takes a line break within that of a volume, and not within that of a snapshot
	volume := target(t, "volume", unique("data"), values{"size": number(1), "name": text(unique("data") + " "), "description": text(said + "All of it.\n")})
	b.converge(t, &volume)
	b.settled(t, volume, "/v3/{id}/volumes/detail")
	snapshot := target(t, "snapshot", unique("before"), values{"volume": text(volume.ID), "name": text(unique("before") + " "), "description": text(said)})
	b.converge(t, &snapshot)
	b.settled(t, snapshot, "/v3/{id}/snapshots/detail")
	limits := target(t, "volume_qos", unique("gold"), values{"name": text(unique("gold") + " ")})
	b.converge(t, &limits)
	for _, kind := range []string{"project", "user", "group", "domain", "role"} {
		tg := target(t, kind, unique(kind), values{"name": text(unique(kind) + " "), "description": text(said)})
		b.converge(t, &tg)
	}
}
