cloud "lab" {
  release = "2026.1"
  charts { repository = "charts" }

  service "glance" { virt_type = "kvm" }
  service "nova" { virt_type = "xen" }
}
