package loadgen

import (
	"errors"
	"fmt"
	"net"
	"runtime"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"

	"worstcase/internal/remedy"
)

func netnsKind() Kind {
	return Kind{
		Name:     "netns",
		Stresses: "the network between two namespaces: a TCP and a UDP flood through a pair of virtual Ethernet devices",
		Needs:    "root, and CONFIG_VETH",
		Counter:  "/proc/softirqs NET_RX",
		Parts:    floods(betweenNamespaces),
	}
}

// The addresses of the two ends. Nobody else sees them.
var (
	nearAddress = [4]byte{192, 0, 2, 1}
	farAddress  = [4]byte{192, 0, 2, 2}
)

// betweenNamespaces starts a flood between two new network namespaces. These
// live as long as the flood's sockets.
func betweenNamespaces(f flood) func(*worker, []*uint32) error {
	return func(w *worker, lanes []*uint32) error {
		done := make(chan error)
		go func() {
			runtime.LockOSThread() // the thread ends with the goroutine: nothing else gets into its namespace
			near, far, err := namespaces()
			if err != nil {
				done <- err
				return
			}
			defer near.Close()
			defer far.Close()
			done <- f(w, lanes[0], path{
				to:   nearAddress,
				send: func() error { return netns.Set(far) }, receive: func() error { return netns.Set(near) },
			})
		}()
		return <-done
	}
}

// namespaces makes two network namespaces with a virtual wire between them. It
// leaves the thread in the second.
func namespaces() (near, far netns.NsHandle, err error) {
	if near, err = newNamespace(); err != nil {
		return near, far, err
	}
	if far, err = newNamespace(); err != nil {
		return near, far, errors.Join(err, near.Close())
	}
	if err = wire(near, far); err != nil {
		err = errors.Join(err, near.Close(), far.Close())
	}
	return near, far, err
}

func newNamespace() (netns.NsHandle, error) {
	ns, err := netns.New()
	if errors.Is(err, unix.EPERM) {
		return ns, remedy.Unavailable(fmt.Errorf("make a network namespace: %w", err), "run as root, or use the load net, which needs no namespace")
	}
	if err != nil {
		return ns, fmt.Errorf("make a network namespace: %w", err)
	}
	return ns, nil
}

func wire(near, far netns.NsHandle) error {
	link := &netlink.Veth{
		LinkAttrs: netlink.LinkAttrs{Name: "near"},
		PeerName:  "far", PeerNamespace: netlink.NsFd(far),
	}
	for _, end := range []struct {
		ns      netns.NsHandle
		name    string
		address [4]byte
	}{{near, link.Name, nearAddress}, {far, link.PeerName, farAddress}} {
		if err := connectEnd(end.ns, end.name, end.address, link); err != nil {
			return fmt.Errorf("wire two network namespaces: %w", err)
		}
	}
	return nil
}

// connectEnd brings up one end of link, which it makes where it isn't there yet.
func connectEnd(ns netns.NsHandle, name string, address [4]byte, link *netlink.Veth) error {
	h, err := netlink.NewHandleAt(ns, unix.NETLINK_ROUTE)
	if err != nil {
		return err
	}
	defer h.Close()
	if name == link.Name {
		err := h.LinkAdd(link)
		if errors.Is(err, unix.EOPNOTSUPP) {
			return remedy.Unavailable(fmt.Errorf("make a pair of virtual Ethernet devices: %w", err), "use a kernel with CONFIG_VETH, or the load net")
		}
		if err != nil {
			return err
		}
	}
	end, err := h.LinkByName(name)
	if err != nil {
		return err
	}
	if err := h.AddrAdd(end, &netlink.Addr{IPNet: &net.IPNet{IP: address[:], Mask: net.CIDRMask(24, 32)}}); err != nil {
		return err
	}
	return h.LinkSetUp(end)
}
