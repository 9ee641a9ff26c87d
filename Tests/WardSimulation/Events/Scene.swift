/// Several events in a row that seldom happen by chance.
enum Scene: CaseIterable {
    /// Two machines with one device's files write beside each other, and each is heard by others.
    case copies
    /// Machines make keys beside each other, and another joins.
    case joining
    /// A machine goes back to a copy, and what it had comes in parts.
    case restoration
    /// A machine goes back to an image of its disk, and a server shows what it had entry by entry.
    case regaining
    /// A machine starts again and again.
    case restarts
    /// A machine writes so often into its folder that it puts its files together.
    case smallFiles
    /// Two machines bring something to a server at the same time.
    case race
    /// A server that was restored from a copy does not take an entry for a time.
    case refusal
    /// A server that was restored from a copy gets others in place of what it lost.
    case rollback
    /// A server keeps data back for a time.
    case withheld
    /// A machine is removed, and the others get a new Secret Key.
    case removal
    /// A removed machine comes back with the recovery key as another device, and goes on with a server.
    case comingBack
    /// Machines remove others at the same time, and go on writing.
    case question
    /// A machine moves an item to the trash while another changes it.
    case trash
    /// A machine removes a section while another writes into it.
    case section
    /// A removed machine removes an item for good.
    case purge
    /// A server shows a machine something else for a time.
    case fork
    /// A server shows a machine an order without the entries of one device.
    case hiding

    /// Whether a schedule has what the scene needs.
    func isPossible(in plan: Plan) -> Bool {
        switch self {
        case .copies: !plan.hasFolder && plan.servers > 0
        case .joining, .removal, .question, .trash, .section, .purge: true
        case .restoration: plan.hasFolder || plan.servers > 0
        case .regaining: !plan.hasFolder && plan.servers == 1 && plan.hasLies
        case .restarts, .race: plan.servers > 0
        case .comingBack: plan.hasFolder && plan.servers > 0
        case .smallFiles: plan.hasFolder && plan.hasFailures
        case .refusal: plan.servers > 0 && !plan.hasDatabase
        case .rollback: plan.servers > 0 && plan.hasLies && !plan.hasDatabase
        case .withheld: plan.servers > 0 && plan.hasLies
        case .fork, .hiding: plan.servers > 0 && plan.hasLies && !plan.hasDatabase
        }
    }
}

extension Simulation {
    /// Plays a scene with machines that the dice choose.
    func play(_ scene: Scene, _ dice: inout Dice) async throws {
        let present = machines.filter { $0.vault != nil && !$0.isGivenUp }.shuffled(using: &dice)
        guard present.count > 1 else { return }
        note("scene: \(scene)")
        switch scene {
        case .copies: try await playCopies(present, &dice)
        case .joining: try await playJoining(present, &dice)
        case .restoration: try await playRestoration(present, &dice)
        case .regaining: try await playRegaining(present, &dice)
        case .restarts: try await playRestarts(present[0], &dice)
        case .smallFiles: try await playSmallFiles(present[0], &dice)
        case .race: try await playRace(present, &dice)
        case .refusal: try await playRefusal(present, &dice)
        case .rollback: try await playRollback(present, &dice)
        case .withheld: try await playWithheld(present, &dice)
        case .removal: try await playRemoval(present, &dice)
        case .comingBack: try await playComingBack(present, &dice)
        case .question: try await playQuestion(present, &dice)
        case .trash: try await playTrash(present, &dice)
        case .section: try await playSection(present, &dice)
        case .purge: try await playPurge(present, &dice)
        case .fork: try await playFork(present, &dice)
        case .hiding: try await playHiding(present, &dice)
        }
    }
}
