internal import Foundation

/// The browser that the person uses.
package enum SystemBrowser {
    /// Shows an address in it, by `xdg-open`.
    ///
    /// - Throws: ``ASAuthorizationError`` with `notHandled` when there is no such program, or it finds no browser.
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
        // Where it starts the browser itself it stays as long as that does: nobody waits for it who has an answer.
        guard let status = await endings.first(where: { _ in true }) else { return }
        guard status == 0 else {
            throw ASAuthorizationError(
                .notHandled,
                "no browser could be opened for the sign-in: install xdg-utils and choose a browser"
            )
        }
    }
}
