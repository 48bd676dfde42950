package cleanup

// say tells something that people are to hear: Kubernetes keeps it with the status of the pod.
const say = `say() {
  echo "$*"
  { echo "$*" >>/dev/termination-log; } 2>/dev/null || true
}
`

// removeCatalogue deletes the endpoints of a service in our region, and the service when no region has any left.
const removeCatalogue = `set -eo pipefail
` + say + `services=$(openstack service list -f value -c ID -c Name -c Type </dev/null)
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
    say "$name ($type) stays in the catalogue: other regions have endpoints of it"
    continue
  fi
  openstack service delete "$id" </dev/null
  echo "deleted $name ($type)"
done <<<"$services"
`

// serviceTypes is the variable with the types that the services of a release have in the catalogue.
const serviceTypes = "KUPENSTACK_SERVICE_TYPES"

// elsewhere finds the regions beside ours that have endpoints of the same services. Who has one user for all of
// them needs it there. Endpoints without a region are everybody's.
const elsewhere = `regions=""
services=$(openstack service list -f value -c ID -c Type </dev/null)
while read -r id type; do
  case " $KUPENSTACK_SERVICE_TYPES " in *" $type "*) ;; *) continue ;; esac
  found=$(openstack endpoint list --service "$id" -f value -c Region </dev/null)
  while read -r region; do
    if [ -n "$region" ] && [ "$region" != "${OS_REGION_NAME:?}" ]; then
      case " $regions " in *" $region "*) ;; *) regions="$regions $region" ;; esac
    fi
  done <<<"$found"
done <<<"$services"
`

// removeUser deletes a user, but not the one that it is done with, and none that another region may use.
const removeUser = `set -eo pipefail
` + say + elsewhere + `if [ "$SERVICE_OS_USERNAME" = "$OS_USERNAME" ]; then
  say "$OS_USERNAME stays: it is the administrator"
  exit 0
fi
if [ -n "$regions" ]; then
  say "the user $SERVICE_OS_USERNAME stays: other regions have the service:$regions"
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

// removeDomain deletes a domain of users that a service makes itself, with all of them, and its user there. One that
// was there before the service stays, as its description tells, and then only the user goes. Keystone lets no
// domain be deleted that is enabled.
const removeDomain = `set -eo pipefail
` + say + elsewhere + `if [ -n "$regions" ]; then
  say "the domain $SERVICE_OS_DOMAIN_NAME stays: other regions have the service:$regions"
  exit 0
fi
domains=$(openstack domain list -f value -c ID -c Name </dev/null)
while read -r id name; do
  if [ "$name" != "$SERVICE_OS_DOMAIN_NAME" ]; then
    continue
  fi
  about=$(openstack domain show -f value -c description "$id" </dev/null)
  if [ "$about" = "Service Domain for $name" ] && [ "$id" != default ] && [ "$name" != "$OS_USER_DOMAIN_NAME" ] && [ "$name" != "$OS_PROJECT_DOMAIN_NAME" ]; then
    openstack domain set --disable "$id" </dev/null
    openstack domain delete "$id" </dev/null
    echo "deleted the domain $name"
    continue
  fi
  say "the domain $name stays: it was there before the service"
  users=$(openstack user list --domain "$id" -f value -c ID -c Name </dev/null)
  while read -r user known; do
    if [ "$known" = "$SERVICE_OS_USERNAME" ] && [ "$known" != "$OS_USERNAME" ]; then
      openstack user delete "$user" </dev/null
      echo "deleted $known"
    fi
  done <<<"$users"
done <<<"$domains"
`

// removeMessaging deletes a user and a virtual host. How the broker is reached says the first part of the chart's
// own script: there are two kinds of rabbitmqadmin.
const removeMessaging = `set -eo pipefail
` + say + `. <(sed '/^echo "Managing: User/,$d' /tmp/rabbit-init.sh)
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
  say "$RABBITMQ_USERNAME stays: it is the administrator"
else
  remove users "$RABBITMQ_USERNAME"
fi
if [ "$RABBITMQ_VHOST" = / ]; then
  say "the virtual host / stays: it is everybody's"
else
  remove vhosts "$RABBITMQ_VHOST"
fi
`
