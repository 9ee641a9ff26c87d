internal import Crypto
internal import WardCBOR

/// An entry with its signature: the exact bytes in the file, and their hash.
package struct SignedEntry: Hashable, Sendable {
    package let entry: LogEntry
    package let payload: [UInt8]
    package let signature: [UInt8]
    /// The bytes in the file.
    package let encoded: [UInt8]
    /// SHA-256 of these bytes, by which other entries name this one.
    package let hash: [UInt8]

    package init(entry: LogEntry, payload: [UInt8], signature: [UInt8]) {
        self.entry = entry
        self.payload = payload
        self.signature = signature
        var writer = CBORWriter()
        writer.writeArray(count: 2)
        writer.write(bytes: payload)
        writer.write(bytes: signature)
        encoded = writer.bytes
        hash = Array(SHA256.hash(data: encoded))
    }

    /// Reads the bytes in the file; ``LogGraph`` checks the signature.
    ///
    /// - Throws: ``LogError`` with `malformed`.
    package init(encoded: [UInt8]) throws(LogError) {
        guard encoded.count <= LogEntry.maximumLength else { throw LogError.changed }
        do {
            let input = encoded.span
            var reader = CBORReader(rules: LogEntry.rules)
            var array = try reader.readArray(input)
            guard array.count == 2 else { throw LogError.changed }
            _ = try reader.nextElement(&array, input)
            payload = CBORReader.copy(try reader.readBytes(input), of: input)
            _ = try reader.nextElement(&array, input)
            signature = CBORReader.copy(try reader.readBytes(input), of: input)
            _ = try reader.nextElement(&array, input)
            try reader.finish(input)
            guard signature.count == LogEntry.signatureLength else { throw LogError.changed }
            entry = try LogEntry(payload: payload)
        } catch let error as LogError {
            throw error
        } catch {
            throw LogError.changed
        }
        self.encoded = encoded
        hash = Array(SHA256.hash(data: encoded))
    }

    /// Whether the device signed the entry.
    package func isSigned(by publicKey: [UInt8], vault: VaultID?, _ scheme: SignatureScheme = .inForce) -> Bool {
        scheme.isValid(signature, LogEntry.signedMessage(payload, vault: vault), publicKey)
    }
}

extension LogError {
    fileprivate static let changed = Self.malformed("an entry of the log was changed")
}
