import { orListenError } from '../listen'

/** The port that a server has if nobody says otherwise. */
const USUAL = 8080

/**
 * Returns the wanted port, otherwise the usual one, or any free one if that is taken. Throws
 * ListenError if the wanted port is taken.
 */
export async function freePort({
  host,
  port,
}: {
  host: string
  port: number | null
}): Promise<number> {
  if (port !== null) return probe(host, port)
  try {
    return await probe(host, USUAL)
  } catch {
    return probe(host, 0)
  }
}

async function probe(hostname: string, port: number): Promise<number> {
  const server = orListenError({ host: hostname, port }, () =>
    Bun.serve({ hostname, port, fetch: () => new Response() }),
  )
  const found = server.port ?? port
  await server.stop(true)
  return found
}
