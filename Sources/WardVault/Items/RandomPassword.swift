/// Passwords that nobody guesses.
package enum RandomPassword {
    /// Letters that look alike are left out; a password is drawn again until each group it may have is in it.
    package static func make(length: Int, symbols: Bool) -> String {
        let groups =
            ["abcdefghijkmnpqrstuvwxyz", "ABCDEFGHJKLMNPQRSTUVWXYZ", "23456789"] + (symbols ? ["!#$%&*+-.:=?@_~"] : [])
        let all = Array(groups.joined())
        var generator = SystemRandomNumberGenerator()
        while true {
            let drawn = (0..<length).map { _ in all[Int.random(in: 0..<all.count, using: &generator)] }
            if groups.allSatisfy({ group in drawn.contains { group.contains($0) } }) { return String(drawn) }
        }
    }
}
