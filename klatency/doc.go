// Package klatency measures wake-ups inside the kernel, takes each one apart,
// and says who was to blame for the long ones.
//
// A Tracer follows threads that sleep until absolute dates, with eBPF programs
// at the kernel's tracepoints: no module, no patch. What it records of one
// wake-up is a list of events from the due time to where the thread sleeps
// again; Divide gives that time to stages and culprits.
//
// What the kernel keeps from being traced stays unknown, and is counted as
// such: no stage is a remainder.
package klatency
