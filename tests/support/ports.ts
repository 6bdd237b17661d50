import { createServer } from 'node:net'

/**
 * Below the ports that systems give to outgoing connections (32768 and up on Linux, 49152
 * elsewhere), which tests open all the time.
 */
const FIRST = 15_000
const COUNT = 15_000
const ATTEMPTS = 100

/** Returns a free port. Throws if none is found in a hundred attempts. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const port = FIRST + Math.floor(Math.random() * COUNT)
    if (await isFree(port)) return port
  }
  throw new Error('no free port was found')
}

async function isFree(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const server = createServer()
  server.once('error', () => resolve(false))
  server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  return await promise
}
