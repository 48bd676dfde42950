package schema

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/Masterminds/semver/v3"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
)

// Format is a shape that a string must have.
type Format string

// The formats.
const (
	FormatAny        Format = ""
	FormatIdentifier Format = "identifier" // a name that can be part of an address
	FormatDNSName    Format = "dns-name"   // a name of Kubernetes: of a node, a Secret
	FormatDevice     Format = "device"     // a network device of Linux, or a bridge
	FormatVLANs      Format = "vlans"      // a tag of VLANs, or a range of them: 100:199
	FormatDomain     Format = "domain"     // a name of DNS: of a host, or what such names are in
	FormatDNSLabel   Format = "dns-label"  // the same without dots: a namespace
	FormatCIDR       Format = "cidr"       // 10.0.0.0/24 or 2001:db8::/64
	FormatIP         Format = "ip"
	FormatURL        Format = "url"         // http or https
	FormatEndpoint   Format = "endpoint"    // the same, with what Keystone puts something in the place of
	FormatQuantity   Format = "quantity"    // an amount of storage, such as 50Gi
	FormatCPU        Format = "cpu"         // an amount of processors: 2 or 500m
	FormatMemory     Format = "memory"      // an amount of memory: 512Mi
	FormatLabelKey   Format = "label-key"   // of a label of Kubernetes: topology.kubernetes.io/zone
	FormatLabelValue Format = "label-value" // of one: a, or nothing
	FormatRelease    Format = "release"     // a release of OpenStack: 2026.1
	FormatChecksum   Format = "checksum"    // sha256:… or sha512:…
	FormatPEM        Format = "pem"         // certificates
	FormatCharts     Format = "charts"      // a repository of charts or of Git, or a path
	FormatChart      Format = "chart"       // the name of a chart
	FormatTag        Format = "tag"         // a version of a program, as the tag of its image has it: 4.2
	FormatRegistry   Format = "registry"    // a registry of images, or a part of one
	FormatImage      Format = "image"       // one image, with its registry: quay.io/airshipit/nova:2026.1-ubuntu_noble
	FormatFamily     Format = "family"      // of images: by whom, and how they were built
	FormatName       Format = "name"        // of an object that must have one
	FormatText       Format = "text"        // a description that our mark follows
	FormatVersions   Format = "versions"    // a version, or a range of them: ~> 2026.1
	FormatPrefix     Format = "prefix"      // a network, with any address of it: 10.0.0.0/24
	FormatID         Format = "id"          // what OpenStack gives most objects: a UUID
	FormatPublicKey  Format = "public-key"  // of SSH, as it stands in a .pub file
	FormatSecret     Format = "secret"      // the name of a Secret, with its namespace and a slash in front where it is another one
	FormatTime       Format = "time"        // a moment, as RFC 3339 writes it: 2026-12-24T08:00:00Z

	FormatCephName    Format = "ceph-name"    // of a pool of Ceph, or a user without client. in front
	FormatMonitor     Format = "monitor"      // the address of a monitor of Ceph
	FormatVolumeGroup Format = "volume-group" // of LVM
	FormatShare       Format = "share"        // of an NFS server
	FormatDriver      Format = "driver"       // a class of Python, with all modules in front
	FormatKind        Format = "kind"         // of objects of Kubernetes: Deployment
	FormatFieldPath   Format = "field-path"   // of such an object: spec.template.spec.containers[api].image
)

var (
	// keysPattern is what Keystone puts something in the place of (WHITELISTED_PROPERTIES in keystone/common/utils.py).
	keysPattern     = regexp.MustCompile(`[$%]\((tenant_id|project_id|user_id|public_bind_host|admin_bind_host|compute_host|admin_port|public_port)\)s`)
	devicePattern   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,14}$`) // as long as Linux takes
	vlansPattern    = regexp.MustCompile(`^[1-9][0-9]{0,3}(:[1-9][0-9]{0,3})?$`)
	domainPattern   = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$`)
	dnsNamePattern  = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$`)
	secretPattern   = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]*[a-z0-9])?/)?[a-z0-9]([a-z0-9.-]*[a-z0-9])?$`)
	quantityPattern = regexp.MustCompile(`^[1-9][0-9]*(Mi|Gi|Ti|Pi|M|G|T|P)$`)
	cpuPattern      = regexp.MustCompile(`^([1-9][0-9]{0,6}m|[1-9][0-9]{0,3}(\.[0-9]{1,3})?|0\.[0-9]{0,2}[1-9])$`)
	memoryPattern   = regexp.MustCompile(`^[1-9][0-9]{0,11}(Ki|Mi|Gi|Ti|k|M|G|T)$`)
	labelKeyPattern = regexp.MustCompile(`^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$`)
	labelPattern    = regexp.MustCompile(`^([A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?)?$`)
	kindPattern     = regexp.MustCompile(`^[A-Z][A-Za-z0-9]{0,62}$`)
	fieldPattern    = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*(\.([A-Za-z0-9_-]+|\*)|\[[^\[\]]+\])*$`)
	quotedPattern   = regexp.MustCompile(`\[("[^\[\]]+"|'[^\[\]]+')\]`)
	metadataPattern = regexp.MustCompile(`^metadata\.(finalizers$|(labels|annotations)[.[])`)
	cephPattern     = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)
	monitorPattern  = regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9.-]*|\[[0-9A-Fa-f:.]+\])(:[1-9][0-9]{0,4})?$`)
	groupPattern    = regexp.MustCompile(`^[A-Za-z0-9+_.][A-Za-z0-9+_.-]*$`)
	sharePattern    = regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9.-]*|\[[0-9A-Fa-f:.]+\]):/[^\s,;#]*$`)
	driverPattern   = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)+$`)
	chartPattern    = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)
	tagPattern      = regexp.MustCompile(`^[0-9][A-Za-z0-9._-]{0,99}$`)
	releasePattern  = regexp.MustCompile(`^20[0-9]{2}\.[12]$`)
	// idPattern takes dashes or none, as the services do.
	idPattern       = regexp.MustCompile(`^([0-9A-Fa-f]{32}|[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$`)
	checksumPattern = regexp.MustCompile(`^(sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$`)
)

// longest names that Kubernetes takes, and that fit any name column of OpenStack.
const (
	longestName  = 253
	longestIn    = 200 // of a domain: a name of DNS has 253 characters at most, and names are put in front of it
	longestLabel = 63
	longestGroup = 127 // of LVM
	longestPath  = 500
	// longestText is what fits a name column of OpenStack.
	longestText = 255
)

// Doc says what a string of the format is; it completes the sentence "must be …". It is "" for
// [FormatAny].
func (f Format) Doc() string {
	for _, s := range []string{"", " ", strings.Repeat(" ", longestText+1)} { // no format takes all
		if err := f.Check(s); err != nil {
			return err.Error()
		}
	}
	return ""
}

// Pattern returns a regular expression that every string of the format matches, in the syntax that
// Go and ECMAScript share; "" when there is none.
func (f Format) Pattern() string {
	switch f {
	case FormatDNSName, FormatDNSLabel:
		return dnsNamePattern.String()
	case FormatSecret:
		return secretPattern.String()
	case FormatQuantity:
		return quantityPattern.String()
	case FormatCPU:
		return cpuPattern.String()
	case FormatMemory:
		return memoryPattern.String()
	case FormatLabelKey:
		return labelKeyPattern.String()
	case FormatLabelValue:
		return labelPattern.String()
	case FormatKind:
		return kindPattern.String()
	case FormatFieldPath:
		return fieldPattern.String()
	case FormatDevice:
		return devicePattern.String()
	case FormatVLANs:
		return vlansPattern.String()
	case FormatDomain:
		return domainPattern.String()
	case FormatChart:
		return chartPattern.String()
	case FormatTag:
		return tagPattern.String()
	case FormatRegistry:
		return registryPattern.String()
	case FormatImage:
		return imagePattern.String()
	case FormatFamily:
		return familyPattern.String()
	case FormatRelease:
		return releasePattern.String()
	case FormatChecksum:
		return checksumPattern.String()
	case FormatID:
		return idPattern.String()
	case FormatCephName:
		return cephPattern.String()
	case FormatMonitor:
		return monitorPattern.String()
	case FormatVolumeGroup:
		return groupPattern.String()
	case FormatShare:
		return sharePattern.String()
	case FormatDriver:
		return driverPattern.String()
	case FormatMAC:
		return macPattern.String()
	default:
		return ""
	}
}

// Check tells why a string does not have the format; the error completes the sentence
// "must be …".
func (f Format) Check(s string) error {
	switch f {
	case FormatAny:
		return nil
	case FormatCIDR:
		return checkCIDR(s)
	case FormatIP:
		if a, err := netip.ParseAddr(s); err != nil || a.Zone() != "" {
			return errors.New("an IP address, such as 192.0.2.1 or 2001:db8::1")
		}
		return nil
	case FormatPrefix:
		if _, err := netip.ParsePrefix(s); err != nil {
			return errors.New("a network in CIDR notation, such as 192.0.2.0/24")
		}
		return nil
	case FormatPublicKey:
		return checkPublicKey(s)
	case FormatTime:
		if _, err := time.Parse(time.RFC3339, s); err != nil {
			return errors.New("a moment with its zone, such as 2026-12-24T08:00:00Z or 2026-12-24T09:00:00+01:00")
		}
		return nil
	case FormatMAC, FormatRange:
		return f.checkNetwork(s)
	case FormatURL:
		return checkURL(s, "http", "https")
	case FormatEndpoint:
		return checkURL(keysPattern.ReplaceAllString(s, "1"), "http", "https")
	case FormatCharts:
		return checkCharts(s)
	case FormatName:
		if strings.TrimSpace(s) == "" || utf8.RuneCountInString(s) > longestText {
			return fmt.Errorf("a text of 1 to %d characters, and not only of blanks", longestText)
		}
		return nil
	case FormatText:
		return checkText(s)
	case FormatDNSLabel:
		if len(s) > longestLabel || strings.Contains(s, ".") || !dnsNamePattern.MatchString(s) {
			return fmt.Errorf("at most %d lower case letters, digits and dashes, with a letter or digit at both ends", longestLabel)
		}
		return nil
	case FormatCephName, FormatMonitor, FormatVolumeGroup, FormatShare, FormatDriver:
		return f.checkStorage(s)
	case FormatRegistry, FormatImage, FormatFamily:
		return f.checkImage(s)
	default:
		return f.checkPattern(s)
	}
}

// checkStorage is Check for where volumes and images are kept.
func (f Format) checkStorage(s string) error {
	switch f {
	case FormatCephName:
		if len(s) > longestName || !cephPattern.MatchString(s) {
			return errors.New("a pool or user of Ceph: letters, digits, dashes, dots and _, with a letter or digit in front")
		}
	case FormatMonitor:
		if len(s) > longestName || !monitorPattern.MatchString(s) {
			return errors.New("the address of a monitor of Ceph, with a port where it has another, such as 192.0.2.11 or [2001:db8::11]:6789")
		}
	case FormatVolumeGroup:
		if len(s) > longestGroup || s == "." || s == ".." || !groupPattern.MatchString(s) {
			return errors.New("a volume group of LVM: letters, digits, dashes, dots, + and _, with no dash in front")
		}
	case FormatShare:
		if !sharePattern.MatchString(s) {
			return errors.New("a share with its server, such as nfs.example.org:/volumes")
		}
	default:
		if !driverPattern.MatchString(s) {
			return errors.New("a class of a driver with its modules, such as cinder.volume.drivers.nfs.NfsDriver")
		}
	}
	return nil
}

func (f Format) checkPattern(s string) error {
	switch f {
	case FormatIdentifier:
		if len(s) > longestName || !addr.ValidName(s) {
			return errors.New("a name of letters, digits, _ and -, with a letter or _ in front")
		}
	case FormatKind:
		if !kindPattern.MatchString(s) {
			return errors.New("a kind of Kubernetes as objects have it, such as Deployment")
		}
	case FormatFieldPath:
		return checkFieldPath(s)
	case FormatDevice:
		if !devicePattern.MatchString(s) {
			return errors.New("a network device: up to 15 letters, digits, dashes, dots and _, with a letter or digit in front")
		}
	case FormatVLANs:
		if !vlansPattern.MatchString(s) || !tagsOfVLANs(s) {
			return errors.New("a tag from 1 to 4094, or two of them with a colon between, the lower one first, such as 100:199")
		}
	case FormatDomain:
		if _, err := netip.ParseAddr(s); err == nil || len(s) > longestIn || !domainPattern.MatchString(s) {
			return fmt.Errorf("a name of DNS with at most %d lower case letters, digits, dashes and dots, such as cloud.example.org", longestIn)
		}
	case FormatDNSName:
		if len(s) > longestName || strings.Contains(s, "..") || !dnsNamePattern.MatchString(s) {
			return errors.New("a Kubernetes name: lower case letters, digits, dashes and dots, with a letter or digit at both ends")
		}
	case FormatSecret:
		if len(s) > longestName || strings.Contains(s, "..") || !secretPattern.MatchString(s) {
			return errors.New("the name of a Secret, such as ops-key, or that with its namespace in front, such as tools/ops-key")
		}
	case FormatChart:
		if len(s) > longestName || !chartPattern.MatchString(s) {
			return errors.New("the name of a chart: letters, digits, dashes, dots and _, with a letter or digit in front")
		}
	case FormatTag:
		if !tagPattern.MatchString(s) {
			return errors.New("a version: a digit, and then letters, digits, dots, dashes and _, such as 4.2")
		}
	case FormatQuantity:
		if !quantityPattern.MatchString(s) {
			return errors.New("an amount of storage, such as 50Gi")
		}
	case FormatCPU:
		if !cpuPattern.MatchString(s) {
			return errors.New("an amount of processors, such as 2, 0.5 or 500m")
		}
	case FormatMemory:
		if !memoryPattern.MatchString(s) {
			return errors.New("an amount of memory with its unit, such as 512Mi or 2Gi")
		}
	case FormatLabelKey:
		if !labelKeyPattern.MatchString(s) {
			return errors.New("the key of a label of Kubernetes, such as topology.kubernetes.io/zone")
		}
	case FormatLabelValue:
		if !labelPattern.MatchString(s) {
			return errors.New("the value of a label of Kubernetes: up to 63 letters, digits, dashes, dots and _, with a letter or digit at both ends, or nothing")
		}
	case FormatRelease:
		if !releasePattern.MatchString(s) {
			return errors.New("a release of OpenStack by year and number, such as 2026.1")
		}
	case FormatChecksum:
		if !checksumPattern.MatchString(s) {
			return errors.New("sha256: or sha512: and the digest in lower case hexadecimal digits")
		}
	case FormatID:
		if !idPattern.MatchString(s) {
			return errors.New("an id of OpenStack: 32 hexadecimal digits, with dashes or without")
		}
	case FormatPEM:
		if !strings.Contains(s, "-----BEGIN CERTIFICATE-----") { // often the name of a file
			return errors.New(`certificates in PEM, which have the line -----BEGIN CERTIFICATE-----; file("ca.pem") reads those of a file`)
		}
	case FormatVersions:
		if _, err := semver.NewConstraint(s); err != nil || s == "" {
			return errors.New("a version or a range of versions, such as 2026.1.0 or ~> 2026.1")
		}
	default:
		return fmt.Errorf("of the format %q, which is not defined", string(f))
	}
	return nil
}

// checkFieldPath takes the fields that a chart has a say in, and no object as a whole.
func checkFieldPath(s string) error {
	if len(s) > longestPath || !fieldPattern.MatchString(s) {
		return errors.New("a field of an object as reports show it, such as spec.replicas or spec.template.spec.containers[api].image")
	}
	if quoted := quotedPattern.FindString(s); quoted != "" {
		return fmt.Errorf("a field as reports show it, where keys in brackets have no quotes: [%s] in the place of %s", quoted[2:len(quoted)-2], quoted)
	}
	root := s
	if end := strings.IndexAny(s, ".["); end > 0 {
		root = s[:end]
	}
	switch {
	case root == "apiVersion" || root == "kind" || root == "status":
		return fmt.Errorf("a field that a chart decides on, and %s is none", root)
	case root == "metadata" && !metadataPattern.MatchString(s):
		return errors.New("a field that a chart decides on: of the metadata these are metadata.labels[…], metadata.annotations[…] and metadata.finalizers")
	}
	return nil
}

func checkCIDR(s string) error {
	prefix, err := netip.ParsePrefix(s)
	if err != nil {
		return errors.New("a network in CIDR notation, such as 192.0.2.0/24")
	}
	if prefix != prefix.Masked() {
		return fmt.Errorf("the first address of its network: %s", prefix.Masked())
	}
	return nil
}

func checkURL(s string, schemes ...string) error {
	u, err := url.Parse(s)
	if err == nil && u.Host != "" && u.User == nil {
		for _, scheme := range schemes {
			if u.Scheme == scheme {
				return nil
			}
		}
	}
	if err == nil && u.User != nil {
		return errors.New("a URL without user and password in it")
	}
	return fmt.Errorf("a URL that starts with %s://", strings.Join(schemes, ":// or "))
}

// tagsOfVLANs tells whether a text that fits the pattern has tags that there are, in order.
func tagsOfVLANs(s string) bool {
	first, last, isRange := strings.Cut(s, ":")
	low, err := strconv.Atoi(first)
	if err != nil || low > lastVLAN {
		return false
	}
	if !isRange {
		return true
	}
	high, err := strconv.Atoi(last)
	return err == nil && low <= high && high <= lastVLAN
}

// lastVLAN is the highest tag of 802.1Q that is no reserved one.
const lastVLAN = 4094
