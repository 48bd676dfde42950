package model

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// Ceph says how a cluster of Ceph is reached. One of Monitors, Conf and Rook is there.
type Ceph struct {
	Monitors  []string
	Conf      string // a whole ceph.conf
	Rook      string // the namespace of a Ceph of Rook's, which has the users' keys
	Admin     string // the Secret with the key of client.admin; "" when pools and users are there
	Images    CephUser
	Volumes   CephUser
	Backups   CephUser
	Instances string // a pool; "" unless written
	Range     diag.Range
	Ranges    map[string]diag.Range // of the attributes that were written
}

// CephUser is who reaches a pool. What is empty was not written.
type CephUser struct{ Pool, User, Secret string }

// The users that the charts have.
const (
	defaultUser       = "cinder"
	defaultImagesUser = "glance"
)

// UserOfVolumes is the user of Ceph that Cinder and hypervisors reach volumes with.
func (c *Cloud) UserOfVolumes() string {
	if c.Ceph == nil {
		return defaultUser
	}
	return cmp.Or(c.Ceph.Volumes.User, defaultUser)
}

// ImageUser is who reaches images.
func (c *Ceph) ImageUser() CephUser { return c.withKey(c.Images, defaultImagesUser) }

// VolumeUser is who reaches volumes.
func (c *Ceph) VolumeUser() CephUser { return c.withKey(c.Volumes, defaultUser) }

// BackupUser is who reaches backups: whoever reaches volumes where users are there and nobody else is named.
func (c *Ceph) BackupUser() CephUser {
	b, volumes := c.Backups, c.VolumeUser()
	if c.Admin == "" && b.Secret == "" && b.User == "" {
		b.User, b.Secret = cmp.Or(volumes.User, defaultUser), volumes.Secret
	}
	return c.withKey(b, defaultUser)
}

// withKey is a user with the Secret that the key is copied to where Rook has it.
func (c *Ceph) withKey(user CephUser, otherwise string) CephUser {
	if c.Rook != "" {
		user.User = cmp.Or(user.User, otherwise)
		user.Secret = "kupenstack-ceph-" + user.User
	}
	return user
}

// namesMonitors finds the line of a ceph.conf that everything begins with.
var namesMonitors = regexp.MustCompile(`(?m)^[ \t]*mon[ _]host[ \t]*=[ \t]*\S`)

var (
	// keysOfCeph finds a key by how keys of Ceph look: 28 bytes, which begin with a version and a time.
	keysOfCeph = regexp.MustCompile(`\bAQ[A-Za-z0-9+/]{36,40}={0,2}`)
	// linesWithKey finds the lines of a ceph.conf that have one, or a keyring by itself and not by its path.
	linesWithKey = regexp.MustCompile(`(?mi)^[ \t]*(?:key[ \t]*=[ \t]*\S|keyring[ \t]*=[ \t]*["']?[A-Za-z0-9+][A-Za-z0-9+/=]{15,}["']?[ \t\r]*$)`)
)

// holdsKey tells whether a ceph.conf has the key of a user.
func holdsKey(conf string) bool {
	return keysOfCeph.MatchString(conf) || linesWithKey.MatchString(conf)
}

// ceph checks what belongs together in how Ceph is reached.
func (c *checker) ceph(cloud *Cloud) {
	ceph := cloud.Ceph
	at := func(name string) diag.Range { return orElse(ceph.Ranges[name], ceph.Range) }
	switch {
	case len(cloud.Services) == 0:
		c.fail(codeIncomplete, ceph.Range, "nothing to keep there", "the cloud has no service block, so it has no services of its own that would keep anything in Ceph", "take the block away")
		return
	case cloud.StorageBackend != storageCeph:
		c.fail(codeInvalid, ceph.Range, "not the storage of the cloud", "the cloud says how Ceph is reached, and keeps nothing there", `write in the cloud: storage_backend = "ceph"; or take the block away`)
		return
	case len(ceph.Monitors) == 0 && ceph.Conf == "" && ceph.Rook == "":
		c.fail(codeIncomplete, ceph.Range, "no monitors", "the block does not say where the monitors of Ceph are", `write, for example: mon_hosts = ["192.0.2.11", "192.0.2.12", "192.0.2.13"]`)
	case holdsKey(ceph.Conf):
		c.failHidden(codeInvalid, at("conf"), "a key that would be shown", "conf is put into a ConfigMap and shown in plans, and it has the key of a user",
			fmt.Sprintf("take the key out of it, and have it in a Secret: kubectl -n %s create secret generic ceph-volumes --from-literal=key=…; then write: volumes = { secret = \"ceph-volumes\" }; and make another key where this one was committed", cloud.Namespace))
	case ceph.Conf != "" && !namesMonitors.MatchString(ceph.Conf):
		c.fail(codeInvalid, at("conf"), "no monitors", "conf has no line for mon_host, without which nobody finds Ceph", `write the addresses there, for example: mon_host = 192.0.2.11; file("ceph.conf") reads a file`)
	}
	c.rook(cloud, at)
	for _, use := range []struct {
		name     string
		user     CephUser
		services []string
		needed   bool // a Secret, where the charts do not make the users
	}{
		{"images", ceph.Images, []string{images}, cloud.ImagesInCeph()},
		{"volumes", ceph.Volumes, []string{volumes, "nova", "libvirt"}, true},
		{"backups", ceph.Backups, []string{volumes}, ceph.Backups.User != ""},
	} {
		switch {
		case strings.HasPrefix(use.user.User, "client."):
			c.fail(codeInvalid, at(use.name), "not the name of a user", fmt.Sprintf("the charts put client. in front of the user of %s themselves", use.name), fmt.Sprintf("write: user = %q", strings.TrimPrefix(use.user.User, "client.")))
		case ceph.Admin != "" && use.user.Secret != "":
			c.fail(codeInvalid, at(use.name), "two ways to a key", fmt.Sprintf("%s has a Secret, and with admin_secret the charts make the users and Secrets with their keys", use.name), "take one of them away")
		case ceph.Rook != "":
			c.rookUser(use.name, use.user, at(use.name))
		case ceph.Admin == "" && use.user.Secret == "" && use.needed && cloud.runsAny(use.services):
			c.fail(codeIncomplete, at(use.name), "no key", fmt.Sprintf("nothing says with which key the user of %s gets into Ceph", use.name),
				fmt.Sprintf(`write, for example: %s = { secret = "ceph-%s" }; or admin_secret, for the charts to make the users`, use.name, use.name))
		}
	}
}

// images is the service that keeps them.
const images = "glance"

// ImagesInCeph tells whether Glance keeps images in a pool.
func (c *Cloud) ImagesInCeph() bool {
	for i := range c.Services {
		if s := &c.Services[i]; s.Name == images && s.Storage != "" {
			return s.Storage == schema.ImagesCeph
		}
	}
	return c.StorageBackend == storageCeph
}

// images checks that there is what Glance is to keep images in.
func (c *checker) images(cloud *Cloud, s *Service) {
	if s.Name != images || s.Storage != schema.ImagesCeph || cloud.StorageBackend == storageCeph {
		return
	}
	c.fail(codeInvalid, s.whereSet("storage"), "no Ceph", "images cannot be in a pool of Ceph, as the cloud has another storage_backend", `write in the cloud: storage_backend = "ceph"; or another storage here`)
}

// whereSet is where an attribute was written, and the service where it was not.
func (s *Service) whereSet(name string) diag.Range {
	where := s.Range
	for _, setting := range s.Settings {
		if setting.Name == name {
			where = setting.Range
		}
	}
	return where
}

// adapter checks that somebody needs what the adapter fetches from Rook, and that it does not go while somebody does.
func (c *checker) adapter(cloud *Cloud, s *Service) {
	switch {
	case s.Name != schema.RookAdapter:
	case !s.Enabled:
		users := slices.DeleteFunc([]string{images, volumes, "nova", "libvirt"}, func(user string) bool {
			return !cloud.Runs(user) || user == images && !cloud.ImagesInCeph()
		})
		if cloud.StorageBackend == storageCeph && cloud.Ceph == nil && len(users) > 0 {
			c.fail(codeInvalid, s.whereSet("enabled"), "no way to Ceph", fmt.Sprintf("with %s goes the ConfigMap ceph-etc, no block ceph makes another, and without it Ceph is out of reach for %s", s.Name, strings.Join(users, ", ")),
				`leave it enabled; or write in the cloud a block ceph with mon_hosts; or where that ConfigMap is made by hand, take the service's block away`)
		}
	case cloud.StorageBackend != storageCeph:
		c.fail(codeInvalid, s.Range, "no Ceph", s.Name+" leads the charts to Ceph, and the cloud keeps nothing there", `write in the cloud: storage_backend = "ceph"; or take the block away`)
	case cloud.Ceph != nil && cloud.Ceph.Admin == "" && cloud.Ceph.Rook == "":
		c.fail(codeInvalid, s.Range, "nothing to fetch", s.Name+" fetches the key of client.admin, and the block ceph has each user come with a key of its own",
			`write in ceph: admin_secret = "pvc-ceph-client-key", which it makes then; or take the service away`)
	}
}

// runsAny tells whether the cloud deploys one of some services.
func (c *Cloud) runsAny(services []string) bool { return slices.ContainsFunc(services, c.Runs) }
