extension VaultDatabase {
    /// How many places in a row are tried where SQLite cannot even say what comes next.
    private static let patience = 4096

    /// Walks over all places of a file that may be damaged, in order; a place that cannot be read comes without a row.
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
