internal import WardAgentClient
internal import WardSync
internal import WardText
internal import WardVault

/// Joining over a sync server, with a code.
extension NewDeviceMethods {
    func meet(_ method: JoinMeeting) async throws -> BeginJoin.Result {
        try await session.working {
            try refuseVault()
            guard let address = ServerAddress(method.server) else {
                throw AgentError(
                    .invalidValue,
                    "This is no address of a sync server. It is like https://sync.example.org"
                )
            }
            guard let code = PairingCode(given: method.code) else {
                throw AgentError(.invalidValue, "A code has eleven digits or more, such as 417-2290-8415")
            }
            let (pending, isEarlier) = try request(named: method.deviceName)
            let server = MeetingServer(address)
            var meeting = try NewDeviceMeeting(
                code,
                pending,
                host: server.host,
                VaultEnvironment(effects: session.effects)
            )
            do {
                let (place, offer, host) = try await server.join(code.meeting)
                guard host == server.host else {
                    await server.end(place)
                    throw MeetingError(.otherHost)
                }
                let share = try meeting.share(offer)
                var run = Meetings.NewDevice(
                    server: server,
                    place: place,
                    address: address,
                    pending: pending,
                    meeting: meeting
                ) {
                    // From here on the other device can add this one.
                    try keepAlone(pending)
                }
                run.mail.unsent = (share, 1)
                await meetings.begin(run)
            } catch let fault as PairingFault {
                throw AgentError(fault)
            } catch let error as MeetingError {
                throw AgentError(error)
            } catch let error as ServerError where [.unreachable, .tooSlow].contains(error.code) {
                // The server may have let this device in, and then lets nobody in with the same code.
                throw AgentError(
                    .init(rawValue: error.code.name),
                    "The sync server did not answer. Check the network and the address. Then make a new code on the other device: "
                        + "ward devices add"
                )
            } catch let error as ServerError {
                throw error.whileJoining
            }
            return BeginJoin.Result(
                request: Hex.encode(pending.request.id),
                deviceName: pending.request.name,
                words: pending.request.words,
                isEarlier: isEarlier
            )
        }
    }

    func meetingStatus() async throws -> JoinMeetingStatus.Result {
        try await session.working {
            do {
                let (hasAsked, isAnswered, seconds) = try await meetings.newDeviceStatus()
                return JoinMeetingStatus.Result(
                    hasAsked: hasAsked,
                    isAnswered: isAnswered,
                    seconds: Int(clamping: seconds)
                )
            } catch let error as ServerError {
                throw error.whileJoining
            }
        }
    }

    func finishMeeting(_ method: FinishMeeting, _ program: ManagerProgram) async throws -> FinishJoin.Result {
        try await session.working {
            try refuseVault()
            let passphrase = try Passphrase(method.passphrase)
            return try await meetings.finish { reply, pending, address in
                let connection = ServerConnection(
                    address,
                    vault: reply.vault,
                    signer: SessionSigner { host, challenge, time in
                        try pending.signSession(host: host, vault: reply.vault, challenge: challenge, time: time)
                    }
                )
                defer { syncer.joining.clear() }
                let pages: [ServerPage]
                do {
                    pages = try await connection.allEntries { [syncer] in syncer.joining.note($0) }
                } catch {
                    // It is asked again and again, each time over a connection of its own.
                    await connection.close()
                    throw Self.trouble(error)
                }
                await connection.close()
                let environment = VaultEnvironment(effects: session.effects)
                let vault = try await session.asking.attempts.trying(.program) {
                    try await Vault.join(
                        pending,
                        reply,
                        passphrase,
                        records: pages.flatMap { $0.entries.map(\.record) },
                        at: session.location,
                        environment: environment
                    )
                }
                return await joined(vault, by: program) {
                    try await syncer.switchOn(vault, with: .server(address), beginning: ServerBeginning(pages: pages))
                }
            }
        }
    }

    /// Says why the entries were not read.
    private static func trouble(_ error: any Error) -> any Error {
        guard let error = error as? ServerError else { return error }
        switch error.code {
        case .sessionRefused:
            return AgentError(
                .init(rawValue: VaultError.Code.vaultIncomplete.name),
                "The server does not know this device yet, because the other device has not brought the addition there. Sync the "
                    + "other device: ward sync now"
            )
        case .unavailable:
            // A vault that cannot be written has this code too, and that does not pass.
            return AgentError(.busy, error.whileJoining.detail)
        default: return error.whileJoining
        }
    }

    func leaveMeeting() async -> Done {
        _ = await meetings.leaveNewDevice()
        return Done()
    }
}
