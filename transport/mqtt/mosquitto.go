package mqtt

import (
	"fmt"
	"net"
	"os/exec"
	"strings"

	"worstcase/internal/remedy"
	"worstcase/transport"
)

// Mosquitto is a Transport with Debian's mosquitto for a server.
type Mosquitto struct{ Transport }

const mosquitto = "mosquitto"

// Name is mosquitto.
func (Mosquitto) Name() string { return mosquitto }

// Describe names the version of the server.
func (Mosquitto) Describe() string {
	version := "not installed"
	// It prints its help with status 3.
	out, _ := exec.Command(mosquitto, "-h").Output()
	if first, _, ok := strings.Cut(string(out), "\n"); ok {
		version = strings.TrimPrefix(first, "mosquitto version ")
	}
	return "MQTT 3.1.1, paho client, mosquitto server " + version
}

// Check says whether the server is installed.
func (Mosquitto) Check() error {
	if _, err := exec.LookPath(mosquitto); err != nil {
		return remedy.Unavailable(err, "install it (apt-get install mosquitto), or name a running one with mqtt --url")
	}
	return nil
}

// Broker starts the server.
func (m Mosquitto) Broker(o transport.Options) (*transport.Broker, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	return transport.StartEmbedded(m, o)
}

// portTries is how often ServeBroker looks for a port: another program may take
// one between its finding and its use.
const portTries = 3

// ServeBroker runs the server on a free port of the loopback interface. It keeps
// nothing on disk, and has no limits on what may wait for a subscriber. It stays
// the user that it is: one that changes is no longer ended with its parent.
func (Mosquitto) ServeBroker(transport.Options) (b *transport.Broker, err error) {
	for range portTries {
		var listener net.Listener
		if listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			return nil, err
		}
		address := listener.Addr().String()
		listener.Close()
		host, port, _ := net.SplitHostPort(address)
		cmd := exec.Command(mosquitto, "-c", "/dev/stdin")
		cmd.Stdin = strings.NewReader(fmt.Sprintf(
			"user root\nlistener %s %s\nallow_anonymous true\npersistence false\nmax_queued_messages 0\nmax_inflight_messages 0\nlog_dest stderr\nlog_type error\n",
			port, host))
		if b, err = transport.StartProgram(cmd, "tcp", address); err == nil {
			b.URL = "tcp://" + address
			return b, nil
		}
	}
	return nil, err
}
