package compose

import "github.com/kupenstack/kupenstack-sync/internal/model"

// idle looks at what the profiles write that neither the cloud nor a node uses, each by itself: whoever
// takes one into use is not the one who made the mistake in it.
func (c *composer) idle() {
	byName := make(map[string]*model.Profile, len(c.m.Profiles))
	for i := range c.m.Profiles {
		byName[c.m.Profiles[i].Name] = &c.m.Profiles[i]
	}
	used, seen := map[string]bool{}, map[string]bool{}
	use := func(name string) {
		if p := byName[name]; p != nil && !seen[name] {
			for _, layer := range p.Layers {
				used[layer] = true
			}
		}
		seen[name] = true
	}
	use(c.m.Cloud.Profile)
	for i := range c.m.Nodes {
		use(c.m.Nodes[i].Profile)
	}
	for i := range c.m.Profiles {
		p := &c.m.Profiles[i]
		if used[p.Name] {
			continue
		}
		for _, own := range p.Services {
			if s := c.m.Service(own.Name); s != nil && s.Enabled {
				c.idleSettings(s, own.Settings)
			}
		}
	}
}

// idleSettings looks at one layer of conf and values, which nothing is made of.
func (c *composer) idleSettings(s *model.Service, settings []model.Setting) {
	for i := range settings {
		if name := settings[i].Name; name == "conf" || name == "values" {
			_, _ = c.plain(s, name, model.Settle(settings[i].Value), settings[i:i+1])
		}
	}
}
