package openstack

import (
	"context"
	"errors"
	"fmt"
)

// PlayedHypervisor is the type that Nova tells of the hypervisors of [Cloud.ReportComputes].
const PlayedHypervisor = "played"

// ReportComputes has Nova hear of a nova-compute on each of some hosts. One that it has not heard of yet it has from
// then on, up for as long as Nova waits for the next report. No process stands behind it: it shows, as a
// hypervisor of the cell as well, and can be taken out of use, but as Placement does not know the host nothing is ever
// scheduled there. The hosts of
// [Cloud.Computes] report by themselves.
func (c *Cloud) ReportComputes(ctx context.Context, hosts ...string) error {
	if c.bed == nil {
		return fmt.Errorf("report computes: %w", ErrNotOurs)
	}
	statements, err := reportSQL(hosts)
	if err == nil && len(statements) > 0 {
		_, err = c.bed.sql(ctx, statements...)
	}
	if err != nil {
		return fmt.Errorf("report computes: %w", err)
	}
	return nil
}

// reportSQL writes what a nova-compute has its conductor write, and what Nova's scheduler adds once it has found the host.
// Each has the version of those that run, as an old one would keep all of Nova at what that can do.
func reportSQL(hosts []string) ([]string, error) {
	var statements []string
	for _, host := range hosts {
		if host == "" {
			return nil, errors.New("a compute needs a host")
		}
		for _, statement := range []string{
			"INSERT INTO nova.services" +
				" (created_at, host, `binary`, topic, report_count, disabled, deleted, last_seen_up, forced_down, version, uuid)" +
				" SELECT UTC_TIMESTAMP(), %[1]s, %[2]s, 'compute', 1, 0, 0, UTC_TIMESTAMP(), 0, known.version, UUID()" +
				" FROM (SELECT MAX(version) AS version FROM nova.services WHERE `binary` = %[2]s AND deleted = 0) AS known" +
				" ON DUPLICATE KEY UPDATE last_seen_up = UTC_TIMESTAMP(), report_count = nova.services.report_count + 1",
			"INSERT INTO nova.compute_nodes" +
				" (created_at, deleted, uuid, host, hypervisor_hostname, hypervisor_type, hypervisor_version, cpu_info," +
				" vcpus, memory_mb, local_gb, vcpus_used, memory_mb_used, local_gb_used, mapped)" +
				" SELECT UTC_TIMESTAMP(), 0, UUID(), %[1]s, %[1]s, '" + PlayedHypervisor + "', 1, '', 0, 0, 0, 0, 0, 0, 1 FROM DUAL" +
				" WHERE NOT EXISTS (SELECT 1 FROM nova.compute_nodes WHERE host = %[1]s AND deleted = 0)",
			"INSERT INTO nova_api.host_mappings (created_at, cell_id, host)" +
				" SELECT UTC_TIMESTAMP(), MAX(id), %[1]s FROM nova_api.cell_mappings" + // the last one is no cell0
				" WHERE NOT EXISTS (SELECT 1 FROM nova_api.host_mappings WHERE host = %[1]s) HAVING MAX(id) IS NOT NULL",
		} {
			statements = append(statements, fmt.Sprintf(statement, quote(host), quote(computeBinary)))
		}
	}
	return statements, nil
}
