package transport

import (
	"testing"

	"golang.org/x/sys/unix"
)

// BenchmarkMemory compares filling and reading a payload of 10 MB with what the
// machine's memory takes at least, over private and over shared memory.
func BenchmarkMemory(b *testing.B) {
	const size = 10 << 20
	shared, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_ANONYMOUS|unix.MAP_POPULATE)
	if err != nil {
		b.Fatal(err)
	}
	private := make([]byte, size)
	var p pattern
	for _, m := range []struct {
		name   string
		memory []byte
	}{{"private", private}, {"shared", shared}} {
		b.Run(m.name+"/memset", func(b *testing.B) {
			b.SetBytes(size)
			for b.Loop() {
				clear(m.memory)
			}
		})
		b.Run(m.name+"/fill", func(b *testing.B) {
			b.SetBytes(size)
			for b.Loop() {
				p.fill(m.memory, 1)
			}
		})
		b.Run(m.name+"/read", func(b *testing.B) {
			p.fill(m.memory, 1)
			b.SetBytes(size)
			for b.Loop() {
				if !p.verify(m.memory, 1) {
					b.Fatal("corrupt")
				}
			}
		})
	}
}
