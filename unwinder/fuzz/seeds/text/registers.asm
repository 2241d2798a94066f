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
  +0x4 cfa=rsp+64 ra=c-8
  +0x9 cfa=rsp+64 ra=c-8 r12=c-56
  +0xe cfa=rsp+64 ra=c-8 rbx=c-24 r12=c-56
  +0x13 cfa=rsp+64 ra=c-8 rbx=c-24 rbp=c-48 r12=c-56 r15=same
  +0x22 cfa=rsp+64 ra=c-8 rbx=c-24 rbp=c-48 r15=same
  +0x27 cfa=rsp+64 ra=c-8 rbp=c-48 r15=same
  +0x2c cfa=rsp+64 ra=c-8 r15=same
  +0x30 cfa=rsp+8 ra=c-8 r15=same
  +0x31 end
function on_rbx
  +0x0 cfa=rsp+8 ra=c-8
  +0x1 cfa=rsp+16 ra=c-8 rbx=c-16
  +0x4 cfa=rbx+16 ra=c-8 rbx=c-16
  +0x15 cfa=rsp+16 ra=c-8 rbx=c-16
  +0x16 cfa=rsp+8 ra=c-8
  +0x17 end
function on_r12
  +0x0 cfa=rsp+8 ra=c-8
  +0x2 cfa=rsp+16 ra=c-8 r12=c-16
  +0x7 cfa=r12+40 ra=c-8 r12=c-16
  +0x21 cfa=rsp+16 ra=c-8 r12=c-16
  +0x23 cfa=rsp+8 ra=c-8
  +0x24 end
function on_r10
  +0x0 cfa=rsp+8 ra=c-8
  +0x5 cfa=r10+0 ra=c-8
  +0x17 cfa=rsp+8 ra=c-8
  +0x18 end
function rbp_is_distance
  +0x0 cfa=rsp+8 ra=c-8 rbp=v+16
  +0x4 cfa=rsp+16 ra=c-8 rbp=v+16
  +0x16 cfa=rsp+8 ra=c-8 rbp=v+16
  +0x17 end
function on_rbp
  +0x0 cfa=rsp+8 ra=c-8
  +0x1 cfa=rsp+16 ra=c-8 rbp=c-16
  +0x5 cfa=rsp+80 ra=c-8 rbp=c-16
  +0xa cfa=rbp+64 ra=c-8 rbp=c-16
  +0x15 cfa=rsp+16 ra=c-8 rbp=c-16
  +0x16 cfa=rsp+8 ra=c-8
  +0x17 end
function main
  +0x0 cfa=rsp+8 ra=c-8
  +0x1 cfa=rsp+16 ra=c-8 rbx=c-16
  +0x1d cfa=rsp+8 ra=c-8
  +0x1e end
