import ArgumentParser
import Foundation

/// The text of a file that a person names.
enum TextFile {
    static func read(_ source: String) throws -> String {
        let data: Data?
        if source == "-" {
            do { data = try FileHandle.standardInput.readToEnd() } catch {
                throw Failure(.usage, "Standard input cannot be read")
            }
        } else {
            do { data = try Data(contentsOf: URL(fileURLWithPath: source)) } catch {
                throw Failure(.usage, "\(source) cannot be read. Check the path and its permissions")
            }
        }
        guard let text = String(validating: data ?? Data(), as: UTF8.self) else {
            throw Failure(.usage, "\(source) is not text in UTF-8")
        }
        return text.hasSuffix("\n") ? String(text.dropLast()) : text
    }
}
