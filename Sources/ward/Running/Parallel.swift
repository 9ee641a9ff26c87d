/// Runs work for several inputs at the same time, and takes the results in the order of the inputs.
///
/// - Parameters:
///   - inputs: The inputs.
///   - width: How many run at the same time.
///   - work: The work for one input.
///   - take: Takes a result, and says whether further work begins. Work that runs already is taken in any case.
/// - Returns: The number of inputs whose work did not begin.
/// - Throws: The errors of `take`, and `CancellationError`.
func inParallel<Input: Sendable, Output: Sendable>(
    _ inputs: [Input],
    width: Int,
    _ work: @escaping @Sendable (Input) async -> Output,
    _ take: (Output) async throws -> Bool
) async throws -> Int {
    var (rest, running, goesOn) = (inputs[...], [Task<Output, Never>](), true)
    defer { for task in running { task.cancel() } }
    while true {
        while goesOn, running.count < width, let input = rest.popFirst() {
            running.append(Task { await work(input) })
        }
        guard !running.isEmpty else { return rest.count }
        try Task.checkCancellation()
        goesOn = try await take(running.removeFirst().value) && goesOn
    }
}
