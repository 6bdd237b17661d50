import { SHOWN_ONCE } from '../lib/shown-once'
import { coded, liveCodingOf, type LiveCoding } from './content-coding'
import { isPlatformPath } from './platform-paths'
import { findRequestFacts } from './request-facts'
import { isUnder } from './request-path'
import { routeName } from './normalize-ids'

/** The runtime's request handler. */
type Handle = (request: Request) => unknown

/** Returns the routes whose answers show a credential (`SHOWN_ONCE`), from their response schemas. */
export const credentialRoutesOf = (
  routes: { method: string; path: string; hooks: unknown }[],
): string[] =>
  routes
    .filter(({ hooks }) => showsCredential((hooks as { response?: unknown } | undefined)?.response))
    .map(({ method, path }) => routeName(method, path))

const [MARK] = Object.keys(SHOWN_ONCE)

const showsCredential = (schema: unknown): boolean =>
  JSON.stringify(schema ?? null).includes(`"${MARK}":true`)

/** Smaller answers fit into one packet anyway, bytes. */
const MIN_BYTES = 1_024

/**
 * Wraps the handler of every route: JSON of the API is compressed for clients that take it, except
 * answers that show a credential.
 */
export const withCompression =
  (handle: Handle): Handle =>
  (request) => {
    const answer = handle(request)
    const coding = liveCodingOf(request)
    if (coding === null) return answer
    const compressed = (made: unknown): unknown =>
      made instanceof Response && mayBeCompressed(request, made) ? withCoding(made, coding) : made
    return answer instanceof Promise ? answer.then(compressed) : compressed(answer)
  }

function mayBeCompressed(request: Request, { headers, body }: Response): boolean {
  const facts = findRequestFacts(request)
  return (
    facts !== null &&
    body !== null &&
    !facts.showsCredential &&
    isUnder('/api', facts.path) &&
    !isPlatformPath(facts.path) &&
    headers.get('content-type')?.startsWith('application/json') === true &&
    !headers.has('content-encoding')
  )
}

async function withCoding(answer: Response, coding: LiveCoding): Promise<Response> {
  const { status, headers } = answer
  const bytes = new Uint8Array(await answer.arrayBuffer())
  if (bytes.length < MIN_BYTES) return new Response(bytes, { status, headers })
  headers.append('vary', 'Accept-Encoding')
  headers.set('content-encoding', coding)
  return new Response(await coded(bytes, coding), { status, headers })
}
