/// Numbers that a seed decides.
struct Dice: RandomNumberGenerator {
    private var state: UInt64

    /// Dice that depend on two numbers.
    init(_ seed: UInt64, _ number: UInt64 = 0) {
        state = seed &* 0xd134_2543_de82_ef95 &+ number &* 0x2545_f491_4f6c_dd1d &+ 1
        _ = next()
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// A number below a limit.
    mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<max(1, limit), using: &self) }

    /// Whether something happens that happens so often in a hundred times.
    mutating func hits(_ percent: Int) -> Bool { below(100) < percent }

    /// One of several.
    mutating func one<T>(of elements: [T]) -> T? { elements.randomElement(using: &self) }
}
