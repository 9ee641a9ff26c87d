#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The processor time that this thread spends in `work`.
///
/// Tests of cost use it, because it does not depend on the machine's load.
public func processorTime<Failure: Error>(_ work: () throws(Failure) -> Void) throws(Failure) -> Duration {
    let start = threadProcessorTime()
    try work()
    return threadProcessorTime() - start
}

private func threadProcessorTime() -> Duration {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
}
