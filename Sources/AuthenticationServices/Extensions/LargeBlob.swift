public import Foundation
internal import WardWebAuthn

/// Whether a new passkey should support large blobs.
public struct ASAuthorizationPublicKeyCredentialLargeBlobRegistrationInput: Hashable, Sendable {
    let value: LargeBlobInputs

    /// Required: without support the registration fails.
    public static var supportRequired: Self { Self(value: LargeBlobInputs(support: .required)) }
    /// Preferred: the registration succeeds without support.
    public static var supportPreferred: Self { Self(value: LargeBlobInputs(support: .preferred)) }
}

/// Whether the new passkey supports large blobs.
public struct ASAuthorizationPublicKeyCredentialLargeBlobRegistrationOutput: Hashable, Sendable {
    /// Whether the passkey supports large blobs.
    public var isSupported: Bool

    /// Creates the output.
    public init(isSupported: Bool) { self.isSupported = isSupported }

    init(_ value: LargeBlobOutputs) { isSupported = value.supported ?? false }
}

/// The large blob operation of a sign-in.
public struct ASAuthorizationPublicKeyCredentialLargeBlobAssertionInput: Hashable, Sendable {
    /// An operation.
    public enum Operation: Hashable, Sendable {
        /// Read the blob.
        case read
        /// Write the blob.
        ///
        /// Exactly one passkey must be allowed.
        case write(Data)
    }

    /// The operation.
    public var operation: Operation
    /// Reads the blob.
    public static var read: Self { Self(operation: .read) }
    /// Writes the blob.
    public static func write(_ blob: Data) -> Self { Self(operation: .write(blob)) }

    var value: LargeBlobInputs {
        switch operation {
        case .read: LargeBlobInputs(read: true)
        case .write(let blob): LargeBlobInputs(write: Array(blob))
        }
    }
}

/// The result of a large blob operation.
public struct ASAuthorizationPublicKeyCredentialLargeBlobAssertionOutput: Hashable, Sendable {
    /// A result.
    public enum OperationResult: Hashable, Sendable {
        /// The blob, or `nil` if there is none or reading failed.
        case read(data: Data?)
        /// Whether writing succeeded.
        case write(success: Bool)
    }

    /// The result.
    public var result: OperationResult
    /// The result of reading.
    public static func read(data: Data?) -> Self { Self(result: .read(data: data)) }
    /// The result of writing.
    public static func write(success: Bool) -> Self { Self(result: .write(success: success)) }

    init(result: OperationResult) { self.result = result }

    init(_ value: LargeBlobOutputs) {
        result = value.written.map { .write(success: $0) } ?? .read(data: value.blob.map { Data($0) })
    }
}
