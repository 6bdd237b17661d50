/** A bare Elysia route that answers the JSON it was given, for comparison. */
import { Elysia } from 'elysia'

const answer = JSON.parse(process.argv[2] ?? 'null') as object
const app = new Elysia()
  .get('/api/contacts/:id/messages', () => answer)
  .listen({ port: 0, hostname: '127.0.0.1' })
console.log(`{"msg":"listening","port":${app.server?.port}}`)
