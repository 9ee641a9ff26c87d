#pragma once
#include <errno.h>
#include <iconv.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define WARD_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define WARD_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#define WARD_ON(number, answer) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), BPF_STMT(BPF_RET | BPF_K, answer)

// Closes the process's memory to other programs of its user, and leaves no core dump.
static inline void ward_hide_memory(void) { (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

// From here on the process may compute, take memory, write to what is open, and end. A file that it opens is refused, and any
// other call of the kernel kills it. Returns 0, or an error number where the kernel has no such filters.
static inline int ward_confine(void) {
    // zbar converts texts with these. What stays open here is loaded already when zbar asks for it.
    (void)iconv_open("UTF-8", "UTF-8");
    (void)iconv_open("UTF-8", "ISO8859-1");
    (void)iconv_open("UTF-8", "SJIS");
    (void)iconv_open("UTF-8", "BIG-5");
    // libxml2 converts pages with these.
    (void)iconv_open("UTF-8", "EUC-JP");
    (void)iconv_open("UTF-8", "EUC-KR");
    (void)iconv_open("UTF-8", "GB18030");
    (void)iconv_open("UTF-8", "GBK");
    (void)iconv_open("UTF-8", "GB2312");
    (void)iconv_open("UTF-8", "SHIFT_JIS");
    (void)iconv_open("UTF-8", "WINDOWS-1251");
    (void)iconv_open("UTF-8", "WINDOWS-1252");
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
#ifdef WARD_ARCHITECTURE
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, WARD_ARCHITECTURE, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        WARD_ON(__NR_write, SECCOMP_RET_ALLOW),
        WARD_ON(__NR_brk, SECCOMP_RET_ALLOW),
        WARD_ON(__NR_mmap, SECCOMP_RET_ALLOW),
        WARD_ON(__NR_munmap, SECCOMP_RET_ALLOW),
        WARD_ON(__NR_mremap, SECCOMP_RET_ALLOW),
        WARD_ON(__NR_mprotect, SECCOMP_RET_ALLOW),
        WARD_ON(__NR_madvise, SECCOMP_RET_ALLOW),
        WARD_ON(__NR_futex, SECCOMP_RET_ALLOW),
        WARD_ON(__NR_getrandom, SECCOMP_RET_ALLOW),
        WARD_ON(__NR_clock_gettime, SECCOMP_RET_ALLOW),
        WARD_ON(__NR_gettimeofday, SECCOMP_RET_ALLOW),
        // The C library asks for the size of the memory before it sorts more than a kilobyte.
        WARD_ON(__NR_sysinfo, SECCOMP_RET_ALLOW),
        WARD_ON(__NR_rt_sigreturn, SECCOMP_RET_ALLOW),
        WARD_ON(__NR_exit, SECCOMP_RET_ALLOW),
        WARD_ON(__NR_exit_group, SECCOMP_RET_ALLOW),
        WARD_ON(__NR_openat, SECCOMP_RET_ERRNO | EACCES),
        WARD_ON(__NR_close, SECCOMP_RET_ERRNO | EACCES),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    };
    struct sock_fprog program = {sizeof rules / sizeof rules[0], rules};
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) != 0) return errno;
#endif
    return 0;
}
