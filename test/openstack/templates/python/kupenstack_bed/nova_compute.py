"""nova-compute with a fake hypervisor whose servers survive a restart."""

from nova.cmd import compute  # first: it patches the standard library for eventlet

from nova.compute import power_state
from nova.servicegroup import api as servicegroup
from nova.virt import fake


class RestoringFakeDriver(fake.FakeDriver):

    def resume_state_on_host_boot(self, context, instance, network_info,
                                  block_device_info=None):
        self.instances[instance.uuid] = fake.FakeInstance(
            instance.name, power_state.RUNNING, instance.uuid)


# Nova looks for drivers only below nova.virt.
fake.RestoringFakeDriver = RestoringFakeDriver

# Report up at once instead of after five seconds: tests wait for it.
servicegroup.INITIAL_REPORTING_DELAY = 0

main = compute.main
