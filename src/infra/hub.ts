/** The part of the running server that the hub uses: Bun's native publish to topics. */
export interface TopicServer {
  publish(topic: string, text: string): number
  subscriberCount(topic: string): number
}

/**
 * Publishes frames to WebSocket topics through Bun's native fan-out. Topics have no listeners until
 * a server is attached.
 */
export interface Hub {
  /** Whether a topic has listeners. Frames without listeners need not be rendered. */
  hasListeners(topic: string): boolean
  /** `type` is the frame type. */
  publish(topic: string, text: string, type: string): void
  attach(server: TopicServer): void
}

/**
 * Returns a hub without a server. `sent` is called for each frame with the number of receiving
 * sockets.
 */
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
