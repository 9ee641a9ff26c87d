import Foundation

/// The person's browser.
enum Browser {
    /// Whether this command runs on a desktop, where a browser has a window.
    static var hasDesktop: Bool {
        let environment = ProcessInfo.processInfo.environment
        return ["WAYLAND_DISPLAY", "DISPLAY"].contains { environment[$0]?.isEmpty == false }
    }

    /// Opens an address with `xdg-open`.
    ///
    /// - Throws: ``Failure`` when there is no such program, or when it fails at once.
    static func open(_ address: String) throws {
        guard let program = ProgramPath.find("xdg-open") else {
            throw Failure(
                .unavailable,
                "xdg-open is not installed. Install xdg-utils, or open the site yourself: \(address)"
            )
        }
        let child = try Child(program, [address], leads: true, showsOutput: false)
        // If xdg-open waits for the browser, the browser keeps running.
        guard !child.fails(within: 3) else {
            throw Failure(.unavailable, "xdg-open found no browser. Open the site yourself: \(address)")
        }
    }
}
