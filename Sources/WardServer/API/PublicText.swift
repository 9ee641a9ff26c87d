import WardAccounts

/// Checks text that people choose and others may see: display names and names of passkeys.
enum PublicText {
    /// Whether a text has an allowed length and no invisible control characters.
    ///
    /// Control characters, line breaks and bidirectional controls are refused, and so are blank texts. The length is in
    /// Unicode scalars, as in JSON Schema.
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
            throw APIError(
                .displayNameNotAllowed,
                "A display name must have 1 to 128 characters and no control characters."
            ).at("displayName")
        }
        return text
    }

    // The member is the one of the body that has the name.
    static func passkeyName(_ text: String, at member: String) throws(APIError) -> String {
        guard isAcceptable(text, upTo: 64) else {
            throw APIError(
                .passkeyNameNotAllowed,
                "A passkey's name must have 1 to 64 characters and no control characters."
            ).at(member)
        }
        return text
    }

    static func username(_ text: String) throws(APIError) -> Username {
        do {
            return try Username(text)
        } catch {
            throw APIError(.usernameNotAllowed, "This user name has characters or a length that are not allowed.")
                .at("username")
        }
    }
}
