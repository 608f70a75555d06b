"""The numbers of the system calls that :mod:`svc.base.processes.seccomp` allows or answers with the end of the process.

Each name with its number on x86-64 and on arm64, as the kernel's headers have them (arch/x86/entry/syscalls/syscall_64.tbl,
include/uapi/asm-generic/unistd.h); None: the machine has none of that name. Numbers never change.
"""

from typing import TypeAlias

Table: TypeAlias = dict[str, tuple[int | None, int | None]]
MACHINES = ("x86_64", "aarch64")  # the order of the numbers
NEWEST = 462  # the highest number that was looked at: the C library must be told that newer ones do not exist

# Files, which Landlock and the permissions limit.
FILES: Table = {
    "read": (0, 63), "write": (1, 64), "readv": (19, 65), "writev": (20, 66), "pread64": (17, 67), "pwrite64": (18, 68),
    "preadv": (295, 69), "pwritev": (296, 70), "preadv2": (327, 286), "pwritev2": (328, 287), "lseek": (8, 62),
    "close": (3, 57), "close_range": (436, 436), "open": (2, None), "openat": (257, 56), "openat2": (437, 437),
    "creat": (85, None), "stat": (4, None), "fstat": (5, 80), "lstat": (6, None), "newfstatat": (262, 79),
    "statx": (332, 291), "statfs": (137, 43), "fstatfs": (138, 44), "access": (21, None), "faccessat": (269, 48),
    "faccessat2": (439, 439), "readlink": (89, None), "readlinkat": (267, 78), "getdents": (78, None),
    "getdents64": (217, 61), "getcwd": (79, 17), "chdir": (80, 49), "fchdir": (81, 50), "mkdir": (83, None),
    "mkdirat": (258, 34), "rmdir": (84, None), "unlink": (87, None), "unlinkat": (263, 35), "rename": (82, None),
    "renameat": (264, 38), "renameat2": (316, 276), "link": (86, None), "linkat": (265, 37), "symlink": (88, None),
    "symlinkat": (266, 36), "truncate": (76, 45), "ftruncate": (77, 46), "fallocate": (285, 47), "fsync": (74, 82),
    "fdatasync": (75, 83), "sync_file_range": (277, 84), "syncfs": (306, 267), "chmod": (90, None), "fchmod": (91, 52),
    "fchmodat": (268, 53), "fchmodat2": (452, 452), "chown": (92, None), "fchown": (93, 55), "lchown": (94, None),
    "fchownat": (260, 54), "umask": (95, 166), "utime": (132, None), "utimes": (235, None), "futimesat": (261, None),
    "utimensat": (280, 88), "fadvise64": (221, 223), "readahead": (187, 213), "cachestat": (451, 451), "flock": (73, 32),
    "fcntl": (72, 25), "ioctl": (16, 29), "dup": (32, 23), "dup2": (33, None), "dup3": (292, 24), "pipe": (22, None),
    "pipe2": (293, 59), "sendfile": (40, 71), "splice": (275, 76), "tee": (276, 77), "copy_file_range": (326, 285),
    "getxattr": (191, 8), "lgetxattr": (192, 9), "fgetxattr": (193, 10), "listxattr": (194, 11), "llistxattr": (195, 12),
    "flistxattr": (196, 13), "memfd_create": (319, 279),
}  # fmt: skip
# Waiting, pipes, and the sockets that a process was given or that lead to itself.
EVENTS: Table = {
    "poll": (7, None), "ppoll": (271, 73), "select": (23, None), "pselect6": (270, 72), "epoll_create": (213, None),
    "epoll_create1": (291, 20), "epoll_ctl": (233, 21), "epoll_wait": (232, None), "epoll_pwait": (281, 22),
    "epoll_pwait2": (441, 441), "eventfd": (284, None), "eventfd2": (290, 19), "signalfd": (282, None),
    "signalfd4": (289, 74), "timerfd_create": (283, 85), "timerfd_settime": (286, 86), "timerfd_gettime": (287, 87),
    "socketpair": (53, 199), "sendto": (44, 206), "recvfrom": (45, 207), "sendmsg": (46, 211), "recvmsg": (47, 212),
    "shutdown": (48, 210), "getsockname": (51, 204), "getpeername": (52, 205), "getsockopt": (55, 209),
    "setsockopt": (54, 208),
}  # fmt: skip
# Memory.
MEMORY: Table = {
    "brk": (12, 214), "mmap": (9, 222), "munmap": (11, 215), "mremap": (25, 216), "mprotect": (10, 226), "madvise": (28, 233),
    "msync": (26, 227), "mincore": (27, 232), "mlock": (149, 228), "mlock2": (325, 284), "munlock": (150, 229),
    "mlockall": (151, 230), "munlockall": (152, 231), "membarrier": (324, 283), "get_mempolicy": (239, 236),
    "mbind": (237, 235), "set_mempolicy": (238, 237),
    "pkey_alloc": (330, 289), "pkey_free": (331, 290), "pkey_mprotect": (329, 288), "map_shadow_stack": (453, 453),
    "mseal": (462, 462),
}  # fmt: skip
# Threads; clone is filtered by its flags.
THREADS: Table = {
    "futex": (202, 98), "futex_waitv": (449, 449), "futex_wake": (454, 454), "futex_wait": (455, 455),
    "futex_requeue": (456, 456), "set_robust_list": (273, 99), "get_robust_list": (274, 100), "set_tid_address": (218, 96),
    "rseq": (334, 293), "gettid": (186, 178), "tkill": (200, 130), "tgkill": (234, 131), "sched_yield": (24, 124),
    "sched_getaffinity": (204, 123), "sched_setaffinity": (203, 122), "sched_getparam": (143, 121),
    "sched_setparam": (142, 118), "sched_getscheduler": (145, 120), "sched_setscheduler": (144, 119),
    "sched_getattr": (315, 275), "sched_setattr": (314, 274), "sched_get_priority_max": (146, 125),
    "sched_get_priority_min": (147, 126), "sched_rr_get_interval": (148, 127), "getcpu": (309, 168),
    "arch_prctl": (158, None), "prctl": (157, 167), "exit": (60, 93), "exit_group": (231, 94),
}  # fmt: skip
# Signals.
SIGNALS: Table = {
    "wait4": (61, 260), "waitid": (247, 95), "rt_sigaction": (13, 134), "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139), "rt_sigpending": (127, 136),
    "rt_sigtimedwait": (128, 137), "rt_sigsuspend": (130, 133), "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240), "sigaltstack": (131, 132), "kill": (62, 129), "pause": (34, None),
    "restart_syscall": (219, 128),
}  # fmt: skip
# Clocks and timers.
TIME: Table = {
    "nanosleep": (35, 101), "clock_nanosleep": (230, 115), "clock_gettime": (228, 113), "clock_getres": (229, 114),
    "gettimeofday": (96, 169), "time": (201, None), "times": (100, 153), "alarm": (37, None), "getitimer": (36, 102),
    "setitimer": (38, 103), "timer_create": (222, 107), "timer_settime": (223, 110), "timer_gettime": (224, 108),
    "timer_getoverrun": (225, 109), "timer_delete": (226, 111),
}  # fmt: skip
# What a process is, and its limits.
SELF: Table = {
    "getpid": (39, 172), "getppid": (110, 173), "getpgrp": (111, None), "getpgid": (121, 155), "getsid": (124, 156),
    "getuid": (102, 174), "geteuid": (107, 175), "getgid": (104, 176), "getegid": (108, 177), "getresuid": (118, 148),
    "getresgid": (120, 150), "getgroups": (115, 158), "capget": (125, 90), "getrlimit": (97, 163), "setrlimit": (160, 164),
    "prlimit64": (302, 261), "getrusage": (98, 165), "getpriority": (140, 141), "setpriority": (141, 140),
    "ioprio_get": (252, 31), "ioprio_set": (251, 30), "sysinfo": (99, 179), "uname": (63, 160), "getrandom": (318, 278),
}  # fmt: skip
# For steps that call a model.
NETWORK: Table = {
    "socket": (41, 198), "connect": (42, 203), "bind": (49, 200), "listen": (50, 201), "accept": (43, 202),
    "accept4": (288, 242), "sendmmsg": (307, 269), "recvmmsg": (299, 243),
}  # fmt: skip
# For steps that start processes.
CHILDREN: Table = {
    "fork": (57, None), "vfork": (58, None), "execve": (59, 221), "execveat": (322, 281),
    "pidfd_open": (434, 434), "pidfd_send_signal": (424, 424),
}  # fmt: skip
# Nothing that a step is made of calls these even to try: who does has taken it over, and the process is killed.
FATAL: Table = {
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "bpf": (321, 280),
    "kexec_load": (246, 104), "kexec_file_load": (320, 294), "init_module": (175, 105), "finit_module": (313, 273),
    "delete_module": (176, 106), "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41),
    "open_by_handle_at": (304, 265), "setns": (308, 268), "unshare": (272, 97), "reboot": (169, 142), "swapon": (167, 224),
    "swapoff": (168, 225), "iopl": (172, None), "ioperm": (173, None),
}  # fmt: skip

# Filtered by its flags, and refused because its flags cannot be seen.
CLONE: Table = {"clone": (56, 220)}
CLONE3: Table = {"clone3": (435, 435)}
