public import WardWebAuthn

/// Options of real sites, read as a browser would have to after the site's own script had put them right.
///
/// Pages hand their options to a credential manager after decoders of every kind: numbers as text, byte arrays as objects,
/// padding, `null` for what is absent. The types of `WardWebAuthn` refuse all that, as they should where we are the ones to
/// be trusted; this reader turns it into those types and says what it changed. Nothing is guessed that would change who is
/// asked for what: an identifier that cannot be read is refused, and never left out.
///
/// ```swift
/// let read = try TolerantOptions<PublicKeyCredentialCreationOptions>(json: text)
/// log.debug("\(read.repairs)")
/// let answer = try await client.create(read.options, from: caller)
/// ```
public struct TolerantOptions<Options: WebAuthnJSON>: Sendable {
    /// The options, in the standard's types.
    public let options: Options
    /// What was changed, in the order of the text.
    public let repairs: [OptionsRepair]

    private init(_ json: [UInt8], _ repair: (inout OptionsRepairer, JSONValue) throws(ClientError) -> JSONValue)
        throws(ClientError)
    {
        let value: JSONValue
        do {
            value = try JSONValue(json)
        } catch {
            throw ClientError(.type, "the options are no JSON: \(error)")
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
    /// Reads options for making a credential.
    ///
    /// - Parameter json: UTF-8 text of at most 16 levels and 4,096 values.
    /// - Throws: ``ClientError`` with `TypeError`, `EncodingError`, or `NotSupportedError` when none of the kinds of key
    ///   that are listed is one.
    public init(json: [UInt8]) throws(ClientError) {
        try self.init(json) { (repairer, value) throws(ClientError) in try repairer.creation(value) }
    }

    /// Reads options that are parsed already.
    ///
    /// - Parameter value: The object.
    /// - Throws: ``ClientError``, as with text.
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

    /// Reads options that are parsed already.
    ///
    /// - Parameter value: The object.
    /// - Throws: ``ClientError``, as with text.
    public init(_ value: JSONValue) throws(ClientError) {
        try self.init(value) { (repairer, value) throws(ClientError) in try repairer.request(value) }
    }
}

extension ClientError {
    /// L3 #sctn-parseCreationOptionsFromJSON: bytes that are no base64url are an `EncodingError`, all else a `TypeError`.
    package init(_ error: WebAuthnError) {
        self.init(error.code == .notBase64URL ? .encoding : .type, error.detail)
    }
}
