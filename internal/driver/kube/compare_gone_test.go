package kube

import "testing"

// TestTakenAway: what an upgrade takes away is told, and not what it changes, what others have added, or what is gone already.
func TestTakenAway(t *testing.T) {
	c := &Cluster{}
	const head = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x}\nspec:\n"
	before := parse(t, head+`  replicas: 3
  template:
    spec:
      priorityClassName: high
      dnsPolicy: Default
      tolerations: [{key: a, effect: NoSchedule}]
      containers:
      - {name: api, image: "x:1", args: [a, b], env: [{name: A, value: "1"}, {name: B, value: "2"}], resources: {limits: {memory: 1Gi}}}
      - {name: beside, image: "y:1"}
`)
	desired := parse(t, head+`  replicas: 3
  template:
    spec:
      containers:
      - {name: api, image: "x:2", env: [{name: A, value: "1"}]}
`)
	live := parse(t, head+`  replicas: 3
  paused: true
  template:
    spec:
      priorityClassName: high
      tolerations: [{key: a, effect: NoSchedule}, {key: b}]
      containers:
      - {name: api, image: "x:1", args: [a, b], env: [{name: A, value: "1"}, {name: B, value: "2"}, {name: C, value: "3"}], resources: {limits: {memory: 1Gi}}}
      - {name: beside, image: "y:1"}
      - {name: mesh, image: "z:1"}
`)
	const want = `spec.template.spec.containers[api].args: ["a","b"] -> 
spec.template.spec.containers[api].env[B]: {"name":"B","value":"2"} -> 
spec.template.spec.containers[api].resources: {"limits":{"memory":"1Gi"}} -> 
spec.template.spec.containers[beside]: {"image":"y:1","name":"beside"} -> 
spec.template.spec.priorityClassName: high -> 
spec.template.spec.tolerations[0]: {"effect":"NoSchedule","key":"a"} -> 
`
	if got := lines(c.TakenAway(before, desired, live)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	secret := func(data string) string {
		return "apiVersion: v1\nkind: Secret\nmetadata: {name: x}\ndata: {" + data + "}\n"
	}
	both := parse(t, secret("a: YQ==, b: Yg=="))
	if got, want := lines(c.TakenAway(both, parse(t, secret("a: YQ==")), both)), "data.b: (sensitive) -> \n"; got != want {
		t.Errorf("of a Secret: got %q, want %q", got, want)
	}
	clear := parse(t, "apiVersion: v1\nkind: Secret\nmetadata: {name: x}\nstringData: {a: a, b: b}\n")
	if got := c.TakenAway(clear, clear, both); got != nil {
		t.Errorf("of a Secret that is written in clear: got %v", got)
	}
	if got := c.TakenAway(both, both, both); got != nil {
		t.Errorf("of nothing: got %v", got)
	}
}
