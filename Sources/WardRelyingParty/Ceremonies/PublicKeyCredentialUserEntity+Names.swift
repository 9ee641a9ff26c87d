internal import WardWebAuthn

extension PublicKeyCredentialUserEntity {
    /// The same account, with names that cannot change other text on the screen.
    ///
    /// Control characters, line and paragraph separators, and characters that embed, isolate or override the writing
    /// direction are removed. The marks that WebAuthn Level 3,
    /// [§6.4.2](https://www.w3.org/TR/webauthn-3/#sctn-strings-langdir), writes at the end of a name stay.
    var withoutControlCharacters: Self {
        Self(id: id, name: Self.cleaned(name), displayName: Self.cleaned(displayName))
    }

    private static func cleaned(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: controls) else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.filter { !controls($0) }))
    }

    private static func controls(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        case .format: (0x202a...0x202e).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
        default: false
        }
    }
}
