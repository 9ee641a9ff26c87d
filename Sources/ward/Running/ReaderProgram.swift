import Foundation

/// Runs `ward-reader`, a program in the same folder that reads what strangers made.
enum ReaderProgram {
    /// Gives the program an input, and waits for its end.
    ///
    /// - Parameters:
    ///   - words: The arguments.
    ///   - input: The input.
    ///   - limit: The maximum size of the output, in bytes.
    ///   - seconds: The maximum time for the output.
    /// - Returns: The output, empty if it was too long or came too late; and whether the program ended without an error.
    /// - Throws: ``Failure`` with `unavailable` if the program is missing or cannot be started.
    static func answer(
        _ words: [String],
        _ input: [UInt8],
        limit: Int,
        seconds: Int
    ) throws -> (output: [UInt8], isDone: Bool) {
        let program = try Child(try path(), words)
        // If the program stops early, its output says why.
        _ = program.write(input)
        guard let output = program.read(limit: limit, seconds: seconds) else {
            program.kill()
            return ([], false)
        }
        return (Array(output), program.succeeds(seconds: 5))
    }

    // PATH is not searched, because it could lead to another program.
    private static func path() throws -> String {
        let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let folder = URL(fileURLWithPath: own ?? "/").deletingLastPathComponent()
        let path = folder.appendingPathComponent("ward-reader").path
        guard own != nil, FileManager.default.isExecutableFile(atPath: path) else {
            throw Failure(.unavailable, "\(path), which reads pictures, is missing. Install ward again: make ward")
        }
        return path
    }
}
