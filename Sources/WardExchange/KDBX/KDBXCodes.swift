internal import WardText
internal import WardVault

/// A way to write the secret of verification codes in the fields of an entry.
struct KDBXCodes: Sendable {
    /// The fields.
    let keys: [String]
    /// Reads the values of those fields that an entry has.
    let code: @Sendable ([String: String]) throws(OneTimePasswordError) -> OneTimePassword

    /// Whether a field has the secret, and not only a setting.
    static func isSecret(_ key: String) -> Bool {
        key.hasPrefix("otp") || key == "TOTP Seed" || key.contains("-Secret")
    }

    static let all: [KDBXCodes] = [link("otp"), seed, time, counter]

    /// KeePassXC and Strongbox: a link, or the query of the plug-in KeeOTP.
    static func link(_ key: String) -> KDBXCodes {
        KDBXCodes(keys: [key]) { values throws(OneTimePasswordError) in try OneTimePassword(values[key] ?? "") }
    }

    /// The plug-in KeeTrayTOTP and old KeePassXC: the settings are `30;6`, or `30;S` for Steam.
    private static let seed = KDBXCodes(
        keys: ["TOTP Seed", "TOTP Settings"]
    ) { values throws(OneTimePasswordError) in
        let settings = (values["TOTP Settings"] ?? "").split(separator: ";").map(String.init)
        guard let secret = Base32.decode(values["TOTP Seed"] ?? "") else {
            throw OneTimePasswordError(.secret, "the seed is not base32")
        }
        if settings.dropFirst().first == "S" { return try OneTimePassword(.steam, secret: secret, issuer: "Steam") }
        return try OneTimePassword(
            .totp(period: settings.first.map { Int($0) ?? 0 } ?? 30),
            secret: secret,
            digits: settings.dropFirst().first.map { Int($0) ?? 0 } ?? 6
        )
    }

    private static let forms = ["", "-Hex", "-Base32", "-Base64"]

    /// KeePass since 2.47.
    private static let time = KDBXCodes(
        keys: ["TimeOtp-Length", "TimeOtp-Period", "TimeOtp-Algorithm"] + forms.map { "TimeOtp-Secret" + $0 }
    ) { values throws(OneTimePasswordError) in
        let algorithm: OneTimePassword.Algorithm
        switch values["TimeOtp-Algorithm"] {
        case nil, "HMAC-SHA-1": algorithm = .sha1
        case "HMAC-SHA-256": algorithm = .sha256
        case "HMAC-SHA-512": algorithm = .sha512
        default: throw OneTimePasswordError(.algorithm, "the algorithm must be HMAC-SHA-1, -256 or -512")
        }
        return try OneTimePassword(
            .totp(period: values["TimeOtp-Period"].map { Int($0) ?? 0 } ?? 30),
            secret: secret(values, "TimeOtp-Secret"),
            algorithm: algorithm,
            digits: values["TimeOtp-Length"].map { Int($0) ?? 0 } ?? 6
        )
    }

    private static let counter = KDBXCodes(
        keys: ["HmacOtp-Counter"] + forms.map { "HmacOtp-Secret" + $0 }
    ) { values throws(OneTimePasswordError) in
        guard let counter = UInt64(values["HmacOtp-Counter"] ?? "0") else {
            throw OneTimePasswordError(.counter, "the counter is not a number")
        }
        return try OneTimePassword(.hotp(counter: counter), secret: secret(values, "HmacOtp-Secret"))
    }

    private static func secret(_ values: [String: String], _ name: String) throws(OneTimePasswordError) -> [UInt8] {
        let secret: [UInt8]? =
            if let text = values[name] {
                Array(text.utf8)
            } else if let text = values[name + "-Hex"] {
                Hex.decode(text.filter { !$0.isWhitespace })
            } else if let text = values[name + "-Base32"] {
                Base32.decode(text)
            } else {
                values[name + "-Base64"].flatMap { Base64.decode(lenient: $0) }
            }
        guard let secret else { throw OneTimePasswordError(.secret, "the secret is missing or malformed") }
        return secret
    }
}
