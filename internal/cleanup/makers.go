package cleanup

import "github.com/kupenstack/kupenstack-sync/schema"

// maker is a Job of OpenStack-Helm's charts that makes something in another service.
type maker struct {
	job     string // the end of its name
	program string // what its containers run
	// remover takes away what the program makes, in its place and in its environment; "" where the chart may
	// have a program for that.
	remover string
	// part tells the Job that takes it away from the others of the same kind; "" for the first of them.
	part string
	// optional tells that not every service that has the kind has this Job.
	optional bool
}

// The programs of the Jobs for databases.
const (
	databaseMaker   = "db-init.py"
	databaseRemover = "db-drop.py"
)

// makers are the Jobs that make each of [schema.Leftovers], in the order in which that is taken away.
func makers() map[string][]maker {
	return map[string][]maker{
		schema.LeftCatalogue: {{job: "ks-service", program: "ks-service.sh", remover: removeCatalogue}},
		schema.LeftUsers: {
			{job: "ks-user", program: "ks-user.sh", remover: removeUser},
			{job: "domain-ks-user", program: "ks-domain-user.sh", remover: removeDomain, part: "domain", optional: true},
		},
		schema.LeftMessaging: {{job: "rabbit-init", program: "rabbit-init.sh", remover: removeMessaging}},
		schema.LeftDatabase:  {{job: "db-init", program: databaseMaker}},
		schema.LeftPools: {
			{job: "storage-init", program: "storage-init.sh", remover: removePool, optional: true},
			{job: "backup-storage-init", program: "backup-storage-init.sh", remover: removePool, part: "backup", optional: true},
		},
	}
}

// name is that of the Job that takes away what one of the makers has made.
func (m maker) name(release, left string) string {
	name := release + "-clean-" + left
	if m.part != "" {
		name += "-" + m.part
	}
	return name
}

// Names are those of all Jobs that take away one of [schema.Leftovers], whether a release has them or not.
func Names(release, left string) []string {
	var names []string
	for _, m := range makers()[left] {
		names = append(names, m.name(release, left))
	}
	return names
}

// Maker is the name of the first Job that makes one of [schema.Leftovers].
func Maker(release, left string) string { return release + "-" + makers()[left][0].job }
