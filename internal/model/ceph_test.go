package model

import (
	"strings"
	"testing"
)

func TestKeysInCephConf(t *testing.T) {
	key := "AQ" + strings.Repeat("x", 36) + "=="
	for conf, want := range map[string]bool{
		"[global]\nmon_host = 192.0.2.11\n":                                            false,
		"[client.glance]\nkeyring = /etc/ceph/ceph.client.glance.keyring\n":            false,
		"[client.glance]\nkeyring=\"/etc/ceph/$cluster.$name.keyring\"\n":              false,
		"[client.glance]\nkeyring = ceph.client.glance.keyring\n":                      false,
		"[client.glance]\nkeyfile = /etc/ceph/key\n":                                   false,
		"[mon]\nmon_osd_full_ratio = .95\nosd_pool_key = 1\n":                          false,
		"[global]\n# key = none here\n":                                                false,
		"[client.glance]\nkey = " + key + "\n":                                         true,
		"[client.glance]\n\tKey=anything\n":                                            true,
		"[client.glance]\n  keyring = " + strings.Replace(key, "AQ", "BQ", 1) + "\r\n": true,
		"[global]\n; formerly " + key + "\n":                                           true,
		"[global]\nmon_host = 192.0.2.11\nkey = \n":                                    false,
	} {
		if got := holdsKey(conf); got != want {
			t.Errorf("%q: %v", conf, got)
		}
	}
}
