import { isSame, keyOfEdge, textIn, type Edge, type Graph, type Node } from './graph'

/** A part of a flow that two people changed to something else. */
export interface Clash {
  /** `node:<id>`, an edge by its key, or `entry`. */
  key: string
  mine: Node | Edge | string | undefined
  theirs: Node | Edge | string | undefined
}

/** Two versions of a flow in one, and where they contradict each other. */
export interface Merged {
  graph: Graph
  clashes: readonly Clash[]
}

type Part = Node | Edge | string
type Parts = ReadonlyMap<string, Part>

/** Returns the parts of a flow that are compared, by their keys. */
const partsOf = ({ nodes, edges, entry }: Graph): Parts =>
  new Map<string, Part>([
    ...nodes.map((node) => [`node:${node.id}`, node] as const),
    ...edges.map((edge) => [keyOfEdge(edge), edge] as const),
    ['entry', entry],
  ])

/** Joins two versions of a value; `undefined` if they contradict each other. */
function joined<T>(old: T, mine: T, theirs: T): { value: T } | undefined {
  if (isSame(mine, theirs) || isSame(theirs, old)) return { value: mine }
  return isSame(mine, old) ? { value: theirs } : undefined
}

/**
 * Joins two versions of a node, setting by setting. Where it stands contradicts nothing: the own place
 * counts. Returns `undefined` if both changed the same setting to something else.
 */
function joinedNode(old: Node, mine: Node, theirs: Node): Node | undefined {
  const label = joined(old.label, mine.label, theirs.label)
  if (mine.type !== old.type || theirs.type !== old.type || label === undefined) return undefined
  const config: Record<string, unknown> = {}
  for (const name of new Set([...Object.keys(mine.config), ...Object.keys(theirs.config)])) {
    const one = joined(old.config[name], mine.config[name], theirs.config[name])
    if (one === undefined) return undefined
    if (one.value !== undefined) config[name] = one.value
  }
  const position = isSame(mine.position, old.position) ? theirs.position : mine.position
  return { ...mine, label: label.value, position, config }
}

/** Joins two versions of a part that both changed; `undefined` if they contradict each other. */
const joinedPart = (
  old: Part | undefined,
  mine: Part | undefined,
  theirs: Part | undefined,
): Part | undefined =>
  isNode(old) && isNode(mine) && isNode(theirs) ? joinedNode(old, mine, theirs) : undefined

const isNode = (part: Part | undefined): part is Node => typeof part === 'object' && 'id' in part

/** Puts parts together again. What leads to or from a node that is gone, is gone. */
function graphOf(parts: Parts): Graph {
  const all = [...parts.values()]
  const nodes = all.filter(isNode)
  const known = new Set(nodes.map(({ id }) => id))
  const edges = all.filter(
    (part): part is Edge =>
      typeof part !== 'string' && 'from' in part && known.has(part.from) && known.has(part.to),
  )
  const entry = textIn(parts.get('entry'))
  return { entry: known.has(entry) ? entry : (nodes[0]?.id ?? entry), nodes, edges }
}

/**
 * Joins two versions that began with the same one. Where both changed a part to something else, the
 * choice of the person counts, and the own version where there is none yet.
 */
export function merge(
  base: Graph,
  versions: { mine: Graph; theirs: Graph },
  choices: Readonly<Record<string, 'mine' | 'theirs'>> = {},
): Merged {
  const before = partsOf(base)
  const mine = partsOf(versions.mine)
  const theirs = partsOf(versions.theirs)
  const clashes: Clash[] = []
  const parts = new Map<string, Part>()
  for (const key of new Set([...mine.keys(), ...theirs.keys()])) {
    const [own, other, old] = [mine.get(key), theirs.get(key), before.get(key)]
    const both = !isSame(own, other) && !isSame(own, old) && !isSame(other, old)
    const inOne = both ? joinedPart(old, own, other) : undefined
    const isClash = both && inOne === undefined
    if (isClash) clashes.push({ key, mine: own, theirs: other })
    const takesTheirs = isClash ? choices[key] === 'theirs' : isSame(own, old)
    const part = inOne ?? (takesTheirs ? other : own)
    if (part !== undefined) parts.set(key, part)
  }
  return { graph: graphOf(parts), clashes }
}

/** What became of a node or a way between two versions. */
export interface Difference {
  kind: 'added' | 'removed' | 'changed'
  /** The node; of a way the one it begins at. */
  node: Node
  /** The outcome, if the way after it leads elsewhere; `entry` if the flow begins elsewhere. */
  condition: string | null
}

/** Returns what differs between two versions. Where nodes stand on the canvas makes no difference. */
export function differences(before: Graph, after: Graph): Difference[] {
  const [old, now] = [byId(before), byId(after)]
  const found: Difference[] = []
  for (const node of after.nodes) {
    const was = old.get(node.id)
    if (was === undefined) found.push({ kind: 'added', node, condition: null })
    else if (!isSame(contentOf(was), contentOf(node)))
      found.push({ kind: 'changed', node, condition: null })
  }
  for (const node of before.nodes)
    if (!now.has(node.id)) found.push({ kind: 'removed', node, condition: null })
  const first = now.get(after.entry)
  if (before.entry !== after.entry && first)
    found.push({ kind: 'changed', node: first, condition: 'entry' })
  const ways = new Map(before.edges.map((edge) => [keyOfEdge(edge), edge.to]))
  const newWays = new Map(after.edges.map((edge) => [keyOfEdge(edge), edge.to]))
  for (const { from, condition } of [...after.edges, ...before.edges]) {
    const key = keyOfEdge({ from, condition })
    const node = now.get(from)
    if (node === undefined || !old.has(from) || ways.get(key) === newWays.get(key)) continue
    if (found.some((one) => one.node.id === from && one.condition === condition)) continue
    found.push({ kind: 'changed', node, condition })
  }
  return found
}

const byId = ({ nodes }: Graph): Map<string, Node> => new Map(nodes.map((node) => [node.id, node]))
const contentOf = ({ type, label, config }: Node): unknown => ({ type, label, config })
