package compose

import (
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// profileObjects are the OpenStackCloudConfigurationProfiles: one for each profile.
func (c *composer) profileObjects() []map[string]any {
	var objects []map[string]any
	large := map[string]bool{}
	for i := range c.m.Profiles {
		objects = append(objects, c.profileObject(&c.m.Profiles[i], large))
	}
	c.tellLarge("settings of profiles are not shown", large, kindOfProfiles, len(c.m.Profiles))
	return objects
}

// profileObject has what the profile writes itself: what it builds on is shown beside it.
func (c *composer) profileObject(p *model.Profile, large map[string]bool) map[string]any {
	spec := map[string]any{"name": p.Name}
	if len(p.From) > 0 {
		spec["from"], spec["basis"] = anys(p.From), strings.Join(p.From, ",")
	}
	if p.Slot > 0 {
		spec["slot"] = int64(p.Slot)
	}
	var parts []shownConf
	for _, s := range p.Services {
		settings := map[string]any{}
		for i := range s.Settings {
			if value := unit.Visible(model.Settle(s.Settings[i].Value)); value != nil {
				settings[s.Settings[i].Name] = value
			}
		}
		parts = append(parts, shownConf{service: s.Name, value: settings, size: sizeOf(settings, shownMost)})
	}
	if len(parts) > 0 {
		spec["services"] = fitting(parts, len(c.m.Profiles), large)
	}
	return shownObject(unit.KindShownProfile, p.Name, spec)
}
