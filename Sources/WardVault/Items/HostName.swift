internal import Foundation

/// Host names as browsers compare them.
enum HostName {
    /// International names in their `xn--` form; others, and what has no such form, as they are.
    static func ascii(_ name: String) -> String {
        guard !name.utf8.allSatisfy({ $0 < 0x80 }) else { return name }
        let scheme = "https://"
        guard let url = URL(string: scheme + name)?.absoluteString, url.hasPrefix(scheme) else { return name }
        let host = String(url.dropFirst(scheme.count))
        return host.utf8.allSatisfy({ $0 < 0x80 && $0 != UInt8(ascii: "%") }) ? host.lowercased() : name
    }
}
