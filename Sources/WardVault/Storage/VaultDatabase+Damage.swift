extension VaultDatabase {
    /// The number of positions in a row that are tried if SQLite cannot find the next row.
    private static let patience = 4096

    /// Reads all positions of a file that may be damaged, in order.
    ///
    /// For a position that cannot be read there is no row.
    ///
    /// - Parameter body: Takes a place and its row.
    /// - Returns: How many places between others are missing, without those that came without a row behind the last one.
    func forEachPlace(_ body: (Int64, Row?) -> Void) -> Int {
        var (position, failures, missing): (Int64, Int, Int) = (0, 0, 0)
        while position < .max, failures < Self.patience {
            do throws(VaultError) {
                guard let next = try self.position(after: position) else { break }
                if next > position + 1 { missing += Int(clamping: next - position - 1) }
                position = next
                failures = 0
            } catch {
                position += 1
                failures += 1
            }
            body(position, try? row(at: position))
        }
        return missing - failures
    }
}
