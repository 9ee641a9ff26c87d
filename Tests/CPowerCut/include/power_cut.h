#ifndef WARD_POWER_CUT_H
#define WARD_POWER_CUT_H

#include <stddef.h>
#include <stdint.h>

// Writes down what this process asks of the files below some folders, so that a test can tell what a power cut leaves of them.
//
// The functions of the C library that change files are replaced in the whole process, also for SQLite and Foundation. They do
// what they always do. A path is written down if it is /dev/shm/ward-simulation-<process>/<world>/<machine>/….

enum power_cut_kind {
    POWER_CUT_LINK = 1,      // a new file gets its first name
    POWER_CUT_WRITE = 2,     // bytes at an offset
    POWER_CUT_TRUNCATE = 3,  // the offset is the new size
    POWER_CUT_SYNC = 4,      // the contents of a file are on the disk
    POWER_CUT_SYNC_NAMES = 5,// the names in a folder are on the disk
    POWER_CUT_RENAME = 6,    // from `path` to `other`
    POWER_CUT_UNLINK = 7,
};

struct power_cut_step {
    int32_t kind;
    int32_t machine;
    uint64_t file;           // the number of the inode
    int64_t offset;
    size_t count;
    const uint8_t *bytes;
    const char *path;
    const char *other;
};

// The folder below which steps are written down, for this process; it ends with a slash.
const char *power_cut_folder(void);

// Begins to write down the steps of a world (0 to 63), or ends it and forgets them.
void power_cut_begin(int32_t world);
void power_cut_end(int32_t world);

// The number of steps so far, and one of them; the pointers are valid until the world ends or the machine is forgotten.
size_t power_cut_count(int32_t world);
struct power_cut_step power_cut_step_at(int32_t world, size_t index);

// Forgets the steps of a machine; their numbers stay.
void power_cut_forget(int32_t world, int32_t machine);

// The inode of a file; 0 if there is none.
uint64_t power_cut_inode(const char *path);

#endif
