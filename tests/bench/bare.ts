/** The least a server can do, for comparison: answers 200 and looks at nothing. */
const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('ok') })
console.log(
  JSON.stringify({ level: 'info', msg: 'listening', port: server.port }).replace(
    '"level":"info",',
    '',
  ),
)
