package kernels

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/klauspost/compress/zstd"
)

// plainImage writes the kernel that an x86 boot image holds compressed beside
// it, as vmlinux: it boots five seconds faster where the processor is emulated.
// Where the payload lies is in the image's header (the kernel's
// Documentation/arch/x86/boot.rst: setup_sects, payload_offset, payload_length).
// An image with another compression is left as it is.
func plainImage(boot string) error {
	images, err := filepath.Glob(filepath.Join(boot, "vmlinuz-*"))
	if err != nil || len(images) != 1 {
		return fmt.Errorf("find the kernel in %s: %d images", boot, len(images))
	}
	image, err := os.ReadFile(images[0])
	if err != nil {
		return err
	}
	payload, err := payloadOf(image)
	if err != nil {
		return fmt.Errorf("read %s: %w", filepath.Base(images[0]), err)
	}
	plain, err := decompress(payload)
	if err != nil {
		return fmt.Errorf("unpack %s: %w", filepath.Base(images[0]), err)
	}
	if !bytes.HasPrefix(plain, []byte("\x7fELF")) {
		return nil
	}
	return os.WriteFile(filepath.Join(boot, "vmlinux"), plain, 0o644)
}

// payloadOf returns the compressed kernel within a boot image.
func payloadOf(image []byte) ([]byte, error) {
	if len(image) < 0x250 || string(image[0x202:0x206]) != "HdrS" {
		return nil, errors.New("it is no x86 boot image")
	}
	begin := (int(image[0x1f1])+1)*512 + int(binary.LittleEndian.Uint32(image[0x248:]))
	length := int(binary.LittleEndian.Uint32(image[0x24c:]))
	if begin < 0 || length < 0 || begin > len(image) || length > len(image)-begin {
		return nil, errors.New("its payload lies outside of it")
	}
	return image[begin : begin+length], nil
}

// decompress undoes xz, which Debian 12 uses, or zstd, which its backports use;
// of another compression it returns nothing.
func decompress(data []byte) ([]byte, error) {
	switch {
	case bytes.HasPrefix(data, []byte("\xfd7zXZ")):
		return unxz(data)
	case bytes.HasPrefix(data, []byte("\x28\xb5\x2f\xfd")):
		r, err := zstd.NewReader(bytes.NewReader(data))
		if err != nil {
			return nil, err
		}
		defer r.Close()
		plain, err := io.ReadAll(r)
		if len(plain) > 0 { // the size of the plain kernel follows the frame
			err = nil
		}
		return plain, err
	}
	return nil, nil
}

// unxz runs xz, whose complaint about what follows its data is no error here:
// in a boot image the size of the plain kernel does.
func unxz(data []byte) ([]byte, error) {
	cmd := exec.Command("xz", "-dcq", "--single-stream")
	cmd.Stdin = bytes.NewReader(data)
	plain, err := cmd.Output()
	if len(plain) == 0 && err != nil {
		return nil, fmt.Errorf("xz: %w", err)
	}
	return plain, nil
}
