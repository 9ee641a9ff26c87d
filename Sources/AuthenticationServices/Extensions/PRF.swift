public import Crypto
public import Foundation
internal import WardWebAuthn

/// What a passkey's pseudo-random function is applied to when somebody signs in.
///
/// WebAuthn Level 3, [§10.1.4](https://www.w3.org/TR/webauthn-3/#prf-extension).
public struct ASAuthorizationPublicKeyCredentialPRFAssertionInput: Hashable, Sendable {
    /// One or two inputs, of any length.
    public struct InputValues: Hashable, Sendable {
        /// The first.
        public var saltInput1: Data
        /// The second, where there is one.
        public var saltInput2: Data?

        /// One or two inputs.
        public static func saltInput1(_ saltInput1: Data, saltInput2: Data? = nil) -> Self {
            Self(saltInput1: saltInput1, saltInput2: saltInput2)
        }

        var value: PRFInputs.Values {
            PRFInputs.Values(first: Array(saltInput1), second: saltInput2.map { Array($0) })
        }
    }

    /// Inputs for whichever passkey answers.
    public let inputValues: InputValues?
    /// Inputs by credential identifier; those must be among the allowed credentials.
    public let perCredentialInputValues: [Data: InputValues]?

    /// The same inputs for every passkey, but those that have some of their own.
    public static func inputValues(
        _ inputValues: InputValues,
        perCredentialInputValues: [Data: InputValues]? = nil
    ) -> Self {
        Self(inputValues: inputValues, perCredentialInputValues: perCredentialInputValues)
    }

    /// Inputs for certain passkeys alone.
    public static func perCredentialInputValues(_ perCredentialInputValues: [Data: InputValues]) -> Self {
        Self(inputValues: nil, perCredentialInputValues: perCredentialInputValues)
    }

    func asInputs() throws(ASAuthorizationError) -> PRFInputs {
        var values: [CredentialID: PRFInputs.Values] = [:]
        for (id, value) in perCredentialInputValues ?? [:] { values[try id.asCredentialID()] = value.value }
        return PRFInputs(eval: inputValues?.value, evalByCredential: values)
    }
}

/// The results of a passkey's pseudo-random function.
///
/// They are keys for use in this process: not to be kept, and never to be sent to the service.
public struct ASAuthorizationPublicKeyCredentialPRFAssertionOutput: Sendable {
    /// The result of the first input, 32 bytes.
    public let first: SymmetricKey
    /// The result of the second, where there is one.
    public let second: SymmetricKey?

    /// Takes both.
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

/// What a new passkey's pseudo-random function is applied to.
public struct ASAuthorizationPublicKeyCredentialPRFRegistrationInput: Hashable, Sendable {
    /// One or two inputs.
    public typealias InputValues = ASAuthorizationPublicKeyCredentialPRFAssertionInput.InputValues

    /// The inputs; `nil` asks only whether there is such a function.
    public let inputValues: InputValues?
    /// Whether only that is asked.
    public var shouldCheckForSupport: Bool { inputValues == nil }

    /// Asks whether there is such a function.
    public static var checkForSupport: Self { Self(inputValues: nil) }
    /// Asks for results right away; whether they come depends on where the passkey is made.
    public static func inputValues(_ inputValues: InputValues) -> Self { Self(inputValues: inputValues) }

    var value: PRFInputs { PRFInputs(eval: inputValues?.value) }
}

/// Whether the new passkey has such a function, and its results.
public struct ASAuthorizationPublicKeyCredentialPRFRegistrationOutput: Sendable {
    /// Whether it has.
    public let isSupported: Bool
    /// The result of the first input, 32 bytes, if there was one and it could be had already.
    public let first: SymmetricKey?
    /// The result of the second.
    public let second: SymmetricKey?

    /// There is such a function.
    public static var supported: Self { Self(isSupported: true, first: nil, second: nil) }
    /// There is none.
    public static var unsupported: Self { Self(isSupported: false, first: nil, second: nil) }
    /// Takes results.
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
