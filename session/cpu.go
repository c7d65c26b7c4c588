package session

import (
	"slices"

	"worstcase/host"
	"worstcase/rtsched"
)

// DefaultCPU is the CPU that is measured when none is named: the first isolated
// one, else the last one on which the process may run.
func DefaultCPU() (int, error) {
	allowed, err := rtsched.AllowedCPUs()
	if err != nil {
		return 0, err
	}
	isolated, err := host.IsolatedCPUs()
	if err == nil && len(isolated) > 0 {
		return isolated[0], nil
	}
	return slices.Max(allowed), nil
}
