removed {
  from = cloud.prod
}
