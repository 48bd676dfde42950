# Prefixed to every expression about pods in pod.yaml. `player` is defined by stages.go.
def annotation($name): .metadata.annotations["testbed.kupenstack.io/" + $name];

# Only what still lives changes its state: phases Succeeded and Failed are final.
def living: .metadata.deletionTimestamp == null and (.status.phase == "Pending" or .status.phase == "Running");
def condition($type): any(.status.conditions[]?; .type == $type and .status == "True");

# Nobody but a player advances a played pod.
def played: player and .metadata.labels.application != null
  and annotation("behave") == null and annotation("ready-after") == null;

# The state a pod should be in. Every stage compares it with the status, so that a lost or
# doubled step is made good by the next event.
def desired:
  if annotation("behave") != null then annotation("behave")
  elif played then annotation("run") // "created" # no stage leads further
  elif .spec.restartPolicy == "Always" then "ready"
  else "completed" end;

# A misspelt behaviour would lead to no stage at all, and the pod would wait for no reason that is seen.
def misspelt: annotation("behave") as $b | $b != null and all("never-ready", "crashloop", "image-pull", "fail"; . != $b);

def has_init: (.spec.initContainers // []) != [];
def created: .status.startTime != null;
def initialized: (has_init | not) or condition("Initialized");

def waiting: .status.containerStatuses[0].state.waiting;
def restarts: annotation("restarts") // "" | if test("^(0|[1-9][0-9]{0,8})$") then tonumber else 5 end;
def crash_wanted: ["CrashLoopBackOff", (annotation("reason") // "back-off 5m0s restarting failed container"), restarts];
def crash_seen: [waiting.reason, (waiting.message // ""), .status.containerStatuses[0].restartCount];
