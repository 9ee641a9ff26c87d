import ArgumentParser
import Foundation

enum Files {
    /// The bytes of a file, or an error with a sentence.
    static func read(_ path: String) throws -> [UInt8] {
        do {
            return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        } catch {
            throw ValidationError("\(path) cannot be read.")
        }
    }

    /// The bytes of standard input, or an error with a sentence.
    static func standardInput() throws -> [UInt8] {
        do { return Array(try FileHandle.standardInput.readToEnd() ?? Data()) } catch {
            throw ValidationError("Standard input cannot be read.")
        }
    }
}
