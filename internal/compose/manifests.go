package compose

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// claim is who has an object.
type claim struct {
	by    addr.Object
	where diag.Range
}

// kindOf is a kind that something defines.
type kindOf struct{ group, kind string }

// manifest is a block with its objects as they are applied.
type manifest struct {
	r       *model.Resource
	objects []map[string]any
}

// manifests adds the objects of manifest blocks. First it is found out what each of them has, as they may
// need each other.
func (c *composer) manifests(blocks []*model.Resource) {
	var all []manifest
	for _, r := range blocks {
		m := manifest{r: r}
		scopes := definedScopes(r.Objects)
		for _, o := range r.Objects {
			m.objects = append(m.objects, placedIn(o.Content, c.namespaceOf(r), scopes))
		}
		for i, object := range m.objects {
			c.claimObject(r, object, r.Objects[i].Range)
		}
		all = append(all, m)
	}
	for _, m := range all {
		var edges []unit.Edge
		for _, object := range m.objects {
			id := unit.RefOf(object).Identity()
			if id.Namespace != "" {
				edges = append(edges, c.within(m.r, id.Namespace)...)
			}
			if definer, ok := c.definers[kindOf{id.Group, id.Kind}]; ok && definer != m.r.Address {
				edges = append(edges, unit.Edge{To: definer, Until: unit.Ready, Gate: unit.GateStart})
			}
		}
		c.add(unit.Unit{
			Address: m.r.Address, Class: unit.ClassWorkload, Range: m.r.Range, Spec: &unit.Objects{Items: m.objects, Secrets: secretsOfObjects(m.r.Objects)},
			Edges: append(c.resourceEdges(m.r), edges...),
			Drift: unit.DriftPolicy(m.r.Lifecycle.Drift), PreventDestroy: m.r.Lifecycle.PreventDestroy,
		})
	}
}

// secretsOfObjects are the sensitive values of some objects. What nobody knows is left out, as it is never
// applied.
func secretsOfObjects(objects []model.Object) []unit.ObjectSecret {
	var secrets []unit.ObjectSecret
	for i, o := range objects {
		for _, h := range o.Hidden {
			if !h.Value.IsEmpty() {
				secrets = append(secrets, unit.ObjectSecret{Item: i, Path: h.Path, Given: h.Value})
			}
		}
	}
	return secrets
}

// claimObject notes who has an object, and refuses one that is somebody else's.
func (c *composer) claimObject(r *model.Resource, object map[string]any, where diag.Range) {
	id := unit.RefOf(object).Identity()
	if why, hint := c.reserved(id); why != "" {
		c.fail(codeDuplicate, where, r.Address, "not for a manifest", fmt.Sprintf("the %s %s", unit.RefOf(object), why), hint)
		return
	}
	if other, taken := c.claims[id]; taken {
		detail := fmt.Sprintf("%s is also in %s", unit.RefOf(object), other.by)
		if other.where != (diag.Range{}) {
			detail += fmt.Sprintf(", at %s:%d", other.where.File, other.where.Start.Line)
		}
		hint := "keep one of the two"
		if other.by.Kind() == "system" {
			hint = "take it out: KupenStack makes it itself"
		}
		c.fail(codeDuplicate, where, r.Address, "one object, two places", detail, hint)
		return
	}
	c.claims[id] = claim{by: r.Address, where: where}
	switch {
	case id.Kind == "Namespace" && id.Group == "":
		c.namespaces[id.Name] = r.Address
	case id.Kind == definitionKind && id.Group == definitionGroup:
		group, kind, _ := defines(object)
		c.definers[kindOf{group, kind}] = r.Address
	}
}

// reserved says why an object is nobody's to write, and what to do; "" for any other.
func (c *composer) reserved(id unit.Identity) (why, hint string) {
	switch {
	case id.KeystoneKeys() && id.Namespace == c.m.Cloud.Namespace && c.makesKeys(id.Name):
		return "has keys of Keystone, which the service keystone makes and its jobs change",
			"take it out: the Secret in the cluster stays as it is. Keys of a backup are put into that Secret, with kubectl"
	case id.Kind == "Node" && id.Group == "":
		return "is a node, which comes and goes by itself", "write a node block for its roles; its other labels are for whoever makes nodes"
	case id.Kind == "Secret" && id.Group == "" && (strings.HasPrefix(id.Name, "kupenstack-") || strings.HasPrefix(id.Name, "sh.helm.release.")),
		id.Kind == "Lease" && id.Group == "coordination.k8s.io" && strings.HasPrefix(id.Name, "kupenstack-"):
		return "is for the records of KupenStack or Helm", "give it another name"
	default:
		return "", ""
	}
}

// makesKeys tells whether a Secret with keys is that of the cloud's Keystone, also while that is not enabled: its keys are
// kept for when it is again. Where somebody has switched off that the chart makes the Secret it has to come from elsewhere.
func (c *composer) makesKeys(name string) bool {
	toggle := "manifests.secret_" + strings.ReplaceAll(strings.TrimPrefix(name, keystoneService+"-"), "-", "_")
	return c.m.Service(keystoneService) != nil && get(c.written[keystoneService], toggle) != false
}

// The kind of object that defines others.
const (
	definitionKind  = "CustomResourceDefinition"
	definitionGroup = "apiextensions.k8s.io"
)

// defines returns which kind a definition is of, and whether its objects live in namespaces.
func defines(object map[string]any) (group, kind string, namespaced bool) {
	group, _ = get(object, "spec.group").(string)
	kind, _ = get(object, "spec.names.kind").(string)
	return group, kind, get(object, "spec.scope") == "Namespaced"
}

// definedScopes tells which kinds are defined among some objects, and whether these live in namespaces.
func definedScopes(objects []model.Object) map[kindOf]bool {
	scopes := map[kindOf]bool{}
	for _, o := range objects {
		if id := unit.RefOf(o.Content).Identity(); id.Kind == definitionKind && id.Group == definitionGroup {
			group, kind, namespaced := defines(o.Content)
			scopes[kindOf{group, kind}] = namespaced
		}
	}
	return scopes
}

// placedIn returns an object with the namespace that it has in the cluster: one of Kubernetes' own kinds, or
// of those with a known scope, gets the given one unless it names one. Where a kind has no namespaces, what
// is written counts for nothing, as for kubectl. All else stays as it is.
func placedIn(object map[string]any, namespace string, scopes map[kindOf]bool) map[string]any {
	id := unit.RefOf(object).Identity()
	namespaced, known := scopes[kindOf{id.Group, id.Kind}]
	if !known {
		namespaced, known = builtIn(id.Group, id.Kind)
	}
	if !known || namespaced && id.Namespace != "" || !namespaced && id.Namespace == "" {
		return object
	}
	object = maps.Clone(object)
	metadata, _ := object["metadata"].(map[string]any)
	metadata = maps.Clone(metadata)
	object["metadata"] = metadata
	if namespaced {
		metadata["namespace"] = namespace
	} else {
		delete(metadata, "namespace")
	}
	return object
}

// builtIn tells whether objects of one of Kubernetes' own kinds live in namespaces; known is false for any
// other kind.
func builtIn(group, kind string) (namespaced, known bool) {
	kinds, ours := clusterKinds()[group]
	if !ours {
		return false, false
	}
	return !slices.Contains(kinds, kind), true
}

// clusterKinds are the groups of Kubernetes' own API, each with the kinds whose objects are in no namespace.
// They are those of the API reference of Kubernetes 1.34.
func clusterKinds() map[string][]string {
	return map[string][]string{
		"":     {"Namespace", "Node", "PersistentVolume", "ComponentStatus"},
		"apps": nil, "autoscaling": nil, "batch": nil, "coordination.k8s.io": nil, "discovery.k8s.io": nil, "events.k8s.io": nil, "policy": nil,
		"admissionregistration.k8s.io": {
			"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding",
			"MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding",
		},
		definitionGroup:                {definitionKind},
		"apiregistration.k8s.io":       {"APIService"},
		"certificates.k8s.io":          {"CertificateSigningRequest", "ClusterTrustBundle"},
		"flowcontrol.apiserver.k8s.io": {"FlowSchema", "PriorityLevelConfiguration"},
		"networking.k8s.io":            {"IngressClass", "IPAddress", "ServiceCIDR"},
		"node.k8s.io":                  {"RuntimeClass"},
		"rbac.authorization.k8s.io":    {"ClusterRole", "ClusterRoleBinding"},
		"resource.k8s.io":              {"DeviceClass", "DeviceTaintRule", "ResourceSlice"},
		"scheduling.k8s.io":            {"PriorityClass"},
		"storage.k8s.io":               {"StorageClass", "CSIDriver", "CSINode", "VolumeAttachment", "VolumeAttributesClass"},
	}
}
