import { isObject, type JsonObject } from '../../../../platform/lenient-json'
import type { Ctx } from '../../../../infra/ctx'
import { HIDDEN } from '../../../audit/record'
import type { NodeHeaders } from '../secrets'
import type { Findings } from './findings'
import { reportTemplate } from './texts'

/** Returns the stored value of a node's header, or `undefined`. */
export type StoredHeader = (nodeId: string, name: string) => string | undefined

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
  const headers: NodeHeaders = {}
  const hidden = nodes.map((node, index) => {
    if (!isObject(node) || !isObject(node.config) || node.config.headers === undefined) return node
    const at = `${path}.${index}.config.headers`
    const id = typeof node.id === 'string' ? node.id : ''
    const values = takeValues(ctx, node.config.headers, (name) => stored(id, name), {
      path: at,
      findings,
    })
    if (Object.keys(values).length > 0) headers[id] = { ...headers[id], ...values }
    return { ...node, config: { ...node.config, headers: withoutValues(values) } }
  })
  return { nodes: hidden, headers }
}

/** Returns headers with `***` for each value. */
const withoutValues = (values: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.keys(values).map((name) => [name, HIDDEN]))

/** Reads header values; `***` stands for the stored one. Reports the rest. */
export function takeValues(
  ctx: Pick<Ctx, 'liquid'>,
  raw: unknown,
  stored: (name: string) => string | undefined,
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
      const value = given === HIDDEN ? stored(name) : given
      if (value === undefined) {
        findings.add(at, 'has no stored value that `***` could keep', 'draft')
        return []
      }
      if (/[\r\n\0]/.test(value)) findings.add(at, 'must not contain line breaks')
      reportTemplate(ctx, value, at, findings)
      return [[name, value]]
    }),
  )
}
