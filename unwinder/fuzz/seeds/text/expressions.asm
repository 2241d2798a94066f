stackproof table text 1
function fde.1
  +0x0 cfa=rsp+16 ra=c-8
  +0x6 cfa=rsp+24 ra=c-8
  +0x10 end
function fde.2
  +0x0 cfa=rsp+8 ra=c-8
  +0x8 end
function _start
  +0x0 cfa=rsp+8 ra=undefined
  +0x22 end
function clobbers
  +0x0 cfa=rsp+8 ra=c-8
  +0x1 cfa=rsp+16 ra=c-8 rbp=c-16
  +0x2 cfa=rsp+24 ra=c-8 rbx=c-24 rbp=c-16
  +0xa cfa=rsp+16 ra=c-8 rbp=c-16
  +0xb cfa=rsp+8 ra=c-8
  +0xc end
function cfa_in_memory
  +0x0 cfa=rsp+8 ra=c-8
  +0x3 cfa=rax+8 ra=c-8
  +0x10 cfa=exp(breg7+56; deref; plus_uconst 8) ra=c-8
  +0x1c cfa=rsp+8 ra=c-8
  +0x1d end
function cfa_in_memory_far
  +0x0 cfa=rsp+8 ra=c-8
  +0x1 cfa=rsp+16 ra=c-8 rbx=c-16
  +0x4 cfa=rbx+16 ra=c-8 rbx=c-16
  +0x1e cfa=exp(breg7+320; deref; plus_uconst 264) ra=c-8 rbx=c-16
  +0x2f cfa=rsp+264 ra=c-8 rbx=c-16
  +0x36 cfa=rsp+16 ra=c-8 rbx=c-16
  +0x37 cfa=rsp+8 ra=c-8
  +0x38 end
function drap
  +0x0 cfa=rsp+8 ra=c-8
  +0x5 cfa=r10+0 ra=c-8
  +0x11 cfa=r10+0 ra=c-8 rbp=exp(breg6+0)
  +0x13 cfa=exp(breg6-8; deref) ra=c-8 rbp=exp(breg6+0)
  +0x14 cfa=exp(breg6-8; deref) ra=c-8 rbx=exp(breg6-16) rbp=exp(breg6+0)
  +0x26 cfa=exp(breg6-8; deref) ra=c-8 rbp=exp(breg6+0)
  +0x28 cfa=r10+0 ra=c-8 rbp=exp(breg6+0)
  +0x29 cfa=r10+0 ra=c-8
  +0x2d cfa=rsp+8 ra=c-8
  +0x2e end
function on_rbx
  +0x0 cfa=rsp+8 ra=c-8
  +0x1 cfa=rsp+16 ra=c-8 rbx=c-16
  +0x6 cfa=rbx+32 ra=c-8 rbx=c-16
  +0x15 cfa=rsp+16 ra=c-8 rbx=c-16
  +0x16 cfa=rsp+8 ra=c-8
  +0x17 end
function main
  +0x0 cfa=rsp+8 ra=c-8
  +0x4 cfa=rsp+16 ra=c-8
  +0x15 cfa=rsp+8 ra=c-8
  +0x16 end
