import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Loose } from './client'
import { codesOf } from './openapi'

/** The refusals and successes of each operation, as the committed document tells them. */
interface Told {
  method: string
  /** The parts of its path; `null` stands for an id. */
  parts: (string | null)[]
  /** The codes of each status. */
  codes: Map<string, Set<string>>
}

/**
 * What may answer a request, by its method and the number of parts of its path; of two that fit,
 * the one with more words first.
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

/** The operation a request is answered by; where an id and a word fit, the word. */
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
 * What an answer tells that the OpenAPI document does not: its status, or the code of its refusal.
 * `null` when all is told, and for what is no operation.
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
 * Fails a test in which the server answered what its document does not tell. Throws an Error that
 * says what.
 */
export function requireTold(
  request: { method: string; path: string },
  answer: { status: number; code?: string | undefined },
): void {
  const untold = untoldBy(request, answer)
  if (untold !== null) throw new Error(untold)
}
