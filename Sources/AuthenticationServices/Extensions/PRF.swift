public import Crypto
public import Foundation
internal import WardWebAuthn

/// Inputs for a passkey's pseudo-random function (PRF) at sign-in.
///
/// WebAuthn Level 3, [§10.1.4](https://www.w3.org/TR/webauthn-3/#prf-extension).
public struct ASAuthorizationPublicKeyCredentialPRFAssertionInput: Hashable, Sendable {
    /// One or two inputs, of any length.
    public struct InputValues: Hashable, Sendable {
        /// The first input.
        public var saltInput1: Data
        /// The second input, if any.
        public var saltInput2: Data?

        /// Creates one or two inputs.
        public static func saltInput1(_ saltInput1: Data, saltInput2: Data? = nil) -> Self {
            Self(saltInput1: saltInput1, saltInput2: saltInput2)
        }

        var value: PRFInputs.Values {
            PRFInputs.Values(first: Array(saltInput1), second: saltInput2.map { Array($0) })
        }
    }

    /// Inputs for any passkey.
    public let inputValues: InputValues?
    /// The inputs for each passkey, by its credential ID.
    ///
    /// Each ID must be among the allowed credentials.
    public let perCredentialInputValues: [Data: InputValues]?

    /// The same inputs for every passkey, except for passkeys with their own inputs.
    public static func inputValues(
        _ inputValues: InputValues,
        perCredentialInputValues: [Data: InputValues]? = nil
    ) -> Self {
        Self(inputValues: inputValues, perCredentialInputValues: perCredentialInputValues)
    }

    /// Inputs only for certain passkeys.
    public static func perCredentialInputValues(_ perCredentialInputValues: [Data: InputValues]) -> Self {
        Self(inputValues: nil, perCredentialInputValues: perCredentialInputValues)
    }

    func asInputs() throws(ASAuthorizationError) -> PRFInputs {
        var values: [CredentialID: PRFInputs.Values] = [:]
        for (id, value) in perCredentialInputValues ?? [:] { values[try id.asCredentialID()] = value.value }
        return PRFInputs(eval: inputValues?.value, evalByCredential: values)
    }
}

/// The results of a passkey's PRF.
///
/// They are keys for this process. Do not store them, and never send them to the service.
public struct ASAuthorizationPublicKeyCredentialPRFAssertionOutput: Sendable {
    /// The result of the first input, 32 bytes.
    public let first: SymmetricKey
    /// The result of the second input, if any.
    public let second: SymmetricKey?

    /// Creates the output.
    public init(first: SymmetricKey, second: SymmetricKey?) {
        self.first = first
        self.second = second
    }

    init?(_ value: PRFOutputs) {
        guard let results = value.results else { return nil }
        first = SymmetricKey(data: results.first)
        second = results.second.map { SymmetricKey(data: $0) }
    }
}

/// Inputs for the PRF of a new passkey.
public struct ASAuthorizationPublicKeyCredentialPRFRegistrationInput: Hashable, Sendable {
    /// One or two inputs.
    public typealias InputValues = ASAuthorizationPublicKeyCredentialPRFAssertionInput.InputValues

    /// The inputs; `nil` only asks whether the passkey supports the PRF.
    public let inputValues: InputValues?
    /// Whether the request only asks for support.
    public var shouldCheckForSupport: Bool { inputValues == nil }

    /// Only asks whether the passkey supports the PRF.
    public static var checkForSupport: Self { Self(inputValues: nil) }
    /// Requests results at registration.
    ///
    /// Not every authenticator gives results at registration.
    public static func inputValues(_ inputValues: InputValues) -> Self { Self(inputValues: inputValues) }

    var value: PRFInputs { PRFInputs(eval: inputValues?.value) }
}

/// Whether the new passkey supports the PRF, and its results.
public struct ASAuthorizationPublicKeyCredentialPRFRegistrationOutput: Sendable {
    /// Whether the passkey supports the PRF.
    public let isSupported: Bool
    /// The result of the first input, 32 bytes, if there was an input and the authenticator provides results at
    /// registration.
    public let first: SymmetricKey?
    /// The result of the second input, if any.
    public let second: SymmetricKey?

    /// The PRF is supported.
    public static var supported: Self { Self(isSupported: true, first: nil, second: nil) }
    /// The PRF is not supported.
    public static var unsupported: Self { Self(isSupported: false, first: nil, second: nil) }
    /// Creates the output with results.
    public init(first: SymmetricKey, second: SymmetricKey?) {
        self.init(isSupported: true, first: first, second: second)
    }

    private init(isSupported: Bool, first: SymmetricKey?, second: SymmetricKey?) {
        self.isSupported = isSupported
        self.first = first
        self.second = second
    }

    init(_ value: PRFOutputs) {
        self.init(
            isSupported: value.enabled ?? (value.results != nil),
            first: value.results.map { SymmetricKey(data: $0.first) },
            second: value.results?.second.map { SymmetricKey(data: $0) }
        )
    }
}
