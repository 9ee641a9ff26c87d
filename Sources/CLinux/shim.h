#pragma once
#include <fcntl.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <systemd/sd-bus.h>

// GNU's own, which the headers hand out only under _GNU_SOURCE; with that, types of this module would not be those of others.
int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *__restrict, const char *__restrict);
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *, int);
int pipe2(int [2], int);
enum { WARD_SPAWN_SETSID = 0x80 };

// prctl takes any number of arguments, which Swift cannot call.
static inline int ward_set_dumpable(int on) { return prctl(PR_SET_DUMPABLE, on, 0, 0, 0); }

// Locks that belong to an open file, which only GNU's headers name: F_OFD_SETLK and F_OFD_GETLK.
static inline int ward_lock_file(int descriptor) {
    struct flock lock = {.l_type = F_WRLCK};
    return fcntl(descriptor, 37, &lock);
}
static inline int ward_is_file_locked(int descriptor) {
    struct flock lock = {.l_type = F_WRLCK};
    return fcntl(descriptor, 36, &lock) == 0 && lock.l_type != F_UNLCK;
}

// Starts a program in a session of its own, in /, with nothing open but /dev/null: a daemon. Where input or errors is a
// descriptor, above 2, that is its standard input or standard error instead. Returns 0 or an error number.
static inline int ward_spawn_daemon(pid_t *pid, const char *path, char *const arguments[], char *const environment[],
                                    int input, int errors) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int result = posix_spawn_file_actions_init(&actions);
    if (result != 0) return result;
    result = posix_spawnattr_init(&attributes);
    if (result == 0) {
        result = posix_spawnattr_setflags(&attributes, WARD_SPAWN_SETSID);
        for (int descriptor = 0; descriptor < 3 && result == 0; descriptor++)
            result = posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0);
        if (result == 0 && input > 2) result = posix_spawn_file_actions_adddup2(&actions, input, 0);
        if (result == 0 && errors > 2) result = posix_spawn_file_actions_adddup2(&actions, errors, 2);
        if (result == 0) result = posix_spawn_file_actions_addclosefrom_np(&actions, 3);
        if (result == 0) result = posix_spawn_file_actions_addchdir_np(&actions, "/");
        if (result == 0) result = posix_spawn(pid, path, &actions, &attributes, arguments, environment);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return result;
}
