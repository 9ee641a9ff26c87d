"""Clocks that a test moves: programs see the time of day that the test says, and everything that waits goes on as ever."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from datetime import datetime
from functools import cache
from pathlib import Path

DAY = 86_400
#: Adds the seconds in a file to each time of day; the monotonic clocks stay as they are.
SOURCE = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile long *ahead;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("TEST_CLOCK");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *page = mmap(NULL, sizeof(long), PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (page != MAP_FAILED) ahead = page;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int result = syscall(SYS_clock_gettime, clock, now);
    if (!result && ahead && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += *ahead;
    return result;
}

int gettimeofday(struct timeval *now, void *zone) {
    struct timespec exact;
    (void)zone;
    if (clock_gettime(CLOCK_REALTIME, &exact)) return -1;
    now->tv_sec = exact.tv_sec;
    now->tv_usec = exact.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *kept) {
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now)) return -1;
    if (kept) *kept = now.tv_sec;
    return now.tv_sec;
}
"""


@cache
def library(folder: Path) -> Path:
    """Compiles the library that programs load."""
    source, path = folder / "movedclock.c", folder / "movedclock.so"
    source.write_text(SOURCE)
    compiler = shutil.which("cc") or shutil.which("clang")
    assert compiler, "there is no C compiler: Swift needs one too"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", path, source], check=True, timeout=60)
    return path


class Clock:
    """The clock of one machine."""

    def __init__(self, file: Path, base: Path) -> None:
        """`base` is a folder that lasts as long as the test run."""
        self.file, self.library = file, library(base)
        self.ahead = 0
        self.move(0)

    def move(self, days: float) -> None:
        """The clock goes on from so many days later; programs that run see it at once."""
        self.ahead += round(days * DAY)
        if not self.file.exists():
            self.file.touch()
        with self.file.open("r+b") as file:
            os.pwrite(file.fileno(), self.ahead.to_bytes(8, "little", signed=True), 0)

    def set(self, moment: datetime) -> None:
        """It is this moment now."""
        self.move((moment.timestamp() - self.now()) / DAY)

    def now(self) -> float:
        return time.time() + self.ahead

    @property
    def settings(self) -> dict[str, str]:
        """The environment of programs that see this clock."""
        return {"LD_PRELOAD": str(self.library), "TEST_CLOCK": str(self.file)}

    @property
    def wrapper(self) -> tuple[str, ...]:
        """What a server is started with."""
        return ("env", *(f"{name}={value}" for name, value in self.settings.items()))
