internal import WardText

extension OneTimePassword {
    /// Reads a secret in any form that sites and other managers use.
    ///
    /// Accepted are `otpauth://` links, `steam://` followed by the secret, KeeOTP's `key=…&step=…`, and a bare secret
    /// in base32. Case, white space, missing labels, omitted defaults, unknown parameters, labels without
    /// percent-encoding, hash names such as `HmacSHA256` and `sha-1`, and grouped secrets are tolerated.
    ///
    /// The form of the links is Google's [Key URI Format](https://github.com/google/google-authenticator/wiki/Key-Uri-Format).
    ///
    /// - Parameter text: The link or the secret.
    /// - Throws: ``OneTimePasswordError`` that says which part is malformed. Use ``OneTimePasswordBatch`` for a
    ///   transfer of several secrets (`otpauth-migration://`).
    public init(_ text: String) throws(OneTimePasswordError) {
        let text = text.trimmed
        guard text.utf8.count <= LinkText.maximumLength else {
            throw OneTimePasswordError(.link, "the link is too long")
        }
        if let rest = LinkText.removing(scheme: "otpauth", from: text) {
            self = try Self.link(rest)
        } else if let rest = LinkText.removing(scheme: "steam", from: text) {
            self = try OneTimePassword(.steam, secret: Self.secret(rest), issuer: "Steam")
        } else if text.contains("://") {
            throw OneTimePasswordError(.link, "the link does not begin with otpauth:// or steam://")
        } else if text.lowercased().hasPrefix("key=") || text.lowercased().contains("&key=") {
            self = try Self.keeOTP(LinkText.parameters(text[...]))
        } else {
            self = try OneTimePassword(secret: Self.secret(text))
        }
    }

    /// The link for any authenticator app, with all parameters.
    ///
    /// The link contains the secret.
    public var link: String {
        let type =
            switch kind {
            case .totp, .steam: "totp"
            case .hotp: "hotp"
            }
        let label = (issuer.isEmpty ? "" : LinkText.encode(issuer) + ":") + LinkText.encode(account)
        var parameters = [("secret", Base32.encode(secret.revealed))]
        if !issuer.isEmpty { parameters.append(("issuer", LinkText.encode(issuer))) }
        parameters.append(("algorithm", algorithm.name))
        parameters.append(("digits", String(digits)))
        switch kind {
        case .totp(let period): parameters.append(("period", String(period)))
        case .hotp(let counter): parameters.append(("counter", String(counter)))
        case .steam: parameters += [("period", "30"), ("encoder", "steam")]
        }
        return "otpauth://\(type)/\(label)?" + parameters.map { "\($0.0)=\($0.1)" }.joined(separator: "&")
    }

    /// Reads the text after `otpauth://`.
    private static func link(_ rest: Substring) throws(OneTimePasswordError) -> OneTimePassword {
        let pieces = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path = pieces.first ?? ""
        let parameters = LinkText.parameters(pieces.count > 1 ? pieces[1] : "")
        let typeAndLabel = path.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let type = typeAndLabel.first?.lowercased() ?? ""
        let label = Label(typeAndLabel.count > 1 ? typeAndLabel[1] : "")
        let issuer = parameters["issuer"].flatMap { $0.isEmpty ? nil : $0 } ?? label.issuer

        guard let encoded = parameters["secret"] else { throw OneTimePasswordError(.secret, "the link has no secret") }
        let secret = try secret(encoded)
        let digits = try digits(parameters["digits"])
        let isMarkedSteam = type == "steam" || parameters["encoder"]?.lowercased() == "steam"
        let isSteam = isMarkedSteam || digits == 5 && issuer == "Steam"
        let kind: Kind
        if isSteam {
            kind = .steam
        } else if type == "totp" {
            kind = .totp(period: try period(parameters["period"]))
        } else if type == "hotp" {
            kind = .hotp(counter: try counter(parameters["counter"]))
        } else {
            throw OneTimePasswordError(.kind, "the link is neither for totp nor for hotp")
        }
        return try OneTimePassword(
            kind,
            secret: secret,
            algorithm: isSteam ? .sha1 : algorithm(parameters["algorithm"]),
            digits: digits,
            issuer: issuer,
            account: label.account
        )
    }

    /// Reads the query of the KeePass plug-in KeeOTP.
    private static func keeOTP(_ parameters: [String: String]) throws(OneTimePasswordError) -> OneTimePassword {
        let isCounting = parameters["type"]?.lowercased() == "hotp"
        return try OneTimePassword(
            isCounting
                ? .hotp(counter: counter(parameters["counter"])) : .totp(period: period(parameters["step"])),
            secret: secret(parameters["key"] ?? ""),
            algorithm: algorithm(parameters["otphashmode"]),
            digits: digits(parameters["size"])
        )
    }

    private static func secret(_ text: some StringProtocol) throws(OneTimePasswordError) -> [UInt8] {
        guard let bytes = Base32.decode(String(text)) else {
            throw OneTimePasswordError(
                .secret,
                "the secret is not base32, which has only letters and the digits 2 to 7"
            )
        }
        return bytes
    }

    private static func digits(_ text: String?) throws(OneTimePasswordError) -> Int {
        guard let text = text?.trimmed, !text.isEmpty else { return 6 }
        guard let value = Int(text) else { throw OneTimePasswordError(.digits, "digits is not a number") }
        return value
    }

    private static func period(_ text: String?) throws(OneTimePasswordError) -> Int {
        guard let text = text?.trimmed, !text.isEmpty else { return 30 }
        guard let value = Int(text) else {
            throw OneTimePasswordError(.period, "the period is not a number of seconds")
        }
        return value
    }

    private static func counter(_ text: String?) throws(OneTimePasswordError) -> UInt64 {
        guard let text = text?.trimmed, !text.isEmpty else { return 0 }
        guard let value = UInt64(text) else { throw OneTimePasswordError(.counter, "the counter is not a number") }
        return value
    }

    private static func algorithm(_ text: String?) throws(OneTimePasswordError) -> Algorithm {
        guard let text, !text.trimmed.isEmpty else { return .sha1 }
        let letters = text.uppercased().filter { $0.isLetter || $0.isNumber }
        let name = letters.hasPrefix("HMAC") ? String(letters.dropFirst(4)) : letters
        guard let algorithm = Algorithm.allCases.first(where: { $0.name == name }) else {
            throw OneTimePasswordError(.algorithm, "the algorithm must be SHA1, SHA256 or SHA512")
        }
        return algorithm
    }

    /// The form `Issuer:account`, with or without percent-encoding.
    ///
    /// Either part can be missing.
    private struct Label {
        var issuer = ""
        var account = ""

        init(_ text: Substring) {
            let decoded = LinkText.decode(text)
            let halves = decoded.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            if halves.count == 2 {
                issuer = String(halves[0]).trimmed
                account = String(halves[1]).trimmed
            } else {
                account = decoded.trimmed
            }
        }
    }
}
