from keystone.server.wsgi import initialize_public_application

application = initialize_public_application()

# Keystone builds its policy enforcer at the first request and without a lock, so that
# first requests that race get a 403. Build it now.
from keystone.common.rbac_enforcer.enforcer import RBACEnforcer

RBACEnforcer()._enforcer.load_rules()

# As launch.py does for the others.
import gc

gc.freeze()
gc.set_threshold(20000, 20, 20)
