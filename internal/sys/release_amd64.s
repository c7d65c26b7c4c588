//go:build !race

#include "textflag.h"

// func StoreRelease(w *atomic.Uint32, value uint32)
TEXT ·StoreRelease(SB), NOSPLIT, $0-12
	MOVQ w+0(FP), AX
	MOVL value+8(FP), CX
	MOVL CX, (AX)
	RET
