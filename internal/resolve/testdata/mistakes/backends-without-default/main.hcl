cloud "test" {
  release = "2026.1"
  charts { repository = "charts" }
  service "cinder" {
    backend "fast" { type = "lvm" }
    backend "files" {
      type  = "nfs"
      share = "nfs.example.org:/volumes"
    }
  }
}
