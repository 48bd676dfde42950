package compose

import "maps"

// withPorts returns values with the ports of endpoints as OpenStack-Helm's charts take them: they print them as
// numbers with a fraction, as those of a values file are for Helm, and make nonsense of any others.
func withPorts(values map[string]any) map[string]any {
	return within(values, "endpoints", func(all any) any {
		return eachOf(all, func(endpoint any) any {
			tree, ok := endpoint.(map[string]any)
			if !ok {
				return endpoint
			}
			return within(tree, "port", func(ports any) any {
				return eachOf(ports, func(of any) any { return eachOf(of, printed) })
			})
		})
	})
}

func printed(port any) any {
	if n, whole := port.(int64); whole {
		return float64(n)
	}
	return port
}

// within returns a tree with something else at a key, if there is something.
func within(tree map[string]any, key string, change func(any) any) map[string]any {
	v, ok := tree[key]
	if !ok {
		return tree
	}
	tree = maps.Clone(tree)
	tree[key] = change(v)
	return tree
}

// eachOf returns a tree with something else at each of its keys; what is no tree stays.
func eachOf(v any, change func(any) any) any {
	tree, ok := v.(map[string]any)
	if !ok {
		return v
	}
	changed := make(map[string]any, len(tree))
	for key, element := range tree {
		changed[key] = change(element)
	}
	return changed
}
