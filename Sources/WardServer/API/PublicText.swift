import WardAccounts

/// Text that people give and others may see: display names and passkeys' names.
enum PublicText {
    /// Whether a text has a length that fits and nothing that acts instead of showing.
    ///
    /// Control characters, line breaks and what turns the writing direction around are refused; so are texts of blanks.
    /// Counted are Unicode scalars, as JSON Schema counts: a bound on what people would count bounds no bytes.
    static func isAcceptable(_ text: String, upTo limit: Int) -> Bool {
        guard (1...limit).contains(text.unicodeScalars.count), !text.allSatisfy(\.isWhitespace) else { return false }
        return text.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse: false
            default: !scalar.properties.isBidiControl
            }
        }
    }

    static func displayName(_ text: String) throws(APIError) -> String {
        guard isAcceptable(text, upTo: 128) else {
            throw APIError(.displayNameNotAllowed, "A display name has 1 to 128 characters and no control characters.")
        }
        return text
    }

    static func passkeyName(_ text: String) throws(APIError) -> String {
        guard isAcceptable(text, upTo: 64) else {
            throw APIError(.passkeyNameNotAllowed, "A passkey's name has 1 to 64 characters and no control characters.")
        }
        return text
    }

    static func username(_ text: String) throws(APIError) -> Username {
        do {
            return try Username(text)
        } catch {
            throw APIError(.usernameNotAllowed, "No account can have this name.")
        }
    }
}
