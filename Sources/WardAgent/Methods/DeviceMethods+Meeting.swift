internal import Logging
internal import WardAgentClient
internal import WardSync
internal import WardText
internal import WardVault
internal import WardWebAuthn

/// Adding a device over the sync server of the vault.
extension DeviceMethods {
    func beginMeeting(_ method: BeginMeeting, _ program: ManagerProgram) async throws -> BeginMeeting.Result {
        try await session.working {
            let vault = try await session.opened(method.authorization, .person(program), to: .listDevices)
            try await meetings.checkTries()
            guard await syncer.adopt() === vault, let setting = await syncer.setting else { throw AgentError.syncIsOff }
            guard let address = setting.server else { throw Self.hasNoServer }
            let connection = ServerConnection(address, vault: vault.id, signer: SessionSigner(vault))
            let environment = VaultEnvironment(effects: session.effects)
            let server = MeetingServer(connection)
            var meeting = try MemberMeeting(host: server.host, environment)
            let place: MeetingServer.Place
            do { place = try await server.begin(meeting.offer) } catch let error as ServerError {
                // No code was made, and nothing makes one later.
                throw error.endingCommand
            }
            let code = try meeting.code(for: place.number, environment)
            await meetings.begin(.init(server: server, place: place, vault: vault, meeting: meeting))
            return BeginMeeting.Result(
                code: code.text,
                server: address.text,
                seconds: Int(clamping: place.seconds)
            )
        }
    }

    func meetingStatus() async throws -> MeetingStatus.Result {
        try await session.working {
            let (request, seconds, refused) = try await meetings.memberStatus()
            let now = session.effects.now()
            return MeetingStatus.Result(
                request: request.map { request in
                    ListDeviceRequests.Request(
                        id: Hex.encode(request.id),
                        name: request.name,
                        system: request.system,
                        time: request.time,
                        age: max(0, now - request.time),
                        words: request.words,
                        isAnswered: false
                    )
                },
                seconds: Int(clamping: seconds),
                refused: Int(clamping: refused)
            )
        }
    }

    func acceptMeeting(_ method: AcceptMeeting, _ program: ManagerProgram) async throws -> AddDevice.Result {
        try await session.working {
            guard let id = Hex.decode(method.request) else { throw AgentError(.invalidValue, "This is no request") }
            let (request, vault) = try await meetings.accept(id) { request, vault in
                let reply = try await syncer.changing(vault) {
                    try await session.asOwner(method.passphrase) { try await $0.admit(request, $1) }
                }
                // The server lets the new device in when it has the addition. If that fails, the next sync brings it, and the new
                // device waits.
                _ = try? await syncer.now()
                return reply
            }
            logger.notice("a device was added", metadata: ["by": "\(program.peer.description)"])
            return try await added(request, to: vault)
        }
    }

    private static let hasNoServer = AgentError(
        .init(rawValue: "no_server"),
        "The vault does not sync with a server. Add the device over the folder: ward join FOLDER on the new device"
    )

    func endMeeting() async -> Done {
        await meetings.endMember()
        return Done()
    }
}
