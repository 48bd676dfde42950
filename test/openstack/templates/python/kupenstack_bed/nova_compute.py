"""nova-compute with a fake hypervisor whose servers survive a restart."""

import functools

from nova.cmd import compute  # first: it patches the standard library for eventlet

from nova.compute import power_state
from nova.conductor import api as conductor
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

# Ask for the conductor each second instead of each tenth: both start at the same time.
conductor.API.wait_until_ready = functools.partialmethod(
    conductor.API.wait_until_ready, early_timeout=1, early_attempts=600)

main = compute.main
