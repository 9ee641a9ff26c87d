#define _GNU_SOURCE
#include "power_cut.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { worlds = 64, descriptors = 65536 };

struct journal {
    int is_on;
    size_t count, room;
    struct power_cut_step *steps;
};

struct place {
    int32_t world, machine;
    int is_folder;
    uint64_t file;
    char *path;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct journal journals[worlds];
static struct place places[descriptors];
static char folder[64];
static size_t folder_length;

const char *power_cut_folder(void) {
    if (folder_length == 0) {
        snprintf(folder, sizeof folder, "/dev/shm/ward-simulation-%d/", (int)getpid());
        folder_length = strlen(folder);
    }
    return folder;
}

// MARK: The journal

static int belongs(const char *path, int32_t *world, int32_t *machine) {
    if (folder_length == 0 || path == NULL || strncmp(path, folder, folder_length) != 0) return 0;
    char *end;
    long first = strtol(path + folder_length, &end, 10);
    if (end == path + folder_length || *end != '/' || first < 0 || first >= worlds) return 0;
    const char *rest = end + 1;
    long second = strtol(rest, &end, 10);
    if (end == rest || *end != '/') return 0;
    *world = (int32_t)first;
    *machine = (int32_t)second;
    return journals[first].is_on;
}

static void note(int32_t world, struct power_cut_step step, const void *bytes, const char *path, const char *other) {
    pthread_mutex_lock(&lock);
    struct journal *journal = &journals[world];
    if (journal->is_on) {
        if (journal->count == journal->room) {
            journal->room = journal->room ? journal->room * 2 : 1024;
            journal->steps = realloc(journal->steps, journal->room * sizeof *journal->steps);
        }
        if (bytes != NULL && step.count > 0) {
            uint8_t *copy = malloc(step.count);
            memcpy(copy, bytes, step.count);
            step.bytes = copy;
        }
        if (path != NULL) step.path = strdup(path);
        if (other != NULL) step.other = strdup(other);
        journal->steps[journal->count++] = step;
    }
    pthread_mutex_unlock(&lock);
}

static void release(struct power_cut_step *step) {
    free((void *)step->bytes);
    free((void *)step->path);
    free((void *)step->other);
    *step = (struct power_cut_step){.machine = step->machine};
}

void power_cut_begin(int32_t world) {
    power_cut_end(world);
    pthread_mutex_lock(&lock);
    journals[world].is_on = 1;
    pthread_mutex_unlock(&lock);
}

void power_cut_end(int32_t world) {
    pthread_mutex_lock(&lock);
    struct journal *journal = &journals[world];
    for (size_t index = 0; index < journal->count; index++) release(&journal->steps[index]);
    journal->count = 0;
    journal->is_on = 0;
    pthread_mutex_unlock(&lock);
}

size_t power_cut_count(int32_t world) {
    pthread_mutex_lock(&lock);
    size_t count = journals[world].count;
    pthread_mutex_unlock(&lock);
    return count;
}

struct power_cut_step power_cut_step_at(int32_t world, size_t index) {
    pthread_mutex_lock(&lock);
    struct power_cut_step step = journals[world].steps[index];
    pthread_mutex_unlock(&lock);
    return step;
}

void power_cut_forget(int32_t world, int32_t machine) {
    pthread_mutex_lock(&lock);
    struct journal *journal = &journals[world];
    for (size_t index = 0; index < journal->count; index++) {
        if (journal->steps[index].machine == machine) release(&journal->steps[index]);
    }
    pthread_mutex_unlock(&lock);
}

uint64_t power_cut_inode(const char *path) {
    struct stat status;
    return lstat(path, &status) == 0 ? (uint64_t)status.st_ino : 0;
}

// MARK: Descriptors

static void forget(int descriptor) {
    if (descriptor < 0 || descriptor >= descriptors || places[descriptor].path == NULL) return;
    pthread_mutex_lock(&lock);
    free(places[descriptor].path);
    places[descriptor].path = NULL;
    pthread_mutex_unlock(&lock);
}

static int has(int descriptor) {
    return descriptor >= 0 && descriptor < descriptors && places[descriptor].path != NULL;
}

// The path of a name in an open folder; empty if the folder is not written down.
static void absolute(int directory, const char *name, char *out, size_t room) {
    out[0] = 0;
    if (name == NULL) return;
    if (name[0] == '/') {
        snprintf(out, room, "%s", name);
    } else if (has(directory)) {
        if (strcmp(name, ".") == 0) snprintf(out, room, "%s", places[directory].path);
        else snprintf(out, room, "%s/%s", places[directory].path, name);
    }
}

static void opened(int descriptor, const char *path, int is_new) {
    int32_t world, machine;
    forget(descriptor);
    if (descriptor < 0 || descriptor >= descriptors || !belongs(path, &world, &machine)) return;
    struct stat status;
    if (fstat(descriptor, &status) != 0) return;
    pthread_mutex_lock(&lock);
    places[descriptor] = (struct place){
        .world = world,
        .machine = machine,
        .is_folder = S_ISDIR(status.st_mode),
        .file = (uint64_t)status.st_ino,
        .path = strdup(path),
    };
    pthread_mutex_unlock(&lock);
    if (is_new) {
        struct power_cut_step step = {.kind = POWER_CUT_LINK, .machine = machine, .file = (uint64_t)status.st_ino};
        note(world, step, NULL, path, NULL);
    }
}

#define REAL(name) \
    static __typeof__(&name) real; \
    if (real == NULL) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

static int is_missing(const char *path) {
    struct stat status;
    return lstat(path, &status) != 0;
}

static mode_t mode_of(int flags, va_list arguments) {
    return (flags & (O_CREAT | O_TMPFILE)) ? (mode_t)va_arg(arguments, int) : 0;
}

#define OPEN_AT(name) \
    int name(int directory, const char *path, int flags, ...) { \
        REAL(name); \
        va_list arguments; \
        va_start(arguments, flags); \
        mode_t mode = mode_of(flags, arguments); \
        va_end(arguments); \
        if (folder_length == 0) return real(directory, path, flags, mode); \
        char whole[4096]; \
        absolute(directory, path, whole, sizeof whole); \
        int is_new = whole[0] != 0 && (flags & O_CREAT) && is_missing(whole); \
        int descriptor = real(directory, path, flags, mode); \
        int reason = errno; \
        opened(descriptor, whole, is_new); \
        errno = reason; \
        return descriptor; \
    }

#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        REAL(name); \
        va_list arguments; \
        va_start(arguments, flags); \
        mode_t mode = mode_of(flags, arguments); \
        va_end(arguments); \
        if (folder_length == 0) return real(path, flags, mode); \
        int is_new = (flags & O_CREAT) && is_missing(path); \
        int descriptor = real(path, flags, mode); \
        int reason = errno; \
        opened(descriptor, path, is_new); \
        errno = reason; \
        return descriptor; \
    }

OPEN(open)
OPEN(open64)
OPEN_AT(openat)
OPEN_AT(openat64)

int close(int descriptor) {
    REAL(close);
    forget(descriptor);
    return real(descriptor);
}

// MARK: Contents

static void wrote(int descriptor, const void *bytes, ssize_t count, int64_t offset) {
    if (count <= 0) return;
    struct place *place = &places[descriptor];
    struct power_cut_step step = {
        .kind = POWER_CUT_WRITE, .machine = place->machine, .file = place->file, .offset = offset, .count = (size_t)count,
    };
    note(place->world, step, bytes, NULL, NULL);
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
    REAL(write);
    if (!has(descriptor)) return real(descriptor, bytes, count);
    int64_t offset = lseek(descriptor, 0, SEEK_CUR);
    ssize_t written = real(descriptor, bytes, count);
    int reason = errno;
    wrote(descriptor, bytes, written, offset);
    errno = reason;
    return written;
}

#define PWRITE(name, type) \
    ssize_t name(int descriptor, const void *bytes, size_t count, type offset) { \
        REAL(name); \
        ssize_t written = real(descriptor, bytes, count, offset); \
        int reason = errno; \
        if (has(descriptor)) wrote(descriptor, bytes, written, offset); \
        errno = reason; \
        return written; \
    }

PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

#define FTRUNCATE(name, type) \
    int name(int descriptor, type size) { \
        REAL(name); \
        int result = real(descriptor, size); \
        int reason = errno; \
        if (result == 0 && has(descriptor)) { \
            struct place *place = &places[descriptor]; \
            struct power_cut_step step = { \
                .kind = POWER_CUT_TRUNCATE, .machine = place->machine, .file = place->file, .offset = size, \
            }; \
            note(place->world, step, NULL, NULL, NULL); \
        } \
        errno = reason; \
        return result; \
    }

FTRUNCATE(ftruncate, off_t)
FTRUNCATE(ftruncate64, off64_t)

#define FSYNC(name) \
    int name(int descriptor) { \
        REAL(name); \
        int result = real(descriptor); \
        int reason = errno; \
        if (result == 0 && has(descriptor)) { \
            struct place *place = &places[descriptor]; \
            struct power_cut_step step = { \
                .kind = place->is_folder ? POWER_CUT_SYNC_NAMES : POWER_CUT_SYNC, \
                .machine = place->machine, \
                .file = place->file, \
            }; \
            note(place->world, step, NULL, place->path, NULL); \
        } \
        errno = reason; \
        return result; \
    }

FSYNC(fsync)
FSYNC(fdatasync)

// MARK: Names

static void named(int kind, const char *path, const char *other) {
    int32_t world, machine;
    if (!belongs(other != NULL ? other : path, &world, &machine)) return;
    struct power_cut_step step = {.kind = kind, .machine = machine};
    note(world, step, NULL, path, other);
}

int rename(const char *from, const char *to) {
    REAL(rename);
    int result = real(from, to);
    int reason = errno;
    if (result == 0) named(POWER_CUT_RENAME, from, to);
    errno = reason;
    return result;
}

int renameat(int from_folder, const char *from, int to_folder, const char *to) {
    REAL(renameat);
    int result = real(from_folder, from, to_folder, to);
    int reason = errno;
    if (result == 0 && folder_length > 0) {
        char old[4096], new[4096];
        absolute(from_folder, from, old, sizeof old);
        absolute(to_folder, to, new, sizeof new);
        named(POWER_CUT_RENAME, old, new);
    }
    errno = reason;
    return result;
}

int unlink(const char *path) {
    REAL(unlink);
    int result = real(path);
    int reason = errno;
    if (result == 0) named(POWER_CUT_UNLINK, path, NULL);
    errno = reason;
    return result;
}

int unlinkat(int directory, const char *path, int flags) {
    REAL(unlinkat);
    char whole[4096];
    whole[0] = 0;
    if (folder_length > 0 && !(flags & AT_REMOVEDIR)) absolute(directory, path, whole, sizeof whole);
    int result = real(directory, path, flags);
    int reason = errno;
    if (result == 0 && whole[0] != 0) named(POWER_CUT_UNLINK, whole, NULL);
    errno = reason;
    return result;
}

int link(const char *from, const char *to) {
    REAL(link);
    int result = real(from, to);
    int reason = errno;
    int32_t world, machine;
    if (result == 0 && belongs(to, &world, &machine)) {
        struct power_cut_step step = {.kind = POWER_CUT_LINK, .machine = machine, .file = power_cut_inode(to)};
        note(world, step, NULL, to, NULL);
    }
    errno = reason;
    return result;
}
