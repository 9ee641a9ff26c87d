import NIOCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The reason why a service cannot start, in one sentence.
public struct ServerStartError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The sentence.
    public let description: String

    init(_ sentence: String) {
        description = sentence
    }

    /// - Parameters:
    ///   - error: What the system said.
    ///   - address: The address.
    ///   - option: The option that names the address.
    init(_ error: IOError, _ address: ListenAddress, option: String? = "--listen") {
        description =
            switch error.errnoCode {
            case EADDRINUSE:
                "\(address) is in use; stop what listens there, or choose another address"
                    + (option.map { " with \($0)" } ?? "")
            case EACCES: "this user may not listen on \(address); ports below 1024 are reserved"
            case EADDRNOTAVAIL: "this machine does not have the address \(address)"
            default: "cannot listen on \(address): \(error.description)"
            }
    }
}
