internal import Foundation

/// The person's browser.
package enum SystemBrowser {
    /// Opens an address with `xdg-open`.
    ///
    /// - Throws: ``ASAuthorizationError`` with `notHandled` if that program is missing or finds no browser.
    @Sendable package static func open(_ url: String) async throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["xdg-open", url]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let (endings, inbox) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { process in
            inbox.yield(process.terminationStatus)
            inbox.finish()
        }
        do { try process.run() } catch { inbox.yield(-1) }
        // If xdg-open starts the browser itself, xdg-open runs as long as the browser. So do not wait for it after the answer
        // arrived.
        guard let status = await endings.first(where: { _ in true }) else { return }
        guard status == 0 else {
            throw ASAuthorizationError(
                .notHandled,
                "cannot open a browser for the sign-in: install xdg-utils and choose a browser"
            )
        }
    }
}
