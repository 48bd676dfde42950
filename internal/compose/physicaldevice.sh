# Puts the DEVICE of a physical network into its BRIDGE, and stays for as long as it is there.
set -eu

vsctl() { ovs-vsctl --timeout=10 --db=unix:/run/openvswitch/db.sock "$@"; }

refuse() {
  echo "$DEVICE of node $NODE is not connected to the physical network $NETWORK: $1" | tee /dev/termination-log >&2
  exit 1
}

# A signal has to wait for no sleep.
pause() { sleep "$1" & wait $!; }
trap 'exit 0' TERM

# 0 says that the device is in the bridge, 1 that it is not, and 2 that nobody knows.
inside() {
  ports=$(vsctl list-ports "$BRIDGE") || return 2
  echo "$ports" | grep -qxF -- "$DEVICE"
}

# A device and all that it lies on: the parts of a bond, what VLANs are on, what is in a bridge of Linux. What is in a
# bridge of Open vSwitch is not below that, so a route that moved to the bridge is no obstacle.
below() {
  echo "$1"
  for lower in /sys/class/net/"$1"/lower_*; do
    if [ -e "$lower" ]; then below "${lower##*/lower_}"; fi
  done
}

# Refuses the device where one of some others lies on it.
spare() {
  for carrier in $2; do
    for one in $(below "$carrier"); do
      if [ "$one" = "$DEVICE" ]; then refuse "$1 is on $carrier, and would be lost; take another device"; fi
    done
  done
}

# Neutron's agent or OVN's controller makes it.
until vsctl br-exists "$BRIDGE"; do pause 5; done

inside && there=0 || there=$?
if [ "$there" = 2 ]; then refuse "Open vSwitch does not answer"; fi
if [ "$there" = 1 ]; then
  if [ ! -e /sys/class/net/"$DEVICE" ]; then refuse "the node has no such device"; fi
  # Open vSwitch would find it busy, but only after the one before had gone.
  master=$(readlink /sys/class/net/"$DEVICE"/master) || master=
  master=${master##*/}
  if [ -n "$master" ] && [ "$master" != ovs-system ]; then refuse "it is a part of $master"; fi
  routes=$(ip -4 route show default) || refuse "the default route cannot be read"
  spare "the default route" "$(echo "$routes" | sed -n 's/.* dev \([^ ]*\).*/\1/p')"
  if [ -e /proc/net/if_inet6 ]; then
    routes=$(ip -6 route show default) || refuse "the default route of IPv6 cannot be read"
    spare "the default route of IPv6" "$(echo "$routes" | sed -n 's/.* dev \([^ ]*\).*/\1/p')"
  fi
  addresses=$(ip -o address show to "$ADDRESS") || refuse "the address of the node cannot be read"
  spare "the address of the node" "$(echo "$addresses" | awk '{ print $2 }')"
fi

# Two devices in one bridge can make a loop, so the one before goes in the transaction in which this one comes: where
# Open vSwitch refuses, the one before stays. It may refuse a device only afterwards, so what went is written beside it
# until that is known: whatever ends this in between, the next start still puts it back.
mark=external_ids:kupenstack-physical-network
replaced=kupenstack-replaced
marked=$(vsctl --bare --columns=name find Port "$mark=\"$NETWORK\"") || refuse "Open vSwitch does not answer"
set --
places=
for old in $marked; do
  earlier=$(vsctl --if-exists get Port "$old" "external_ids:$replaced") || refuse "Open vSwitch does not answer"
  earlier=$(echo "$earlier" | tr -d '"')
  if [ "$old" != "$DEVICE" ] || [ "$there" = 1 ]; then
    from=$(vsctl port-to-br "$old") || refuse "Open vSwitch does not say where $old is"
    set -- "$@" -- --if-exists del-port "$old"
    earlier=${earlier:-$from/$old}
  fi
  if [ -n "$earlier" ]; then places="${places:+$places }$earlier"; fi
done
back=
for place in $places; do
  from=${place%%/*}
  old=${place#*/}
  vsctl br-exists "$from" && known=0 || known=$?
  case "$known" in
    0) ;;
    2) continue ;; # somebody took the bridge away since then
    *) refuse "Open vSwitch does not answer" ;;
  esac
  taken=$(vsctl --bare --columns=name find Port "name=\"$old\"") || refuse "Open vSwitch does not answer"
  if [ -z "$taken" ] || echo "$marked" | grep -qxF -- "$old"; then
    back="$back -- --may-exist add-port $from $old -- set Port $old $mark=\"$NETWORK\""
  fi
done
if [ -n "$places" ]; then set -- "$@" -- --may-exist add-port "$BRIDGE" "$DEVICE" -- set Port "$DEVICE" "external_ids:$replaced=\"$places\""; fi
vsctl "$@" -- --may-exist add-port "$BRIDGE" "$DEVICE" -- set Port "$DEVICE" "$mark=\"$NETWORK\"" || refuse "Open vSwitch does not take it into $BRIDGE"
trouble=$(vsctl --if-exists get Interface "$DEVICE" error) || refuse "Open vSwitch does not answer"
if [ -n "$trouble" ] && [ "$trouble" != "[]" ]; then
  # shellcheck disable=SC2086 # names have no spaces
  vsctl --if-exists del-port "$DEVICE" $back || trouble="$trouble, and it stays there"
  refuse "Open vSwitch does not take it: $trouble"
fi
vsctl --if-exists remove Port "$DEVICE" external_ids "$replaced" || refuse "Open vSwitch does not answer"

ip link set "$DEVICE" up || refuse "it cannot be switched on"
ip link set "$BRIDGE" up || refuse "$BRIDGE cannot be switched on"

# With an address the kernel deletes those that are secondary to it, so the bridge has all of them before the first goes.
# Whatever ends this in between, the device still has those that the next start has to move.
held() {
  listed=$(ip -o address show dev "$DEVICE" scope global) || refuse "its addresses cannot be read"
  echo "$listed" | awk '{ print $4 }'
}
addresses=$(held) || exit 1
for address in $addresses; do
  ip address replace "$address" dev "$BRIDGE" || refuse "$address cannot be put on $BRIDGE"
done
for address in $addresses; do
  left=$(held) || exit 1
  if echo "$left" | grep -qxF -- "$address"; then
    ip address delete "$address" dev "$DEVICE" || refuse "$address cannot be taken from it"
  fi
done
echo "$DEVICE is in $BRIDGE"

# It is put there again by the next start, with all that is asked before.
while pause 30; do
  inside && there=0 || there=$?
  if [ "$there" = 1 ]; then refuse "it has left $BRIDGE"; fi
done
