internal import WardText

/// Why two devices did not meet at a server.
///
/// After a fault the meeting is over for both. A new one needs a new code.
package struct PairingFault: CodedError {
    /// The kind of problem.
    package struct Code: ErrorCode {
        /// A stable word for logs and JSON.
        package let name: String

        /// The two devices do not have the same code, or somebody in between changed a message.
        package static let codesDiffer = Self(name: "codes_differ")
        /// The person at the other device refused this one.
        package static let refused = Self(name: "pairing_refused")
        /// The other device gave up.
        package static let ended = Self(name: "pairing_ended")
        /// A message is not the one that comes next, or is malformed.
        package static let malformed = Self(name: "pairing_malformed")
        /// The other device has a later version of Ward.
        package static let unknownVersion = Self(name: "unknown_version")
    }

    /// The kind of problem.
    package let code: Code
    /// What a person can do.
    package let detail: String

    private static let again = "Make a new code on the device that has the vault: ward devices add"

    init(_ code: Code) {
        self.code = code
        detail =
            switch code {
            case .codesDiffer:
                "The codes do not match. If you typed the code right, somebody is in between. \(Self.again)"
            case .refused: "The other device refused this one. If it was you, make a new code there: ward devices add"
            case .ended: "The other device gave up. \(Self.again)"
            case .unknownVersion: "The other device has a later version of Ward: update Ward"
            default: "The other device, or the server, sent something wrong. \(Self.again)"
            }
    }

    /// What is sent to the other device, so that it need not wait; `nil` if it ended the meeting itself.
    package var farewell: [UInt8]? {
        switch code {
        case .codesDiffer: MeetingMessage.end(.codesDiffer).encoded
        case .ended, .refused: nil
        default: MeetingMessage.end(.gaveUp).encoded
        }
    }

    /// What is sent if a person gives up, or if the time is over.
    package static var givingUp: [UInt8] { MeetingMessage.end(.gaveUp).encoded }
}
