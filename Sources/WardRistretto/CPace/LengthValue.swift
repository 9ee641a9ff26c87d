/// The strings that CPace hashes (draft-irtf-cfrg-cpace-21, sections 6.3 and 8.1).
enum LengthValue {
    /// The length as LEB128: seven bits a byte, the lowest first, and the top bit set in all bytes but the last.
    static func length(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = UInt(max(0, count))
        repeat {
            let low = UInt8(truncatingIfNeeded: rest & 0x7f)
            rest >>= 7
            bytes.append(rest == 0 ? low : low | 0x80)
        } while rest != 0
        return bytes
    }

    /// Each string with its length in front, `lv_cat`.
    static func concatenate(_ strings: [UInt8]...) -> [UInt8] {
        var result: [UInt8] = []
        // With the room from the start, no copy of a secret stays behind where the bytes would have moved from.
        result.reserveCapacity(strings.reduce(0) { $0 + $1.count + 10 })
        for string in strings {
            result += length(string.count)
            result += string
        }
        return result
    }

    /// The string from which the generator is hashed.
    ///
    /// Zeros fill the first block of the hash, so that its time does not depend on the length of a short password.
    ///
    /// - Parameters:
    ///   - domain: `G.DSI`.
    ///   - password: `PRS`.
    ///   - channel: `CI`.
    ///   - session: `sid`.
    ///   - block: `H.s_in_bytes`, the length of the hash's blocks.
    /// - Returns: The string, which the caller must overwrite.
    static func generator(
        domain: [UInt8],
        password: [UInt8],
        channel: [UInt8],
        session: [UInt8],
        block: Int
    ) -> [UInt8] {
        let used = length(password.count).count + password.count + length(domain.count).count + domain.count
        let zeros = [UInt8](repeating: 0, count: max(0, block - used - 1))
        return concatenate(domain, password, zeros, channel, session)
    }
}
