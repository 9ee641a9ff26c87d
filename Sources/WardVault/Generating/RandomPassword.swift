/// Generates random passwords.
package enum RandomPassword {
    /// The number of characters from which a password is drawn.
    package static func choices(symbols: Bool) -> Int { groups(symbols: symbols).joined().count }

    private static func groups(symbols: Bool) -> [String] {
        ["abcdefghijkmnpqrstuvwxyz", "ABCDEFGHJKLMNPQRSTUVWXYZ", "23456789"] + (symbols ? ["!#$%&*+-.:=?@_~"] : [])
    }

    /// Generates a password without similar letters.
    ///
    /// The password is generated again until it has a character of each allowed group.
    package static func make(length: Int, symbols: Bool) -> String {
        let groups = groups(symbols: symbols)
        let all = Array(groups.joined())
        var generator = SystemRandomNumberGenerator()
        while true {
            let drawn = (0..<length).map { _ in all[Int.random(in: 0..<all.count, using: &generator)] }
            if groups.allSatisfy({ group in drawn.contains { group.contains($0) } }) { return String(drawn) }
        }
    }
}
