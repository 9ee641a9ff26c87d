internal import CLinux
internal import Foundation

/// The person's systemd.
///
/// The desktop reports its environment to systemd.
///
/// [org.freedesktop.systemd1](https://www.freedesktop.org/software/systemd/man/latest/org.freedesktop.systemd1.html):
/// `Environment` of the manager, as `systemctl --user show-environment` prints it.
enum UserManager {
    /// The environment of this user's systemd services.
    ///
    /// - Parameter runtime: The runtime folder with the person's bus.
    /// - Returns: The variables; `nil` if there is no such manager, or it does not answer.
    static func environment(runtime: String) async -> [String: String]? {
        let address = runtime + "/bus"
        guard FileManager.default.fileExists(atPath: address),
            address.utf8.allSatisfy({ $0.isLetterOrDigit || "/._-".utf8.contains($0) })
        else { return nil }
        // The call waits for the answer in the library.
        return await onThread { read("unix:path=" + address) }
    }

    private static func read(_ address: String) -> [String: String]? {
        var bus: OpaquePointer?
        guard unsafe sd_bus_new(&bus) >= 0 else { return nil }
        defer { _ = unsafe sd_bus_flush_close_unref(bus) }
        var values: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        guard unsafe sd_bus_set_address(bus, address) >= 0, unsafe sd_bus_set_bus_client(bus, 1) >= 0,
            unsafe sd_bus_set_method_call_timeout(bus, 2_000_000) >= 0, unsafe sd_bus_start(bus) >= 0,
            unsafe sd_bus_get_property_strv(
                bus,
                "org.freedesktop.systemd1",
                "/org/freedesktop/systemd1",
                "org.freedesktop.systemd1.Manager",
                "Environment",
                nil,
                &values
            ) >= 0
        else { return nil }
        var environment: [String: String] = [:]
        var index = 0
        while let entry = unsafe values?[index] {
            let parts = unsafe String(cString: entry).split(separator: "=", maxSplits: 1)
            if parts.count == 2 { environment[String(parts[0])] = String(parts[1]) }
            unsafe free(entry)
            index += 1
        }
        unsafe free(values)
        return environment
    }
}
