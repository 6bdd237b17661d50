import { isObject, numberOf, objectOf, type JsonObject } from '../../../../../platform/lenient-json'
import { outcomesOf, type Edge, type GraphNode } from '../graph'
import { NODE_CONFIGS, NODE_TYPES, type NodeType } from '../node-config'
import type { Findings } from './findings'
import { readConfig } from './read-config'

const NODE_ID = /^[A-Za-z0-9_-]{1,64}$/
const MAX_LABEL = 255

/** A node as it was read. */
export interface ReadNode {
  path: string
  /** `null` if the id is not valid. */
  id: string | null
  type: NodeType | null
  /** Its config as it was given. */
  config: JsonObject
  /** `null` if anything is wrong with it. */
  node: GraphNode | null
}

const isNodeType = (word: unknown): word is NodeType =>
  typeof word === 'string' && Object.hasOwn(NODE_CONFIGS, word)

/** Reads the nodes of a graph and reports what is wrong with each. */
export function readNodes(list: readonly unknown[], path: string, findings: Findings): ReadNode[] {
  const seen = new Set<string>()
  return list.map((raw, index) => {
    const at = `${path}.${index}`
    const read = readNode(raw, at, findings)
    if (read.id === null) return read
    if (seen.has(read.id)) findings.add(`${at}.id`, 'is already the id of another node')
    seen.add(read.id)
    return read
  })
}

function readNode(raw: unknown, path: string, findings: Findings): ReadNode {
  if (!isObject(raw)) {
    findings.add(path, 'must be a JSON object')
    return { path, id: null, type: null, config: {}, node: null }
  }
  const id = typeof raw.id === 'string' && NODE_ID.test(raw.id) ? raw.id : null
  if (id === null)
    findings.add(`${path}.id`, 'must be 1 to 64 letters, digits, hyphens or underscores')
  const type = isNodeType(raw.type) ? raw.type : null
  if (type === null) findings.add(`${path}.type`, `must be one of ${NODE_TYPES.join(', ')}`)
  const label = raw.label ?? null
  if (label !== null && (typeof label !== 'string' || label.length > MAX_LABEL))
    findings.add(`${path}.label`, `must be a string of at most ${MAX_LABEL} characters`)
  const position = positionOf(raw.position, path, findings)
  const config = type && readConfig(type, raw.config, `${path}.config`, findings)
  const node =
    id === null || config === null
      ? null
      : ({
          id,
          type,
          label: typeof label === 'string' ? label : null,
          position,
          config,
        } as GraphNode)
  return { path, id, type, config: objectOf(raw.config), node }
}

function positionOf(raw: unknown, path: string, findings: Findings): GraphNode['position'] {
  if (raw === undefined || raw === null) return null
  const x = isObject(raw) ? numberOf(raw.x) : null
  const y = isObject(raw) ? numberOf(raw.y) : null
  if (x === null || y === null) {
    findings.add(`${path}.position`, 'must be {x, y} in numbers')
    return null
  }
  return { x, y }
}

/** Reads the edges of a graph and reports what is wrong with each. */
export function readEdges(
  list: readonly unknown[],
  path: string,
  nodes: readonly ReadNode[],
  findings: Findings,
): Edge[] {
  // Of nodes with the same id the first one counts.
  const byId = new Map(
    nodes.toReversed().flatMap((read) => (read.id === null ? [] : [[read.id, read]])),
  )
  const seen = new Set<string>()
  return list.flatMap((raw, index) => {
    const at = `${path}.${index}`
    if (!isObject(raw)) {
      findings.add(at, 'must be a JSON object')
      return []
    }
    const { from, to } = raw
    const condition = raw.condition ?? 'default'
    for (const [end, id] of Object.entries({ from, to }))
      if (typeof id !== 'string' || !byId.has(id)) findings.add(`${at}.${end}`, 'is not a node')
    if (typeof condition !== 'string') {
      findings.add(`${at}.condition`, 'must be a string')
      return []
    }
    if (typeof from !== 'string' || typeof to !== 'string') return []
    reportCondition(byId.get(from)?.node ?? null, condition, at, findings)
    const key = JSON.stringify([from, condition])
    if (seen.has(key))
      findings.add(at, `is a second edge of the outcome \`${condition}\` of the same node`)
    seen.add(key)
    return byId.has(from) && byId.has(to) ? [{ from, to, condition }] : []
  })
}

/** Reports a condition that the node cannot have. A node that is invalid itself is not judged. */
function reportCondition(
  node: GraphNode | null,
  condition: string,
  path: string,
  findings: Findings,
): void {
  if (!node) return
  const outcomes = outcomesOf(node)
  if (outcomes.includes(condition)) return
  findings.add(
    `${path}.condition`,
    outcomes.length === 0
      ? `cannot follow: a node of type \`${node.type}\` has no next node`
      : `must be one of ${outcomes.join(', ')}`,
  )
}
