/**
 * Publishes a frame of so many bytes to every open socket for each request, and looks at nothing,
 * for comparison.
 */
const { bytes } = JSON.parse(process.argv[2] ?? '{"bytes":1000}') as { bytes: number }
const padding = 'x'.repeat(Math.max(0, bytes - 120))

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request, own) {
    if (own.upgrade(request)) return undefined
    const marker = /#[\w-]+\.\d+#/.exec(await request.text())?.[0] ?? ''
    own.publish(
      'all',
      `{"type":"message:new","payload":{"text":"${marker}","padding":"${padding}"},"seq":1}`,
    )
    return new Response('ok')
  },
  websocket: {
    open: (socket) => void socket.subscribe('all'),
    message: () => undefined,
    backpressureLimit: 256 * 1024,
    closeOnBackpressureLimit: true,
    perMessageDeflate: false,
  },
})
console.log(`{"msg":"listening","port":${server.port}}`)
