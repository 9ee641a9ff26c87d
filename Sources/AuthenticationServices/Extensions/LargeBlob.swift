public import Foundation
internal import WardWebAuthn

/// Whether a new passkey shall be able to keep bytes.
public struct ASAuthorizationPublicKeyCredentialLargeBlobRegistrationInput: Hashable, Sendable {
    let value: LargeBlobInputs

    /// The registration fails without it.
    public static var supportRequired: Self { Self(value: LargeBlobInputs(support: .required)) }
    /// Wanted, but not at the price of failing.
    public static var supportPreferred: Self { Self(value: LargeBlobInputs(support: .preferred)) }
}

/// Whether the new passkey can keep bytes.
public struct ASAuthorizationPublicKeyCredentialLargeBlobRegistrationOutput: Hashable, Sendable {
    /// Whether it can.
    public var isSupported: Bool

    /// Says whether it can.
    public init(isSupported: Bool) { self.isSupported = isSupported }

    init(_ value: LargeBlobOutputs) { isSupported = value.supported ?? false }
}

/// What to do with the bytes kept with a passkey.
public struct ASAuthorizationPublicKeyCredentialLargeBlobAssertionInput: Hashable, Sendable {
    /// What to do.
    public enum Operation: Hashable, Sendable {
        /// Read them.
        case read
        /// Write them over; exactly one passkey must be allowed then.
        case write(Data)
    }

    /// What to do.
    public var operation: Operation
    /// Reads them.
    public static var read: Self { Self(operation: .read) }
    /// Writes them over.
    public static func write(_ blob: Data) -> Self { Self(operation: .write(blob)) }

    var value: LargeBlobInputs {
        switch operation {
        case .read: LargeBlobInputs(read: true)
        case .write(let blob): LargeBlobInputs(write: Array(blob))
        }
    }
}

/// What became of it.
public struct ASAuthorizationPublicKeyCredentialLargeBlobAssertionOutput: Hashable, Sendable {
    /// What became of it.
    public enum OperationResult: Hashable, Sendable {
        /// What was read; `nil` when there is nothing, or reading failed.
        case read(data: Data?)
        /// Whether it was written.
        case write(success: Bool)
    }

    /// What became of it.
    public var result: OperationResult
    /// Something was read, or nothing was there.
    public static func read(data: Data?) -> Self { Self(result: .read(data: data)) }
    /// Something was written, or was not.
    public static func write(success: Bool) -> Self { Self(result: .write(success: success)) }

    init(result: OperationResult) { self.result = result }

    init(_ value: LargeBlobOutputs) {
        result = value.written.map { .write(success: $0) } ?? .read(data: value.blob.map { Data($0) })
    }
}
