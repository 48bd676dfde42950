cloud "demo" {
  release = "2026.1"

  charts {
    repository = "oci://registry.example.org/openstack-helm"
  }

  service "keystone" {
    ignore_drift = [{ kind = "deployment", path = "spec.replicas" }]
  }
  service "glance" {
    ignore_drift = [{ kind = "Deployment", path = "status.replicas" }]
  }
  service "nova" {
    ignore_drift = [{ kind = "Deployment", path = "metadata.name" }]
  }
  service "neutron" {
    ignore_drift = [{ path = "spec.replicas" }]
  }
}

chart "cert-manager" {
  ignore_drift = [{ kind = "Deployment", name = "", path = "spec.replicas" }]
}

chart "ingress" {
  ignore_drift = [{ kind = "Deployment", path = "spec.containers[]" }]
}

chart "dashboard" {
  ignore_drift = [{ kind = "ConfigMap", path = "data[\"dashboard.conf\"]" }]
}

profile "base" {
  service "keystone" {
    ignore_drift = [{ kind = "Deployment", path = "spec.replicas" }]
  }
}
