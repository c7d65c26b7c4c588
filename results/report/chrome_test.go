package report_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"
)

// A browser is a headless Chromium that is spoken to over two pipes, in the
// Chrome DevTools Protocol: JSON messages that end in a zero byte. No port is
// opened.
type browser struct {
	t       *testing.T
	to      *os.File
	session string

	mu      sync.Mutex
	next    int
	waiting map[int]chan json.RawMessage
	events  []event
	arrived chan struct{} // has a value when an event came
}

type event struct {
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// open starts a browser with one empty page, and ends it with the test.
func open(t *testing.T) *browser {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("chromium is not installed")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	cmd := exec.CommandContext(ctx, path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
		"--window-size=1280,1000", "--user-data-dir="+t.TempDir(), "--remote-debugging-pipe")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	theirIn, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	from, theirOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.ExtraFiles = []*os.File{theirIn, theirOut} // descriptors 3 and 4
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirIn.Close()
	theirOut.Close()
	b := &browser{t: t, to: to, waiting: map[int]chan json.RawMessage{}, arrived: make(chan struct{}, 1)}
	go b.read(from)
	t.Cleanup(func() {
		b.mu.Lock()
		b.session = ""
		b.mu.Unlock()
		to.Close() // the browser ends when its pipe does
		done := time.AfterFunc(3*time.Second, cancel)
		cmd.Wait()
		done.Stop()
		cancel()
		from.Close()
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	})
	target := struct{ TargetID string }{}
	b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	attached := struct{ SessionID string }{}
	b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	b.session = attached.SessionID
	for _, domain := range []string{"Page", "Runtime", "Network", "Log"} {
		b.call(domain+".enable", nil, nil)
	}
	return b
}

// read hands answers to their callers and keeps events.
func (b *browser) read(from *os.File) {
	r := bufio.NewReaderSize(from, 1<<20)
	for {
		line, err := r.ReadBytes(0)
		if err != nil {
			return
		}
		var m struct {
			ID     int             `json:"id"`
			Result json.RawMessage `json:"result"`
			Error  json.RawMessage `json:"error"`
			event
		}
		if json.Unmarshal(line[:len(line)-1], &m) != nil {
			continue
		}
		b.mu.Lock()
		if m.ID == 0 {
			b.events = append(b.events, m.event)
			select {
			case b.arrived <- struct{}{}:
			default:
			}
		} else if c := b.waiting[m.ID]; c != nil {
			delete(b.waiting, m.ID)
			if m.Error != nil {
				m.Result = nil
				b.t.Logf("the browser says %s", m.Error)
			}
			c <- m.Result
		}
		b.mu.Unlock()
	}
}

// call sends a command and waits for its result.
func (b *browser) call(method string, params, result any) {
	b.t.Helper()
	b.mu.Lock()
	b.next++
	id, answer := b.next, make(chan json.RawMessage, 1)
	b.waiting[id] = answer
	b.mu.Unlock()
	m := map[string]any{"id": id, "method": method}
	if params != nil {
		m["params"] = params
	}
	if b.session != "" {
		m["sessionId"] = b.session
	}
	text, err := json.Marshal(m)
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.to.Write(append(text, 0)); err != nil {
		b.t.Fatalf("speak to chromium: %v", err)
	}
	select {
	case got := <-answer:
		if got == nil {
			b.t.Fatalf("%s was refused", method)
		}
		if result != nil {
			if err := json.Unmarshal(got, result); err != nil {
				b.t.Fatal(err)
			}
		}
	case <-time.After(2 * time.Minute):
		b.t.Fatalf("%s: no answer", method)
	}
}

// load opens a file and waits until it has loaded. Events before it are
// forgotten.
func (b *browser) load(path string) {
	b.t.Helper()
	b.mu.Lock()
	b.events = nil
	b.mu.Unlock()
	b.call("Page.navigate", map[string]any{"url": "file://" + path}, nil)
	deadline := time.After(2 * time.Minute)
	for len(b.seen("Page.loadEventFired")) == 0 {
		select {
		case <-b.arrived:
		case <-deadline:
			b.t.Fatal("the page did not load")
		}
	}
}

// seen returns the parameters of all events of a kind.
func (b *browser) seen(method string) (list []json.RawMessage) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range b.events {
		if e.Method == method {
			list = append(list, e.Params)
		}
	}
	return list
}

// eval runs an expression in the page, after its next frame, and decodes its
// value.
func (b *browser) eval(expression string, result any) {
	b.t.Helper()
	var r struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	b.call("Runtime.evaluate", map[string]any{
		"expression":    "new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(" + expression + "))))",
		"returnByValue": true, "awaitPromise": true,
	}, &r)
	if r.ExceptionDetails != nil {
		b.t.Fatalf("%s: %s", expression, r.ExceptionDetails)
	}
	if result != nil {
		if err := json.Unmarshal(r.Result.Value, result); err != nil {
			b.t.Fatalf("%s gave %s: %v", expression, r.Result.Value, err)
		}
	}
}

// mouse sends one event of the mouse: mousePressed, mouseMoved, mouseReleased.
func (b *browser) mouse(kind string, x, y float64, clicks int) {
	b.t.Helper()
	p := map[string]any{"type": kind, "x": x, "y": y, "clickCount": clicks}
	if kind != "mouseMoved" || clicks > 0 {
		p["button"], p["buttons"] = "left", 1
	}
	b.call("Input.dispatchMouseEvent", p, nil)
}

// picture saves what the whole page looks like.
func (b *browser) picture(path string) {
	b.t.Helper()
	var shot struct{ Data string }
	b.call("Page.captureScreenshot", map[string]any{"captureBeyondViewport": true, "format": "png"}, &shot)
	data, err := base64.StdEncoding.DecodeString(shot.Data)
	if err == nil {
		err = os.WriteFile(path, data, 0o644)
	}
	if err != nil {
		b.t.Fatal(fmt.Errorf("save a picture of the page: %w", err))
	}
}
