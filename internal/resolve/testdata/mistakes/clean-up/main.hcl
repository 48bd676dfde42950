cloud "lab" {
  release = "2026.1"
  charts { repository = "charts" }

  service "glance" { clean_up = ["database"] }
  service "heat" {
    enabled  = false
    clean_up = []
  }
  service "horizon" {
    enabled  = false
    clean_up = ["database", "users"]
  }
  service "rabbitmq" {
    enabled  = false
    clean_up = ["messaging"]
  }
  service "nova" {
    enabled  = false
    clean_up = ["pools", "users"]
  }
}
