from cinder.volume import driver


class NullDriver(driver.VolumeDriver):
    """Volumes that exist only in Cinder's database."""

    VERSION = '1.0'

    def do_setup(self, context):
        pass

    def check_for_setup_error(self):
        pass

    def create_volume(self, volume):
        return {}

    def delete_volume(self, volume):
        pass

    def create_snapshot(self, snapshot):
        return {}

    def delete_snapshot(self, snapshot):
        pass

    def create_volume_from_snapshot(self, volume, snapshot):
        return {}

    def create_cloned_volume(self, volume, src_vref):
        return {}

    def extend_volume(self, volume, new_size):
        pass

    def copy_image_to_volume(self, context, volume, image_service, image_id,
                             disable_sparse=False):
        pass

    def copy_volume_to_image(self, context, volume, image_service, image_meta):
        pass

    def clone_image(self, context, volume, image_location, image_meta,
                    image_service):
        return {}, True

    def retype(self, context, volume, new_type, diff, host):
        return True, {}

    def ensure_export(self, context, volume):
        pass

    def create_export(self, context, volume, connector):
        return {}

    def remove_export(self, context, volume):
        pass

    def initialize_connection(self, volume, connector, **kwargs):
        return {'driver_volume_type': 'fake_type',
                'data': {'volume_id': volume.id, 'access_mode': 'rw'}}

    def terminate_connection(self, volume, connector, **kwargs):
        pass

    def get_volume_stats(self, refresh=False):
        name = self.configuration.safe_get('volume_backend_name')
        return {
            'volume_backend_name': name,
            'vendor_name': 'kupenstack',
            'driver_version': self.VERSION,
            'storage_protocol': 'fake',
            'pools': [{
                'pool_name': 'pool',
                'total_capacity_gb': 1000000,
                'free_capacity_gb': 1000000,
                'reserved_percentage': 0,
                'multiattach': True,
                'thin_provisioning_support': True,
                'provisioned_capacity_gb': 0,
                'max_over_subscription_ratio': '20.0',
                'QoS_support': True,
            }],
        }
