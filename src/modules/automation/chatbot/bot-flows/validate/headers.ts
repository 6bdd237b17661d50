import { isReservedHeader, isSameOrigin, MOVED_HEADER } from '../../../../../lib/outgoing-headers'
import { isObject, type JsonObject } from '../../../../../platform/lenient-json'
import type { Ctx } from '../../../../../infra/ctx'
import { HIDDEN } from '../../../../organization/audit/record'
import type { NodeHeaders } from '../secrets'
import type { Findings } from './findings'
import { reportFixedHost, reportTemplate } from './texts'

/** The stored value of a header, or why `***` cannot keep it. */
export type StoredHeaderValue = { value: string } | { problem: string }

/** Returns the stored value of a node's header for a request to a URL. */
export type StoredHeader = (nodeId: string, name: string, url: string) => StoredHeaderValue

/** There is no stored value. */
export const NO_STORED_VALUE: StoredHeaderValue = {
  problem: 'has no stored value that `***` could keep',
}

/**
 * Returns the first of the stored values that was given for the host of a URL. The others are not
 * sent there.
 */
export function storedFor(
  url: string,
  candidates: readonly { url: string; value: string | undefined }[],
): StoredHeaderValue {
  const known = candidates.flatMap((each) => (each.value === undefined ? [] : { ...each }))
  const kept = known.find((each) => isSameOrigin(each.url, url))
  if (kept?.value !== undefined) return { value: kept.value }
  return known.length > 0 ? { problem: MOVED_HEADER } : NO_STORED_VALUE
}

/** Returns the URL of a request's config; empty if it has none. */
export const urlIn = (config: JsonObject): string =>
  typeof config.url === 'string' ? config.url : ''

/**
 * Takes the header values out of the nodes of a graph, so that they are stored encrypted. `***`
 * keeps the stored value. Returns the nodes with `***` for each value, and the values.
 */
export function takeHeaders(
  ctx: Pick<Ctx, 'liquid'>,
  nodes: readonly unknown[],
  stored: StoredHeader,
  { path, findings }: { path: string; findings: Findings },
): { nodes: unknown[]; headers: NodeHeaders } {
  const headers = new Map<string, Record<string, string>>()
  const hidden = nodes.map((node, index) => {
    if (!isObject(node) || !isObject(node.config) || node.config.headers === undefined) return node
    const at = `${path}.${index}.config.headers`
    const id = typeof node.id === 'string' ? node.id : ''
    const url = urlIn(node.config)
    const values = takeValues(ctx, node.config.headers, (name) => stored(id, name, url), {
      path: at,
      findings,
    })
    if (Object.keys(values).length > 0) {
      // Values are stored by the id of their node, so that each belongs to one URL.
      if (headers.has(id))
        findings.add(at, 'must not be set on two nodes with the same id', 'draft')
      headers.set(id, values)
      reportFixedHost(url, `${path}.${index}.config.url`, findings)
    }
    return { ...node, config: { ...node.config, headers: withoutValues(values) } }
  })
  return { nodes: hidden, headers: Object.fromEntries(headers) }
}

/** Returns headers with `***` for each value. */
const withoutValues = (values: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.keys(values).map((name) => [name, HIDDEN]))

/** Reads header values; `***` stands for the stored one. Reports the rest. */
export function takeValues(
  ctx: Pick<Ctx, 'liquid'>,
  raw: unknown,
  stored: (name: string) => StoredHeaderValue,
  { path, findings }: { path: string; findings: Findings },
): Record<string, string> {
  if (!isObject(raw)) {
    findings.add(path, 'must be a JSON object')
    return {}
  }
  return Object.fromEntries(
    Object.entries(raw as JsonObject).flatMap(([name, given]) => {
      const at = `${path}.${name}`
      if (typeof given !== 'string') {
        findings.add(at, 'must be a string')
        return []
      }
      if (isReservedHeader(name)) findings.add(at, 'is not a header that can be set')
      const kept = given === HIDDEN ? stored(name) : { value: given }
      if ('problem' in kept) {
        findings.add(at, kept.problem, 'draft')
        return []
      }
      const { value } = kept
      if (/[\r\n\0]/.test(value)) findings.add(at, 'must not contain line breaks')
      reportTemplate(ctx, value, at, findings)
      return [[name, value]]
    }),
  )
}
