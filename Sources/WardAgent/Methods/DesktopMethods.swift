internal import WardAgentClient

/// Reports and switches the portal of the desktop.
struct DesktopMethods: Sendable {
    let portal: DesktopPortal
    /// Whether the agent serves the default vault: only its agent serves the desktop.
    let isStandard: Bool

    func status() async throws(AgentError) -> DesktopStatus.Result {
        try check()
        return await portal.status()
    }

    func switched(_ method: SwitchDesktop) async throws -> DesktopStatus.Result {
        try check()
        return try await portal.set(isOn: method.isOn)
    }

    private func check() throws(AgentError) {
        guard isStandard else {
            throw AgentError(.invalidValue, "only the agent of the default vault serves the desktop")
        }
    }
}
