internal import WardText

/// Why a server does not let a device go on in a meeting.
///
/// The sentences are this program's own: nothing that a server writes is shown.
package struct MeetingError: CodedError {
    /// The kind of problem, as the server names it.
    package struct Code: ErrorCode {
        /// A stable word for logs and JSON.
        package let name: String

        /// There is no meeting with this number.
        package static let notFound = Self(name: "meeting_not_found")
        /// The time is over, or the other device ended the meeting.
        package static let over = Self(name: "meeting_over")
        /// Another device came with this number before.
        package static let taken = Self(name: "meeting_taken")
        /// The server does not take the message.
        package static let messageRefused = Self(name: "message_refused")
        /// The server has another name than the one by which this device reaches it.
        package static let otherHost = Self(name: "other_host")
    }

    /// The kind of problem.
    package let code: Code
    /// What is wrong, and what to do.
    package let detail: String

    package init(_ code: Code) {
        self.code = code
        detail =
            switch code {
            case .notFound: "The server does not know this code. Compare it with the screen of the other device"
            case .over: "The code has run out, or the other device gave up. Make a new code: ward devices add"
            case .taken:
                "Another device has used this code. If it was not yours, somebody tries codes. Make a new one: ward devices add"
            case .otherHost:
                "The server has another name. Type the address that the other device shows: ward devices add"
            default: "The server does not go on. Make a new code: ward devices add"
            }
    }

    /// The same after this device has been in the meeting: a server that does not know it any more has ended it.
    package var whileMeeting: Self { code == .notFound ? Self(.over) : self }

    /// Reads the error of a request; `nil` if it says nothing about a meeting.
    init?(_ error: ServerError) {
        let codes: [Code] = [.notFound, .over, .taken, .messageRefused]
        guard let name = error.members["code"]?.stringValue, let code = codes.first(where: { $0.name == name }) else {
            return nil
        }
        self.init(code)
    }
}
