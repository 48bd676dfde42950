package faultproxy

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strings"
)

// subject is what a request is about, in words that are the same in every run with one seed: what was drawn about one
// request is drawn about it again, whatever else arrives before it.
type subject struct {
	proxy, verb string
	path        string // with the names of objects, and in the place of an id the name that the object was created with
	says        string // which of Git's services is meant; or what the body says, if it was read ahead: what is to be done, or the name of what is to be created
}

// Alias has draws take a text for another one, such as what keeps the names of this run's objects apart from those of
// other runs.
func (c *Control) Alias(text, means string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.aliases = append(c.aliases, text, means)
}

// about is the subject of a request; c.mu is held.
func (c *Control) about(p *Proxy, r *http.Request, verb string) subject {
	segments := strings.Split(r.URL.Path, "/")
	for i, segment := range segments {
		if name, known := c.names[segment]; known {
			segments[i] = name
		} else if openStackID.MatchString(segment) {
			segments[i] = "{id}"
		}
	}
	same := strings.NewReplacer(c.aliases...)
	key, object := only(Body(r))
	return subject{proxy: p.options.Name, verb: verb, path: same.Replace(strings.Join(segments, "/")), says: same.Replace(r.URL.Query().Get("service") + " " + key + " " + object.Name)}
}

// named is what an object's id and name are read from.
type named struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Metadata struct {
		Name string `json:"name"`
	} `json:"metadata"` // of Kubernetes
}

// only returns the one member of an object in JSON, and of that the id and the name if it has them. What has several
// members, as what Glance and Kubernetes say, is such an object itself.
func only(text []byte) (key string, object named) {
	var members map[string]json.RawMessage
	if json.Unmarshal(text, &members) != nil {
		return "", named{}
	}
	if len(members) == 1 {
		for key, text = range members {
			break
		}
	}
	if json.Unmarshal(text, &object) != nil {
		return key, named{} // an id that is a number, or no object at all
	}
	object.Name = cmp.Or(object.Name, object.Metadata.Name)
	return key, object
}

// learn remembers the name of what was created.
func (c *Control) learn(answer []byte) {
	if _, object := only(answer); openStackID.MatchString(object.ID) && object.Name != "" {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.names[object.ID] = object.Name
	}
}
