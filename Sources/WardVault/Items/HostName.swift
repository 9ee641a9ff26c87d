internal import Foundation

/// Host names in the form in which browsers compare them.
enum HostName {
    /// The `xn--` form of an international name; other names stay unchanged.
    static func ascii(_ name: String) -> String {
        guard !name.utf8.allSatisfy({ $0 < 0x80 }) else { return name }
        let scheme = "https://"
        guard let url = URL(string: scheme + name)?.absoluteString, url.hasPrefix(scheme) else { return name }
        let host = String(url.dropFirst(scheme.count))
        return host.utf8.allSatisfy({ $0 < 0x80 && $0 != UInt8(ascii: "%") }) ? host.lowercased() : name
    }
}
