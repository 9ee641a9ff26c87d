public import WardText
public import WardWebAuthn

/// Reads the options of real sites and repairs known deviations, as the site's own script would.
///
/// Pages pass their options to a credential manager after all kinds of encoders: numbers as text, byte arrays as
/// objects, padding, `null` for absent values. The types of `WardWebAuthn` refuse all that, because they verify input.
/// This reader converts it to those types and reports each change. It never guesses a value that changes the meaning: a
/// malformed credential ID is refused, not left out.
///
/// ```swift
/// let read = try TolerantOptions<PublicKeyCredentialCreationOptions>(json: text)
/// log.debug("\(read.repairs)")
/// let answer = try await client.create(read.options, from: caller)
/// ```
public struct TolerantOptions<Options: WebAuthnJSON>: Sendable {
    /// The options, in the standard's types.
    public let options: Options
    /// The repairs, in the order of the text.
    public let repairs: [OptionsRepair]

    private init(_ json: [UInt8], _ repair: (inout OptionsRepairer, JSONValue) throws(ClientError) -> JSONValue)
        throws(ClientError)
    {
        let value: JSONValue
        do {
            value = try JSONValue(json)
        } catch {
            throw ClientError(.type, "the options are not JSON: \(error)")
        }
        try self.init(value, repair)
    }

    private init(
        _ value: JSONValue,
        _ repair: (inout OptionsRepairer, JSONValue) throws(ClientError) -> JSONValue
    ) throws(ClientError) {
        var repairer = OptionsRepairer()
        let repaired = try repair(&repairer, value)
        do {
            options = try Options(repaired)
        } catch {
            throw ClientError(error)
        }
        repairs = repairer.repairs
    }
}

extension TolerantOptions where Options == PublicKeyCredentialCreationOptions {
    /// Reads options for creating a credential.
    ///
    /// - Parameter json: UTF-8 text of at most 16 levels and 4,096 values.
    /// - Throws: ``ClientError`` with `TypeError`, `EncodingError`, or `NotSupportedError` if no listed key type is
    ///   known.
    public init(json: [UInt8]) throws(ClientError) {
        try self.init(json) { (repairer, value) throws(ClientError) in try repairer.creation(value) }
    }

    /// Reads options from a parsed value.
    ///
    /// - Parameter value: The object.
    /// - Throws: ``ClientError``, as for text.
    public init(_ value: JSONValue) throws(ClientError) {
        try self.init(value) { (repairer, value) throws(ClientError) in try repairer.creation(value) }
    }
}

extension TolerantOptions where Options == PublicKeyCredentialRequestOptions {
    /// Reads options for using a credential.
    ///
    /// - Parameter json: UTF-8 text of at most 16 levels and 4,096 values.
    /// - Throws: ``ClientError`` with `TypeError` or `EncodingError`.
    public init(json: [UInt8]) throws(ClientError) {
        try self.init(json) { (repairer, value) throws(ClientError) in try repairer.request(value) }
    }

    /// Reads options from a parsed value.
    ///
    /// - Parameter value: The object.
    /// - Throws: ``ClientError``, as for text.
    public init(_ value: JSONValue) throws(ClientError) {
        try self.init(value) { (repairer, value) throws(ClientError) in try repairer.request(value) }
    }
}

extension ClientError {
    /// L3 #sctn-parseCreationOptionsFromJSON: bytes that are not base64url are an `EncodingError`, every other error is
    /// a `TypeError`.
    package init(_ error: WebAuthnError) {
        self.init(error.code == .notBase64URL ? .encoding : .type, error.detail)
    }
}
