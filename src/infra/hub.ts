/** What the hub needs of the running server: Bun's native publish to topics. */
export interface TopicServer {
  publish(topic: string, text: string): number
  subscriberCount(topic: string): number
}

/**
 * Topics and who listens to them: Bun's native WebSocket fan-out behind two verbs. Before the
 * server listens nobody does.
 */
export interface Hub {
  /** Whether anybody listens to the topic; what nobody hears need not be rendered. */
  hasListeners(topic: string): boolean
  /** `type` is that of the frame. */
  publish(topic: string, text: string, type: string): void
  attach(server: TopicServer): void
}

/** A hub without a server yet. `sent` is told how many sockets each frame goes to. */
export function createHub(sent: (type: string, sockets: number) => void): Hub {
  let server: TopicServer | null = null
  return {
    hasListeners: (topic) => (server?.subscriberCount(topic) ?? 0) > 0,
    publish(topic, text, type) {
      if (!server) return
      sent(type, server.subscriberCount(topic))
      server.publish(topic, text)
    },
    attach(running) {
      server = running
    },
  }
}
