/* Tells the thread sanitizer what Swift's Mutex does when two threads want it at once; preloaded by Scripts/sanitize.
 *
 * The standard library is not built with the sanitizer. Taking a free Mutex is an atomic exchange in the caller, which the
 * sanitizer sees. For one that is taken, the caller goes into the library, and the kernel hands the lock over (FUTEX_LOCK_PI):
 * no instruction that the sanitizer sees says that what the last owner wrote is known to the next. It then reports a race
 * in every program with a contended Mutex, at whatever the Mutex protects. No suppression can be written for that: the
 * stack names the caller alone, and a rule for callers would hide their real races too.
 *
 * So the three functions of the library that make those calls are wrapped: before a lock is given up, and after it is got,
 * the sanitizer is told. Nothing else changes, and a race beside a Mutex is still found: Scripts/sanitize makes sure of both.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

/* Weak, because the programs that start the tests inherit the preloading and have no sanitizer. */
void __tsan_acquire(void *address) __attribute__((weak));
void __tsan_release(void *address) __attribute__((weak));

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *handle

typedef SWIFT void (*lock_function)(uint32_t, SELF);
typedef SWIFT bool (*try_lock_function)(SELF);
typedef SWIFT void (*unlock_function)(SELF);

/* Synchronization._MutexHandle._lockSlow(UInt32) */
SWIFT void lock_slow(uint32_t thread, SELF) __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
SWIFT void lock_slow(uint32_t thread, SELF) {
    lock_function next = (lock_function)dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
    next(thread, handle);
    if (__tsan_acquire) __tsan_acquire(handle);
}

/* Synchronization._MutexHandle._tryLockSlow() */
SWIFT bool try_lock_slow(SELF) __asm__("$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF");
SWIFT bool try_lock_slow(SELF) {
    try_lock_function next = (try_lock_function)dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF");
    bool is_taken = next(handle);
    if (is_taken && __tsan_acquire) __tsan_acquire(handle);
    return is_taken;
}

/* Synchronization._MutexHandle._unlockSlow() */
SWIFT void unlock_slow(SELF) __asm__("$s15Synchronization12_MutexHandleV11_unlockSlowyyF");
SWIFT void unlock_slow(SELF) {
    unlock_function next = (unlock_function)dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV11_unlockSlowyyF");
    if (__tsan_release) __tsan_release(handle);
    next(handle);
}
