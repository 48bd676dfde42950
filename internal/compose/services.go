package compose

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

const broker = "rabbitmq"

func infrastructure() []string { return []string{"mariadb", broker, "memcached"} }

// services adds a release for each enabled service, and the credentials that they share.
func (c *composer) services() {
	cloud := &c.m.Cloud
	if cloud.Deploys() && !knownRelease(cloud.Release) {
		where := cloud.Ranges["release"]
		if where == (diag.Range{}) {
			where = cloud.Range
		}
		c.fail(codeRelease, where, noAddress(), "unknown release of OpenStack",
			fmt.Sprintf("there are no images known of %q", cloud.Release), "there are: "+strings.Join(releases(), ", "))
	}
	if cloud.Deploys() {
		c.checkFamily()
	}
	for i := range cloud.Services {
		if s := &cloud.Services[i]; s.Enabled {
			c.written[s.Name] = c.writtenFor(s)
		}
	}
	c.keepWritten()
	c.credentials()
	of := members{brokers: c.servers(broker), caches: c.servers(cacheService)}
	for i := range cloud.Services {
		if s := &cloud.Services[i]; s.Enabled {
			c.service(s, of)
		}
	}
	c.needed()
	c.connected()
}

// servers is the number of members of the broker or the cache, wherever it was written.
func (c *composer) servers(name string) int64 {
	s := c.m.Service(name)
	if s == nil || !s.Enabled {
		return 0
	}
	values := map[string]any{}
	fill(values, &c.m.Cloud, replicaValues(s))
	n, _ := get(overlay(values, c.written[name]), replicasOfServer).(int64)
	return n
}

func (c *composer) service(s *model.Service, of members) {
	cloud := &c.m.Cloud
	known, _ := c.definition.Service(s.Name)
	values := map[string]any{}
	fill(values, cloud, settingsOf(cloud, s))
	fill(values, cloud, cephValues(s.Name, cloud))
	if cachesElsewhere(c.written[s.Name]) { // whose members are others
		of.caches = 0
	}
	fill(values, cloud, endpointValues(s.Name, cloud, of))
	fill(values, cloud, regionValues(s.Name, cloud))
	fill(values, cloud, tlsValues(s.Name, c.m))
	fill(values, cloud, exposureValues(s.Name, c.m))
	fill(values, cloud, physicalValues(s.Name, cloud))
	fill(values, cloud, imageValues(s.Name, cloud))
	fill(values, cloud, pullValues(s.Name, cloud.Images))
	fill(values, cloud, replicaValues(s))
	fill(values, cloud, podValues(known, s))
	fill(values, cloud, c.versionValues(s))
	if path, ok := volumes()[s.Name]; ok && s.StorageSize != "" {
		fill(values, cloud, []setting{{path: path, value: s.StorageSize}})
	}
	values = overlay(values, c.overrides(s))
	values = overlay(values, c.written[s.Name])
	c.keepTLS(s, values)
	leaveAway(values, s.Backends)
	c.checkVersion(s)
	c.tellOtherVersion(s)
	c.checkAlone(s, values)
	c.checkLocalDisks(s, values)
	c.checkSharedVolume(s, values)
	c.tellEven(s, values)
	c.tellCrowded(s, values)
	c.tellNoVolume(s, values)
	c.tellIdleSize(s, values)
	c.tellUngated(s, values)
	c.tellTrunks(s, values)
	c.tellPhysical(s)
	c.tellBackends(s, values)
	c.checkPods(s, values)
	c.checkServicePins(s, values)
	c.tellAddresses(s, values)
	c.tellPorts(s, values)
	c.tellAgentLabels(s, values)
	c.tellNoNetworkNode(s, values)
	c.tellRegion(s, values)
	fixed, api := c.fixed(s, values), c.api(s.Name, values)
	closes, drifts := c.closes(s.Name, values), rewritten(s.Name, values)
	values, secrets := c.conceal(withPorts(values))
	release := &unit.Release{
		Namespace: cloud.Namespace, Name: s.Name, Chart: c.chart(s.Name),
		Values: values, Secrets: sortedSecrets(append(c.secretsOf(s.Name), secrets...)),
		OnDelete: get(values, replacementOfDaemons) == onlyOnDelete, Remainders: c.remainders(s.Name),
		Written: c.writtenKeys(s), NullLeavesAway: true, Series: c.known(), API: api, RollBack: s.RollBack, Retry: s.Retry,
		IgnoreDrift: append(c.driftRules(s.IgnoreDrift, c.lastOrigin(s, schema.IgnoreDrift).where, s.Address), drifts...),
		Made:        made(s.Name, cloud.Namespace, values), Drawn: drawnNames()[s.Name],
	}
	if _, is := knownVersions()[s.Name]; is {
		release.KeepsUp = []string{s.Name} // their containers are called as they are
	}
	if release.OnDelete {
		release.LabelReaders = c.readersOf(s.Name)
	}
	if ofRelease(s.Name, cloud.Release) {
		release.OpenStackRelease = cloud.Release
	}
	c.imagesOf(release, s.Name)
	c.tellImages(s)
	class := unit.ClassService
	if slices.Contains(infrastructure(), s.Name) {
		class = unit.ClassInfrastructure
	}
	c.add(unit.Unit{Address: s.Address, Spec: release, Edges: c.serviceEdges(s), Class: class, Fixed: fixed, Closes: closes, Range: s.Range})
}

// fixed are the attributes of a service that cannot change once it is deployed, as its chart gets them:
// the chart's values can be written around them.
func (c *composer) fixed(s *model.Service, values map[string]any) map[string]string {
	known, _ := c.definition.Service(s.Name)
	var fixed map[string]string
	for _, name := range c.definition.Block("cloud").Nested("service").Refused() {
		if !known.Takes(name) {
			continue
		}
		if name == storageSize && !onVolume(s.Name, values) {
			continue // of nothing that is there
		}
		if fixed == nil {
			fixed = map[string]string{}
		}
		fixed[name] = ""
		for _, setting := range s.Settings { // the later over the earlier
			if v, _ := setting.Value.Unmark(); setting.Name == name && v.Type() == cty.String && v.IsKnown() && !v.IsNull() {
				fixed[name] = v.AsString()
			}
		}
		if path, ok := volumes()[s.Name]; ok && name == storageSize {
			fixed[name] = plainText(get(values, path))
		}
		if name == imageStorage {
			fixed[name] = storageOf(plainText(get(values, name)))
		}
	}
	for _, part := range known.Members {
		if fixed == nil {
			fixed = map[string]string{}
		}
		fixed["replicas."+part] = cmp.Or(plainText(get(values, "pod.replicas."+part)), "1") // charts have one
	}
	for _, part := range known.Grows {
		if fixed == nil {
			fixed = map[string]string{}
		}
		fixed[unit.FixedMembers+part] = plainText(get(values, "pod.replicas."+part))
	}
	if fronts()[s.Name] != nil || usesBackends(s.Name) {
		if fixed == nil {
			fixed = map[string]string{}
		}
		fixed[FixedTLS] = c.signedBy(s.Name)
	}
	if slices.Contains(readBackend(), s.Name) {
		if fixed == nil {
			fixed = map[string]string{}
		}
		fixed[unit.FixedNetwork] = c.otherBackend(s.Name)
	}
	if _, keeps := knownVersions()[s.Name]; keeps && s.Version != "" {
		if fixed == nil {
			fixed = map[string]string{}
		}
		fixed[unit.FixedVersion] = s.Version
	}
	if storage := fixedStorage(s.Name, values); len(storage) > 0 {
		if fixed == nil {
			fixed = map[string]string{}
		}
		maps.Copy(fixed, storage)
	}
	if s.Name == computeService {
		maps.Copy(fixed, c.fixedInSlots(values))
	}
	return fixed
}

const storageSize = "storage_size"

// plainText is a value of a chart as a text for people: "" where there is none, and for what is no single
// value, which no chart takes there.
func plainText(v any) string {
	switch v := v.(type) {
	case nil, map[string]any, []any:
		return ""
	case hidden:
		return unit.TextSensitive
	default:
		return fmt.Sprint(v)
	}
}

func (c *composer) versionValues(s *model.Service) []setting {
	if s.Version == "" {
		return nil
	}
	return versionValues(s.Name, s.Version)
}

// writtenFor returns what people wrote for a service, as values of its chart: conf and images, and values
// over them.
func (c *composer) writtenFor(s *model.Service) map[string]any {
	written := c.optionsOfBackends(s)
	conf, ok := c.plain(s, "conf", s.Conf, s.Settings)
	if len(conf) > 0 {
		written = overlay(written, map[string]any{"conf": conf})
	}
	written = overlay(written, writtenImages(s))
	values, also := c.plain(s, "values", s.Values, s.Settings)
	c.unclear = c.unclear || !ok || !also
	return overlay(written, values)
}

// plain returns a mapping as Helm takes it, with [hidden] in the place of sensitive values, or false
// after telling why it cannot be taken. The settings are those that it was merged from.
func (c *composer) plain(s *model.Service, name string, v cty.Value, settings []model.Setting) (map[string]any, bool) {
	values, ok := c.partly(s, name, v, settings)
	if !ok {
		return nil, false
	}
	return values, true
}

// partly is plain, with what can be taken where something cannot: see [withHidden].
func (c *composer) partly(s *model.Service, name string, v cty.Value, settings []model.Setting) (map[string]any, bool) {
	if v == cty.NilVal {
		return nil, true
	}
	plain, err := withHidden(v, false, nil)
	values, _ := plain.(map[string]any)
	if err == nil {
		return values, true
	}
	path, detail, hint := refused(err)
	where, _ := c.decides(s, settings, name, keys(path), func(added cty.Value) bool {
		_, err := withHidden(added, false, nil)
		return err != nil
	})
	c.failAt(codeValue, where, "invalid "+name, fmt.Sprintf("%s of %s cannot be given to its chart: %s", pathText(name, path), s.Name, detail), hint)
	return values, false
}

// fill puts the settings that hold for the cloud into the values.
func fill(values map[string]any, cloud *model.Cloud, list []setting) {
	for _, s := range list {
		if s.when.holds(cloud) {
			put(values, s.path, s.value)
		}
	}
}
