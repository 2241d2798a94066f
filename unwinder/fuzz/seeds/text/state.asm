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
function top
  +0x0 cfa=rsp+8 ra=c-8
  +0x4 end
function early
  +0x0 cfa=rsp+8 ra=c-8
  +0x1 cfa=rsp+16 ra=c-8 rbx=c-16
  +0x3 cfa=rsp+24 ra=c-8 rbx=c-16 r12=c-24
  +0x7 cfa=rsp+32 ra=c-8 rbx=c-16 r12=c-24
  +0x13 cfa=rsp+24 ra=c-8 rbx=c-16 r12=c-24
  +0x15 cfa=rsp+16 ra=c-8 rbx=c-16
  +0x16 cfa=rsp+8 ra=c-8
  +0x17 cfa=rsp+32 ra=c-8 rbx=c-16 r12=c-24
  +0x28 cfa=rsp+24 ra=c-8 rbx=c-16 r12=c-24
  +0x2a cfa=rsp+16 ra=c-8 rbx=c-16
  +0x2b cfa=rsp+8 ra=c-8
  +0x2c end
function nested
  +0x0 cfa=rsp+8 ra=c-8
  +0x1 cfa=rsp+16 ra=c-8 rbx=c-16
  +0x5 cfa=rsp+24 ra=c-8 rbx=c-16 r13=c-24
  +0x7 cfa=rsp+32 ra=c-8 rbx=c-16 r13=c-24 r14=c-32
  +0xb cfa=rsp+96 ra=c-8 rbx=c-16 r13=c-24 r14=c-32
  +0x19 cfa=rsp+32 ra=c-8 rbx=c-16 r13=c-24 r14=c-32
  +0x1d cfa=rsp+24 ra=c-8 rbx=c-16 r13=c-24
  +0x20 cfa=rsp+16 ra=c-8 rbx=c-16
  +0x26 cfa=rsp+8 ra=c-8
  +0x27 end
function main
  +0x0 cfa=rsp+8 ra=c-8
  +0x1 cfa=rsp+16 ra=c-8 rbx=c-16
  +0x1c cfa=rsp+8 ra=c-8
  +0x1d end
