internal import CryptoExtras
internal import Foundation
internal import WardText

/// The forms of hashes, and their limits.
extension ImportedPasswordHash {
    /// The most rounds of PBKDF2.
    private static let maximumRounds = 10_000_000
    /// The most memory, in bytes.
    private static let maximumMemory = 1 << 30

    static func read(_ text: String) -> (Method, isHashedFirst: Bool)? {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false).map(String.init)
        if text.hasPrefix("$") { return phc(text, parts).map { ($0, false) } }
        guard parts.count >= 2 else { return nil }
        switch parts[0] {
        // Django puts a name before the hashes of libraries.
        case "argon2", "bcrypt":
            let inner = String(text.dropFirst(parts[0].count + (parts[0] == "bcrypt" ? 1 : 0)))
            let rest = parts[0] == "bcrypt" ? inner : "$" + inner.dropFirst()
            return phc(rest, rest.split(separator: "$", omittingEmptySubsequences: false).map(String.init))
                .map { ($0, false) }
        case "bcrypt_sha256":
            let rest = String(text.dropFirst("bcrypt_sha256$".count))
            return bcrypt(rest).map { ($0, true) }
        case "pbkdf2_sha256", "pbkdf2_sha1":
            guard parts.count == 4, let rounds = Int(parts[1]), let hash = Base64.decode(parts[3]) else { return nil }
            let function: KDF.Insecure.PBKDF2.HashFunction = parts[0] == "pbkdf2_sha1" ? .insecureSHA1 : .sha256
            return pbkdf2(function, rounds, Array(parts[2].utf8), hash).map { ($0, false) }
        case "scrypt":
            guard parts.count == 6, let cost = UInt64(parts[1]), let blockSize = UInt32(parts[3]),
                let lanes = UInt32(parts[4]), let hash = Base64.decode(parts[5])
            else { return nil }
            return scrypt(cost, blockSize, lanes, Array(parts[2].utf8), hash).map { ($0, false) }
        default: return werkzeug(parts).map { ($0, false) }
        }
    }

    /// Hashes that begin with a dollar sign.
    private static func phc(_ text: String, _ parts: [String]) -> Method? {
        guard parts.count >= 4 else { return nil }
        switch parts[1] {
        case "2a", "2b", "2y": return bcrypt(text)
        case "5", "6":
            let rounds = parts[2].hasPrefix("rounds=") ? Int(parts[2].dropFirst("rounds=".count)) : 5_000
            guard let rounds, (1_000...maximumRounds).contains(rounds) else { return nil }
            return .crypt(text)
        case "argon2id", "argon2i", "argon2d": return argon2(text, parts)
        case "pbkdf2", "pbkdf2-sha256", "pbkdf2-sha512":
            guard parts.count == 5, let rounds = Int(parts[2]), let salt = adapted(parts[3]),
                let hash = adapted(parts[4])
            else { return nil }
            let function: KDF.Insecure.PBKDF2.HashFunction =
                parts[1] == "pbkdf2" ? .insecureSHA1 : parts[1] == "pbkdf2-sha256" ? .sha256 : .sha512
            return pbkdf2(function, rounds, salt, hash)
        case "scrypt":
            guard parts.count == 5, let salt = adapted(parts[3]), let hash = adapted(parts[4]),
                let logarithm = number("ln", in: parts[2]), (1...30).contains(logarithm),
                let blockSize = number("r", in: parts[2]), let lanes = number("p", in: parts[2])
            else { return nil }
            return scrypt(1 << UInt64(logarithm), UInt32(clamping: blockSize), UInt32(clamping: lanes), salt, hash)
        default: return nil
        }
    }

    private static func bcrypt(_ text: String) -> Method? {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0].isEmpty, ["2a", "2b", "2y"].contains(parts[1]), parts[3].utf8.count == 53,
            parts[2].utf8.count == 2, let cost = Int(parts[2]), (4...16).contains(cost),
            parts[3].allSatisfy({ $0.isLetter || $0.isNumber || $0 == "." || $0 == "/" })
        else { return nil }
        return .crypt(text)
    }

    private static func argon2(_ text: String, _ parts: [String]) -> Method? {
        guard parts.count == 6, let kind = Argon2Kind(rawValue: parts[1]), parts[2] == "v=19" || parts[2] == "v=16",
            let memory = number("m", in: parts[3]), let passes = number("t", in: parts[3]),
            let lanes = number("p", in: parts[3]), (1...16).contains(lanes), (1...64).contains(passes),
            memory >= 8 * lanes, memory <= maximumMemory >> 10, Base64.decode(parts[4], padding: false) != nil,
            Base64.decode(parts[5], padding: false).map({ (16...64).contains($0.count) }) == true
        else { return nil }
        return .argon2(text, kind: kind)
    }

    private static func werkzeug(_ parts: [String]) -> Method? {
        guard parts.count == 3, let hash = Hex.decode(parts[2]) else { return nil }
        let (words, salt) = (parts[0].split(separator: ":").map(String.init), Array(parts[1].utf8))
        switch words.first {
        case "pbkdf2":
            let functions: [String: KDF.Insecure.PBKDF2.HashFunction] = [
                "sha1": .insecureSHA1, "sha256": .sha256, "sha512": .sha512,
            ]
            guard words.count == 3, let function = functions[words[1]], let rounds = Int(words[2]) else { return nil }
            return pbkdf2(function, rounds, salt, hash)
        case "scrypt":
            guard words.count == 4, let cost = UInt64(words[1]), let blockSize = UInt32(words[2]),
                let lanes = UInt32(words[3])
            else { return nil }
            return scrypt(cost, blockSize, lanes, salt, hash)
        default: return nil
        }
    }

    private static func pbkdf2(
        _ function: KDF.Insecure.PBKDF2.HashFunction,
        _ rounds: Int,
        _ salt: [UInt8],
        _ hash: [UInt8]
    ) -> Method? {
        guard (1...maximumRounds).contains(rounds), (16...64).contains(hash.count) else { return nil }
        return .pbkdf2(function, rounds: rounds, salt: salt, hash: hash)
    }

    private static func scrypt(
        _ cost: UInt64,
        _ blockSize: UInt32,
        _ lanes: UInt32,
        _ salt: [UInt8],
        _ hash: [UInt8]
    ) -> Method? {
        guard cost >= 2, cost & (cost - 1) == 0, cost <= 1 << 22, (1...64).contains(blockSize),
            (1...16).contains(lanes), cost * UInt64(blockSize) * 128 <= UInt64(maximumMemory),
            (16...64).contains(hash.count)
        else { return nil }
        return .scrypt(cost: cost, blockSize: blockSize, lanes: lanes, salt: salt, hash: hash)
    }

    /// A number in a list such as `ln=16,r=8,p=1`.
    private static func number(_ name: String, in list: String) -> Int? {
        list.split(separator: ",").first { $0.hasPrefix(name + "=") }.flatMap { Int($0.dropFirst(name.count + 1)) }
    }

    /// The base64 of passlib: a dot instead of a plus sign, and no padding.
    private static func adapted(_ text: String) -> [UInt8]? {
        Base64.decode(text.replacingOccurrences(of: ".", with: "+"), padding: false)
    }
}
