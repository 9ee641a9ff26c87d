// Another credential manager beside Ward's. It keeps everything unencrypted, so it is for trying the provider protocol and for
// nothing else: Documentation/formats/provider.md.
//
//     SmallManager FILE SOCKET
//
// FILE has passwords and passkeys as JSON, private keys among them; SOCKET is added by the agent that starts it. The first line of
// standard input is what the agent proves itself with, and the input ends with the agent.

import Foundation
import NIOCore
import NIOPosix

guard CommandLine.arguments.count == 3 else {
    FileHandle.standardError.write(Data("Usage: SmallManager FILE SOCKET\n".utf8))
    exit(2)
}
let (file, path) = (CommandLine.arguments[1], CommandLine.arguments[2])
FileHandle.standardError.write(
    Data("FOR DEMONSTRATION ONLY: passwords and private keys lie unencrypted in \(file)\n".utf8)
)

guard let proof = readLine(), !proof.isEmpty else {
    FileHandle.standardError.write(
        Data("SmallManager is started by Ward's agent, which writes its proof to standard input.\n".utf8)
    )
    exit(2)
}
Thread.detachNewThread {
    while readLine() != nil {}
    // The next agent starts another one.
    unlink(path)
    exit(0)
}

let drawer = Drawer(file)
umask(0o077)
// Whatever lies there is a dead one's.
unlink(path)
let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
    .bind(unixDomainSocketPath: path) { channel in
        channel.eventLoop.makeCompletedFuture {
            let frames = ByteToMessageHandler(Lines())
            try channel.pipeline.syncOperations.addHandler(frames)
            return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }
    }
try await listener.executeThenClose { connections in
    try await withThrowingDiscardingTaskGroup { group in
        for try await connection in connections {
            group.addTask {
                try? await connection.executeThenClose { lines, answers in
                    var manager = SmallManager(drawer: drawer, proof: proof)
                    for try await line in lines {
                        let answer = try await manager.answer(to: Array(line.readableBytesView))
                        try await answers.write(ByteBuffer(bytes: answer + [0x0a]))
                    }
                }
            }
        }
    }
}
