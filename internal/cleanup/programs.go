package cleanup

// removeCatalogue deletes the endpoints of a service in our region, and the service when no region has any left.
const removeCatalogue = `set -eo pipefail
services=$(openstack service list -f value -c ID -c Name -c Type </dev/null)
while read -r id name type; do
  if [ "$name" != "$OS_SERVICE_NAME" ] || [ "$type" != "$OS_SERVICE_TYPE" ]; then
    continue
  fi
  endpoints=$(openstack endpoint list --service "$id" --region "${OS_REGION_NAME:?}" -f value -c ID </dev/null)
  for endpoint in $endpoints; do
    openstack endpoint delete "$endpoint" </dev/null
  done
  left=$(openstack endpoint list --service "$id" -f value -c ID </dev/null)
  if [ -n "$left" ]; then
    echo "$name ($type) stays: other regions have endpoints of it"
    continue
  fi
  openstack service delete "$id" </dev/null
  echo "deleted $name ($type)"
done <<<"$services"
`

// removeUser deletes a user, but not the one that it is done with.
const removeUser = `set -eo pipefail
if [ "$SERVICE_OS_USERNAME" = "$OS_USERNAME" ]; then
  echo "$OS_USERNAME stays: it is the administrator"
  exit 0
fi
users=$(openstack user list --domain "$SERVICE_OS_USER_DOMAIN_NAME" -f value -c ID -c Name </dev/null)
while read -r id name; do
  if [ "$name" = "$SERVICE_OS_USERNAME" ]; then
    openstack user delete "$id" </dev/null
    echo "deleted $name"
  fi
done <<<"$users"
`

// removeMessaging deletes a user and a virtual host. How the broker is reached says the first part of the chart's
// own script: there are two kinds of rabbitmqadmin.
const removeMessaging = `set -eo pipefail
. <(sed '/^echo "Managing: User/,$d' /tmp/rabbit-init.sh)
remove() {
  local all
  if [ "${RABBITMQADMIN_MAJOR:-1}" -eq 2 ]; then
    all=$(rabbitmqadmin_cli "$1" list) || exit 1
  else
    all=$(rabbitmqadmin_cli list "$1" name) || exit 1
  fi
  if ! awk -v name="$2" '{ for (i = 1; i <= NF; i++) if ($i == name) found = 1 } END { exit !found }' <<<"$all"; then
    echo "there is no $2 among the $1"
  elif [ "${RABBITMQADMIN_MAJOR:-1}" -eq 2 ]; then
    rabbitmqadmin_cli "$1" delete --name="$2"
  else
    rabbitmqadmin_cli delete "${1%s}" name="$2"
  fi
}
if [ "$RABBITMQ_USERNAME" = "$RABBITMQ_ADMIN_USERNAME" ]; then
  echo "$RABBITMQ_USERNAME stays: it is the administrator"
else
  remove users "$RABBITMQ_USERNAME"
fi
if [ "$RABBITMQ_VHOST" = / ]; then
  echo "the virtual host / stays: it is everybody's"
else
  remove vhosts "$RABBITMQ_VHOST"
fi
`
