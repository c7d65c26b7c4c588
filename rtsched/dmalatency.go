package rtsched

import (
	"encoding/binary"
	"fmt"
	"os"
	"time"
)

// HoldDMALatency opens /dev/cpu_dma_latency and asks that no CPU enters an idle
// state whose exit takes longer than limit (Documentation/power/pm_qos_interface.rst,
// whole microseconds). The request lasts until the file is closed. It needs
// write access to the device, which root has.
func HoldDMALatency(limit time.Duration) (*os.File, error) {
	f, err := os.OpenFile("/dev/cpu_dma_latency", os.O_WRONLY, 0)
	if err != nil {
		return nil, fmt.Errorf("hold cpu dma latency: %w", err)
	}
	if err := binary.Write(f, binary.NativeEndian, int32(limit.Microseconds())); err != nil {
		f.Close()
		return nil, fmt.Errorf("hold cpu dma latency at %s: %w", limit, err)
	}
	return f, nil
}
