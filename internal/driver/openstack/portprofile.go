package openstack

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"
)

// What the binding of a port should know is a map in JSON. Texts in it are as they are. Lists and objects, such as the
// capabilities that hardware offload needs, are the text of their JSON here.

// novas are the keys that Nova writes for the instance that has the port, and changes when that moves.
func novas() []string {
	return []string{
		"allocation", "arq_uuid", "card_serial_number", "device_mac_address", "migrating_to", "os_vif_delegation", "pci_slot", "pci_vendor_info",
		"pf_mac_address", "physical_network", "vf_num",
	}
}

// keptByNova tells whether a key of the profile is not for a block to say.
func keptByNova(o *object, key string) bool {
	return strings.HasPrefix(textAt(o.raw, "device_owner"), ownedByCompute) && slices.Contains(novas(), key)
}

// readProfile is what is there, without what is nothing and what Nova keeps.
func readProfile(o *object, profile map[string]any) cty.Value {
	texts := map[string]any{}
	for key, v := range profile {
		if v != nil && !keptByNova(o, key) {
			texts[key] = profileText(v)
		}
	}
	return fromMap(texts, cty.Map(cty.String))
}

// profileText is a value of the profile as the configuration has it.
func profileText(v any) string {
	if text, ok := v.(string); ok {
		return text
	}
	text, err := json.Marshal(v)
	if err != nil {
		return "" // it was read from JSON
	}
	return string(text)
}

// profileValue is a text of the configuration as Neutron takes it.
func profileValue(text string) any {
	if !strings.HasPrefix(text, "[") && !strings.HasPrefix(text, "{") {
		return text
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil || decoder.More() {
		return text
	}
	return v
}

// writtenProfile is what the block says of it.
func writtenProfile(w cty.Value) map[string]any {
	profile := map[string]any{}
	if w == cty.NilVal || w.IsNull() {
		return profile
	}
	for key, v := range w.AsValueMap() {
		if !v.IsNull() {
			profile[key] = profileValue(textOf(v))
		}
	}
	return profile
}

// sameProfile tells whether the port has what the block says, in any spelling of JSON.
func sameProfile(want, have cty.Value, o *object) bool {
	there := writtenProfile(have)
	for key, v := range writtenProfile(want) {
		if has, ok := there[key]; !keptByNova(o, key) && (!ok || profileText(has) != profileText(v)) {
			return false
		}
	}
	return true
}

// profileOf is the whole profile, which Neutron replaces: what others have added to it stays, and what is there already
// stays as it is.
func profileOf(o *object, w wanted) map[string]any {
	profile := map[string]any{}
	there, _ := o.raw[keyProfile].(map[string]any)
	maps.Copy(profile, there)
	for key, v := range writtenProfile(w.written(profileAttribute)) {
		if has, ok := profile[key]; !keptByNova(o, key) && (!ok || profileText(has) != profileText(v)) {
			profile[key] = v
		}
	}
	for _, key := range w.drop[profileAttribute] {
		delete(profile, key)
	}
	return profile
}
