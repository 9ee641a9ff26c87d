// One Mutex and eight tasks that want it: how Scripts/sanitize makes sure that the thread sanitizer is right about both.
//
// Without an argument there is no race and none may be reported; with `race` there is one beside the Mutex, and it has to be.
import Synchronization

final class Counters: @unchecked Sendable {
    let guarded = Mutex(0)
    var bare = 0
}

let counters = Counters()
let isRacing = CommandLine.arguments.contains("race")
await withTaskGroup(of: Void.self) { group in
    for _ in 0..<8 {
        group.addTask {
            for _ in 0..<20_000 {
                counters.guarded.withLock { $0 += 1 }
                if isRacing { counters.bare += 1 }
            }
        }
    }
}
print(counters.guarded.withLock { $0 })
