// MARK: The member

/// Makes a code, with which a new device joins over the sync server of the vault.
///
/// A code before it ends. After three wrong codes in a row it fails with `too_many_attempts` for a while.
package struct BeginMeeting: AgentMethod {
    package static let name = "devices.meet"
    /// The authorization of the request.
    package var authorization: Authorization
    package init(authorization: Authorization) { self.authorization = authorization }

    package struct Result: Codable, Sendable {
        /// The code, such as `417-2290-8415`.
        package var code: String
        /// The address of the server, which the new device needs too.
        package var server: String
        /// How many seconds the code is good for.
        package var seconds: Int

        package init(code: String, server: String, seconds: Int) {
            self.code = code
            self.server = server
            self.seconds = seconds
        }
    }
}

/// Goes on with the meeting, and waits a few seconds for the new device.
///
/// It fails with `codes_differ`, `meeting_over` and other codes if the meeting has ended.
package struct MeetingStatus: AgentMethod {
    package static let name = "devices.meeting"
    package init() {}

    package struct Result: Codable, Sendable {
        /// The device that came and has the code; `nil` if none did yet.
        package var request: ListDeviceRequests.Request?
        /// How many seconds are left.
        package var seconds: Int
        /// How many devices came after the first one, and were refused.
        package var refused: Int

        package init(request: ListDeviceRequests.Request?, seconds: Int, refused: Int) {
            self.request = request
            self.seconds = seconds
            self.refused = refused
        }
    }
}

/// Adds the device that came to the meeting.
///
/// The person has compared the words.
package struct AcceptMeeting: AgentMethod {
    package static let name = "devices.welcome"
    /// The ID of the request whose words the person compared.
    package var request: String
    /// The passphrase.
    package var passphrase: String

    package init(request: String, passphrase: String) {
        self.request = request
        self.passphrase = passphrase
    }

    package typealias Result = AddDevice.Result
}

/// Ends the meeting; a device that came is refused.
package struct EndMeeting: AgentMethod {
    package static let name = "devices.endMeeting"
    package init() {}
    package typealias Result = Done
}

// MARK: The new device

/// Comes to a meeting with a code.
///
/// If this device has asked to join before and has not joined, it goes on with the same request and words.
package struct JoinMeeting: AgentMethod {
    package static let name = "join.meet"
    /// The address of the sync server.
    package var server: String
    /// The code that the other device shows.
    package var code: String
    /// The name of this device; `nil` for the host name, or for the name in the earlier request.
    package var deviceName: String?

    package init(server: String, code: String, deviceName: String? = nil) {
        self.server = server
        self.code = code
        self.deviceName = deviceName
    }

    package typealias Result = BeginJoin.Result
}

/// Goes on with the meeting, and waits a few seconds for the other device.
///
/// It fails with `codes_differ`, `pairing_refused`, `meeting_over` and other codes if the meeting has ended.
package struct JoinMeetingStatus: AgentMethod {
    package static let name = "join.meeting"
    package init() {}

    package struct Result: Codable, Sendable {
        /// Whether the other device has the same code, and got the request.
        package var hasAsked: Bool
        /// Whether the person at the other device added this one.
        package var isAnswered: Bool
        /// How many seconds are left.
        package var seconds: Int

        package init(hasAsked: Bool, isAnswered: Bool, seconds: Int) {
            self.hasAsked = hasAsked
            self.isAnswered = isAnswered
            self.seconds = seconds
        }
    }
}

/// Joins: takes the vault from the server, unlocks it and switches sync on.
package struct FinishMeeting: AgentMethod {
    package static let name = "join.finishMeeting"
    /// The vault's passphrase.
    package var passphrase: String
    package init(passphrase: String) { self.passphrase = passphrase }
    package typealias Result = FinishJoin.Result
}

/// Leaves the meeting; the keys of this device stay for the next one.
package struct LeaveMeeting: AgentMethod {
    package static let name = "join.leaveMeeting"
    package init() {}
    package typealias Result = Done
}
