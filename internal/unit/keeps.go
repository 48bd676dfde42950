package unit

import "slices"

// KeepsData tells whether Rook would throw data away with an object: Ceph goes only when somebody deletes it by hand. The
// pools of an object store are those of its zone where it has one, and claims to buckets are of a group of their own.
func (i Identity) KeepsData() bool {
	kinds := map[string][]string{
		"ceph.rook.io":    {"CephBlockPool", "CephCluster", "CephFilesystem", "CephObjectStore", "CephObjectZone"},
		"objectbucket.io": {"ObjectBucketClaim"},
	}
	return slices.Contains(kinds[i.Group], i.Kind)
}

// KeystoneKeys tells whether this is one of the Secrets with the keys of Keystone, by the names that OpenStack-Helm gives
// them. What is encrypted with these, tokens and credentials, nobody can read without them.
func (i Identity) KeystoneKeys() bool {
	return i.Group == "" && i.Kind == "Secret" && slices.Contains([]string{"keystone-fernet-keys", "keystone-credential-keys"}, i.Name)
}
