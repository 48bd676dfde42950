package wire

import "testing"

// TestNewsOfNodes has only labels count that somebody has asked for, and misses none that changed meanwhile.
func TestNewsOfNodes(t *testing.T) {
	t.Parallel()
	type nodes = map[string]map[string]string
	w := newNodeWatch()
	if w.news(nodes{"a": nil}) {
		t.Error("nobody was told of nodes, but there is news")
	}
	w.tell(nodes{"a": {"gpu": "a100", "rack": "1"}})
	for _, step := range []struct {
		name  string
		now   nodes
		count []string
		news  bool
	}{
		{"nothing", nodes{"a": {"gpu": "a100", "rack": "1"}}, nil, false},
		{"a label that nobody asked for", nodes{"a": {"gpu": "t4", "rack": "1"}}, nil, false},
		{"the same, now that somebody asks", nodes{"a": {"gpu": "t4", "rack": "1"}}, []string{"gpu"}, true},
		{"the same again", nodes{"a": {"gpu": "t4", "rack": "1"}}, nil, false},
		{"another label", nodes{"a": {"gpu": "t4", "rack": "2"}}, nil, false},
		{"a label that goes", nodes{"a": {"rack": "2"}}, nil, true},
		{"one that comes back empty", nodes{"a": {"gpu": "", "rack": "2"}}, nil, true},
		{"a node that comes", nodes{"a": {"gpu": ""}, "b": {}}, nil, true},
		{"a node that goes", nodes{"a": {"gpu": ""}}, nil, true},
	} {
		for len(w.heard) > 0 {
			<-w.heard
		}
		w.count(step.count)
		if asked := len(w.heard) > 0; asked != (len(step.count) > 0) {
			t.Errorf("%s: the nodes are looked at again: %t", step.name, asked)
		}
		if got := w.news(step.now); got != step.news {
			t.Errorf("%s: news is %t", step.name, got)
		}
	}
}

// TestNewsThatWasTold has a change be news once though a revision was told of it, as nothing may have come of that.
func TestNewsThatWasTold(t *testing.T) {
	t.Parallel()
	type nodes = map[string]map[string]string
	w := newNodeWatch()
	w.tell(nodes{"a": {"gpu": "a100"}})
	w.count([]string{"gpu"})
	<-w.heard
	w.tell(nodes{"a": {"gpu": "a100", "rack": "1"}})
	if len(w.heard) > 0 || w.news(nodes{"a": {"gpu": "a100"}}) {
		t.Error("nothing that counts changed, but there is news")
	}
	changed := nodes{"a": {"gpu": "t4"}}
	w.tell(changed)
	if len(w.heard) == 0 || !w.news(changed) {
		t.Error("a label changed, but that is no news")
	}
	w.tell(changed) // as what is composed of the news is
	if w.news(changed) {
		t.Error("the same is news twice")
	}
}
