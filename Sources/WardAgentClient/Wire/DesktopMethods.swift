/// Reports whether the agent serves the portal of the desktop.
package struct DesktopStatus: AgentMethod {
    package static let name = "desktop.status"
    package init() {}

    /// The state of the portal.
    package struct State: RawRepresentable, Codable, Hashable, Sendable {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }

        /// The person did not switch it on.
        package static let off = Self(rawValue: "off")
        /// The agent has the name and answers.
        package static let serving = Self(rawValue: "serving")
        /// Another program has the name.
        package static let taken = Self(rawValue: "taken")
        /// No program has the name.
        package static let free = Self(rawValue: "free")
        /// There is no message bus.
        package static let noBus = Self(rawValue: "no_bus")
    }

    /// The status.
    package struct Result: Codable, Sendable {
        /// Whether the person switched the portal on.
        package var isOn: Bool
        /// What the agent does.
        package var state: State
        /// The name on the message bus.
        package var name: String
        /// The process that has the name, if it is another program.
        package var pid: Int32?
        /// The program of that process, if it can be seen.
        package var program: String?

        package init(isOn: Bool, state: State, name: String) {
            self.isOn = isOn
            self.state = state
            self.name = name
        }
    }
}

/// Switches the portal of the desktop on or off.
package struct SwitchDesktop: AgentMethod {
    package static let name = "desktop.switch"
    /// Whether the portal should be on.
    package var isOn: Bool
    package init(isOn: Bool) { self.isOn = isOn }
    /// The status after the change.
    package typealias Result = DesktopStatus.Result
}
