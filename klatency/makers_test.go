package klatency

import (
	"net"
	"testing"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"golang.org/x/sys/unix"

	"worstcase/internal/sys"
)

// timers lets thousands of timers expire at once, a little before a due time:
// their handlers run in the interrupt before that of the target's timer.
func timers(t *testing.T, g *target) func() {
	var fds []int
	t.Cleanup(func() {
		for _, fd := range fds {
			unix.Close(fd)
		}
	})
	for range 4000 {
		fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_CLOEXEC)
		if err != nil {
			t.Errorf("make timer %d: %v", len(fds), err)
			return func() {}
		}
		fds = append(fds, fd)
	}
	return func() {
		// In ten periods, so that all are armed by then.
		now := sys.Nanotime()
		due := now + 10*g.period
		due -= (due - g.first) % g.period
		spec := unix.ItimerSpec{Value: unix.NsecToTimespec(due - 30e3)}
		for _, fd := range fds {
			unix.TimerfdSettime(fd, unix.TFD_TIMER_ABSTIME, &spec, nil)
		}
		spec.Value = unix.NsecToTimespec(due + 2*g.period)
		unix.ClockNanosleep(unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME, &spec.Value, nil)
	}
}

// multicast sends one datagram to thousands of sockets: all of it is received
// in one softirq on the sender's CPU.
func multicast(t *testing.T, _ *target) func() {
	group := [4]byte{239, 255, 77, 7}
	const port = 47077
	open := func() int {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			t.Errorf("make socket: %v", err)
			return -1
		}
		t.Cleanup(func() { unix.Close(fd) })
		return fd
	}
	for range 2000 {
		fd := open()
		if fd < 0 {
			return func() {}
		}
		unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1)
		err := unix.Bind(fd, &unix.SockaddrInet4{Port: port, Addr: group})
		if err == nil {
			err = unix.SetsockoptIPMreq(fd, unix.IPPROTO_IP, unix.IP_ADD_MEMBERSHIP, &unix.IPMreq{Multiaddr: group, Interface: loopback()})
		}
		if err != nil {
			t.Errorf("join the group: %v", err)
			return func() {}
		}
	}
	out := open()
	unix.SetsockoptInet4Addr(out, unix.IPPROTO_IP, unix.IP_MULTICAST_IF, loopback())
	datagram := make([]byte, 64)
	return func() {
		for until := sys.Nanotime() + int64(spike); sys.Nanotime() < until; {
			if err := unix.Sendto(out, datagram, 0, &unix.SockaddrInet4{Port: port, Addr: group}); err != nil {
				t.Errorf("send to the group: %v", err)
				return
			}
		}
	}
}

func loopback() [4]byte { return [4]byte(net.IPv4(127, 0, 0, 1).To4()) }

// interruptsOff runs an eBPF program that does nothing for some 400 us, again and
// again, in an interrupt of the target's CPU: as far as user space can get to keep a CPU
// from its timer.
func interruptsOff(t *testing.T, g *target) func() {
	const rounds = 4000 // the verifier gives up beyond 8192 jumps
	code := asm.Instructions{
		asm.FnKtimeGetNs.Call(),
		asm.Mov.Reg(asm.R6, asm.R0),
		asm.Mov.Imm(asm.R7, 0),
		asm.FnKtimeGetNs.Call().WithSymbol("again"),
		asm.FnKtimeGetNs.Call(), asm.FnKtimeGetNs.Call(), asm.FnKtimeGetNs.Call(), asm.FnKtimeGetNs.Call(),
		asm.Sub.Reg(asm.R0, asm.R6),
		asm.JGT.Imm(asm.R0, int32(spike), "out"),
		asm.Add.Imm(asm.R7, 1),
		asm.JLT.Imm(asm.R7, rounds, "again"),
		asm.Mov.Imm(asm.R0, 0).WithSymbol("out"),
		asm.Return(),
	}
	program, err := ebpf.NewProgram(&ebpf.ProgramSpec{
		Type: ebpf.RawTracepoint, License: "GPL", Name: "busy", Instructions: code,
	})
	if err != nil {
		t.Errorf("load a program: %v", err)
		return func() {}
	}
	t.Cleanup(func() { program.Close() })
	const onCPU = 1 // BPF_F_TEST_RUN_ON_CPU
	return func() {
		for until := sys.Nanotime() + int64(spike); sys.Nanotime() < until; {
			if _, err := program.Run(&ebpf.RunOptions{Flags: onCPU, CPU: uint32(g.cpu)}); err != nil {
				t.Errorf("run a program on cpu %d: %v", g.cpu, err)
				return
			}
		}
	}
}
