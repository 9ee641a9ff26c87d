internal import WardSync

/// Syncs on their threads.
extension Syncer {
    /// Runs a sync on its thread.
    ///
    /// - Parameters:
    ///   - run: The sync.
    ///   - thread: Where it runs, also whenever it goes on after something it waited for.
    /// - Returns: What came of it.
    @concurrent static func perform(_ run: @escaping Run, on thread: SyncThread) async -> Outcome {
        // A task of its own: with `withTaskExecutorPreference` the run would begin on the thread that calls.
        await withTaskGroup(of: Outcome.self) { group in
            group.addTask(executorPreference: thread) {
                do { return .success(try await run()) } catch { return .failure(error) }
            }
            return await group.next() ?? .failure(CancellationError())
        }
    }

    /// How often it is looked whether an earlier sync has left its folder.
    private static let pause = Duration.milliseconds(50)

    /// Runs a sync in a folder, unless an earlier one hangs there.
    func visit(_ folder: String, _ run: @escaping Run, _ number: Int, on thread: SyncThread) async -> Outcome {
        // One that was interrupted may still read a file.
        while visits.mustWait(in: folder, at: clock()), !Task.isCancelled { try? await Task.sleep(for: Self.pause) }
        guard !Task.isCancelled else { return .failure(CancellationError()) }
        guard !visits.contains(folder) else { return .failure(FolderError(notAnswering: folder)) }
        visits.began(number, in: folder, at: clock(), reports: progress.count)
        let outcome = await Self.perform(run, on: thread)
        visits.ended(number)
        if current != number { await folderAnswers(folder) }
        return outcome
    }
}

extension FolderError {
    /// A system call in the folder has not returned for a long time.
    init(notAnswering folder: String) {
        self.init(
            .unavailable,
            "\(folder) does not answer. Nothing is lost: changes wait on this device. Check its drive and the network, or use another "
                + "folder: ward sync on FOLDER. Ward syncs as soon as the folder answers."
        )
    }
}
