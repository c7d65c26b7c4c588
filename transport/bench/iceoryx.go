package main

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"worstcase/rtsched"
	"worstcase/transport"
	"worstcase/transport/shm"
)

//go:embed c/iceoryx.c
var iceoryxSource []byte

// benchIceoryx compares with iceoryx's C binding and a wait set, where Debian's
// iceoryx and libiceoryx-binding-c-dev are installed.
func benchIceoryx() error {
	headers, _ := filepath.Glob("/usr/include/iceoryx/v*")
	if len(headers) == 0 {
		return fmt.Errorf("iceoryx is not installed: apt-get install iceoryx libiceoryx-binding-c-dev")
	}
	program, err := compile("iceoryx", iceoryxSource, "-I"+headers[0], "-liceoryx_binding_c")
	if err != nil {
		return err
	}
	defer program.remove()
	daemon := exec.Command("iox-roudi", "-m", "off")
	if err := daemon.Start(); err != nil {
		return err
	}
	defer func() {
		daemon.Process.Signal(os.Interrupt)
		daemon.Wait()
	}()
	time.Sleep(2 * time.Second) // it says on a log only that it is ready
	ours, theirs := side{name: "service p50, shm+futex, 1 kHz", unit: "ns"}, side{name: "iceoryx p50, wait set, 1 kHz", unit: "ns"}
	for range rounds {
		totals, _, err := measure(transport.Config{
			Transport: find("shm"), Notifier: shm.Futex, Rate: 1000, Policy: rtsched.Other, NoTouch: true,
		}, time.Second)
		if err != nil {
			return err
		}
		ours.add(p50(totals, transport.Service))
		out, err := program.run(1000, time.Millisecond)
		if err != nil {
			return err
		}
		theirs.add(out.P50)
	}
	ratio(&ours, &theirs, atMost(1))
	return nil
}
