import ArgumentParser
import Foundation
import WardVault

/// Reads links of verification codes from text or from a picture of a QR code.
enum CodeSource {
    /// The `otpauth` links in a file or a picture.
    ///
    /// A transfer between phones gives one link for each code.
    static func links(_ source: String) throws -> [String] {
        let texts: [String]
        if source != "-", isPicture(source) {
            texts = try QRReader.texts(at: source)
        } else {
            texts = try TextFile.read(source).split(whereSeparator: \.isNewline).map(String.init)
        }
        return try links(in: texts, source)
    }

    /// Whether a text is a link itself, and not the name of a file.
    static func isLink(_ text: String) -> Bool {
        let text = text.lowercased()
        return text.hasPrefix("otpauth:") || text.hasPrefix("otpauth-migration:")
    }

    /// The links in texts.
    ///
    /// - Parameters:
    ///   - texts: The texts.
    ///   - source: Where they come from, for errors.
    /// - Returns: At least one link.
    /// - Throws: ``Failure`` that says what to do.
    static func links(in texts: [String], _ source: String) throws -> [String] {
        var links: [String] = []
        for text in texts {
            if text.lowercased().hasPrefix("otpauth-migration:") {
                let batch: OneTimePasswordBatch
                do { batch = try OneTimePasswordBatch(text) } catch { throw Failure(.usage, "\(source): \(error)") }
                links += batch.codes.map(\.link)
                for refused in batch.refused {
                    Terminal.note("Left out \(Table.clean(refused.name)): \(refused.reason)")
                }
                if batch.count > 1 { Terminal.note("This is part \(batch.index + 1) of \(batch.count) of a transfer.") }
            } else if text.lowercased().hasPrefix("otpauth:") {
                links.append(text)
            }
        }
        guard !links.isEmpty else { throw Failure(.usage, "\(source) has no otpauth link") }
        return links
    }

    /// Parses a link for its issuer and account.
    static func code(_ link: String) throws -> OneTimePassword {
        do { return try OneTimePassword(link) } catch {
            throw Failure(.usage, "This is not the secret of a verification code: \(error)")
        }
    }

    /// Pictures begin with bytes that text does not have.
    private static func isPicture(_ path: String) -> Bool {
        guard let handle = FileHandle(forReadingAtPath: path), let head = try? handle.read(upToCount: 12) else {
            return false
        }
        let bytes = Array(head)
        return bytes.starts(with: [0x89, 0x50, 0x4e, 0x47]) || bytes.starts(with: [0xff, 0xd8, 0xff])
            || bytes.starts(with: Array("GIF8".utf8))
            || (bytes.starts(with: Array("RIFF".utf8)) && bytes.suffix(4) == Array("WEBP".utf8)[...])
    }
}
