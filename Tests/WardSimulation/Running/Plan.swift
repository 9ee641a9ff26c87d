/// What kind of schedule a seed gives.
struct Plan {
    let seed: UInt64
    /// The machines at the beginning, and the most that there can be.
    var machines: Int
    var mostMachines: Int
    var steps: Int
    var servers: Int
    /// Whether machines exchange a folder; otherwise they have servers alone.
    var hasFolder: Bool
    /// Whether signatures and sealing are the real ones.
    var isReal: Bool
    /// Whether the power fails, and disks are full.
    var hasFailures: Bool
    /// Whether folders and servers lie.
    var hasLies: Bool
    /// Whether the circle changes often.
    var isAboutCircle: Bool
    /// How far clocks are wrong, in seconds.
    var clockError: Int64
    /// Whether days pass between steps.
    var isLong: Bool
    /// Whether three machines or more change the same item beside each other again and again, and how they do: the kinds of changes
    /// that they make most often, see ``ItemChange``, and how many more of a hundred remove an item for good.
    var isCrowded: Bool
    var kinds: [Int] = []
    var purges = 0
    /// Whether the files of a machine are copied, and the copy is used like a machine.
    var hasCopies = false
    /// Whether servers keep vaults in SQLite.
    var hasDatabase = false
    /// The most entries that machines ask a server for at once; `nil` for the usual number.
    var pageEntries: Int?
    /// The scenes after the steps, each with a step before it.
    var scenes: [Scene] = []
    private static let scenesOfOne = 2
    /// The steps and scenes of the schedule.
    private(set) var length = 0

    /// - Parameters:
    ///   - seed: The seed.
    ///   - length: The steps and scenes after which the schedule ends; `nil` for all.
    init(seed: UInt64, length: Int? = nil) {
        var dice = Dice(seed, 1)
        self.seed = seed
        isReal = seed % 100 == 99
        let isLarge = dice.below(40) == 0
        machines = isLarge ? 4 + dice.below(7) : 2 + dice.below(2)
        mostMachines = machines + (dice.hits(40) ? 1 : 0) + (isLarge ? 0 : dice.below(2))
        hasFolder = dice.hits(70)
        servers = hasFolder ? (dice.hits(35) ? 1 : 0) : (dice.hits(85) ? 1 : 2)
        hasFailures = dice.hits(50)
        hasLies = dice.hits(40)
        isAboutCircle = dice.hits(45)
        clockError = dice.hits(60) ? Int64(dice.below(1 + dice.below(6 * 86_400))) : 0
        isLong = dice.hits(15)
        steps = 8 + dice.below(dice.hits(20) ? 40 : 16)
        isCrowded = seed % 3 == 0
        if isCrowded { crowd() }
        chooseScenes()
        self.length = length ?? steps + 2 * Self.scenesOfOne
    }

    /// The scene with which a step has to do; `nil` if anything may happen.
    func scene(at step: Int) -> Scene? {
        let rest = step - steps
        return rest > 0 && rest % 2 == 1 && rest / 2 < scenes.count ? scenes[rest / 2] : nil
    }

    private mutating func crowd() {
        var more = Dice(seed, 5)
        machines = max(machines, 3)
        mostMachines = max(mostMachines, machines)
        kinds = (0...more.below(3)).map { _ in more.below(ItemChange.kinds) }
        purges = more.hits(30) ? 20 : 0
        // Two machines cannot both be the writer of one folder.
        hasCopies = more.hits(35)
        if hasCopies { (hasFolder, servers) = (false, more.hits(60) ? 2 : 1) }
    }

    private mutating func chooseScenes() {
        var dice = Dice(seed, 6)
        // What is in SQLite cannot go back, or be shown in two ways.
        hasDatabase = servers > 0 && !hasLies && dice.hits(40)
        var more = Dice(seed, 7)
        if more.hits(40) { pageEntries = 1 + more.below(8) }
        let possible = Scene.allCases.filter { $0.isPossible(in: self) }
        scenes = (0..<Self.scenesOfOne).compactMap { _ in dice.one(of: possible) }
    }
}
