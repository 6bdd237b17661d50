import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Loose } from './client'
import { codesOf } from './openapi'

/** The documented responses of an operation. */
interface Told {
  method: string
  /** The parts of its path; `null` for an ID. */
  parts: (string | null)[]
  /** The codes of each status. */
  codes: Map<string, Set<string>>
}

/**
 * Documented operations by method and number of path parts. Of two matches, the one with more
 * literal parts comes first.
 */
let told: Map<string, Told[]> | null = null

const kindOf = (method: string, parts: readonly unknown[]): string => `${method} ${parts.length}`
const idsIn = ({ parts }: Told): number => parts.filter((part) => part === null).length

function readDocument(): Map<string, Told[]> {
  const document = JSON.parse(
    readFileSync(join(import.meta.dir, '../contract/openapi.json'), 'utf8'),
  ) as Loose
  const all = Object.entries(document['paths'] as Record<string, Record<string, Loose>>).flatMap(
    ([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({
        method: method.toUpperCase(),
        parts: path.split('/').map((part) => (part.startsWith('{') ? null : part)),
        codes: new Map(
          Object.keys(operation['responses'] as Loose).map((status) => [
            status,
            new Set(codesOf(document, operation, status)),
          ]),
        ),
      })),
  )
  return Map.groupBy(
    all.toSorted((a, b) => idsIn(a) - idsIn(b)),
    ({ method, parts }) => kindOf(method, parts),
  )
}

/** Returns the operation of a request. A literal part wins over an ID. */
function operationOf(method: string, path: string): Told | undefined {
  const parts = path
    .replace(/[?#].*$/s, '')
    .replace(/(?<=.)\/$/, '')
    .split('/')
  const candidates = (told ??= readDocument()).get(kindOf(method, parts))
  return candidates?.find((one) =>
    one.parts.every((part, index) => part === null || part === parts[index]),
  )
}

/**
 * Returns what a response has that the OpenAPI document does not: its status, or its error code.
 * `null` if all is documented, and for unknown operations.
 */
export function untoldBy(
  request: { method: string; path: string },
  answer: { status: number; code?: string | undefined },
): string | null {
  const { status, code } = answer
  const operation = operationOf(request.method, request.path)
  if (!operation || code === 'route_not_found') return null
  const codes = operation.codes.get(String(status))
  if (codes && (code === undefined || codes.has(code))) return null
  return `${request.method} ${request.path.slice(0, 100)} answered ${status} ${code ?? ''}, which the document does not tell: name it in \`refuses\` of the route and run "bun run openapi"`
}

/**
 * Fails a test in which the server sent an undocumented response. Throws an Error that names it.
 */
export function requireTold(
  request: { method: string; path: string },
  answer: { status: number; code?: string | undefined },
): void {
  const untold = untoldBy(request, answer)
  if (untold !== null) throw new Error(untold)
}
