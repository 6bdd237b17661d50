/**
 * Mutations beside those of StrykerJS: what people do wrong in a program that consists of queries. A
 * condition or an order is forgotten, a fallback turned round, the column beside the right one taken,
 * a field not reset.
 */
import { join, resolve } from 'node:path'

import { getTableColumns, is, Table } from 'drizzle-orm'

const MODULES = resolve(import.meta.dir, '../../src/modules')

/** A node of the syntax tree, as far as these mutations read it. */
interface Node {
  type: string
  name?: string
  operator?: string
  computed?: boolean
  value?: unknown
  object?: Node
  property?: Node
  callee?: Node
  arguments?: Node[]
  properties?: Node[]
  elements?: unknown[]
  left?: Node
  right?: Node
  expression?: Node
  key?: Node
}

interface Path {
  node: Node
  parent: Node
}

interface Mutator {
  name: string
  mutate(path: Path): Iterable<Node>
}

const without = <T>(list: T[], at: number): T[] => list.filter((_, nth) => nth !== at)

/** The method that a call calls, as in `query.orderBy(…)`. */
const methodOf = ({ type, callee }: Node): string | undefined =>
  type === 'CallExpression' && callee?.type === 'MemberExpression'
    ? callee.property?.name
    : undefined

/** Arguments before the conditions, by the function that joins conditions. */
const JOINING = new Map([
  ['and', 0],
  ['inOrganization', 2],
  ['acrossOrganizations', 1],
])

const droppedCondition: Mutator = {
  name: 'DroppedCondition',
  *mutate({ node }) {
    const first = node.type === 'CallExpression' ? JOINING.get(node.callee?.name ?? '') : undefined
    if (first === undefined) return
    const given = node.arguments ?? []
    for (let at = first; at < given.length; at += 1)
      if (given.length > Math.max(first, 1)) yield { ...node, arguments: without(given, at) }
  },
}

const droppedOrder: Mutator = {
  name: 'DroppedOrder',
  *mutate({ node }) {
    if (methodOf(node) === 'orderBy' && node.callee?.object) yield node.callee.object
  },
}

const swappedFallback: Mutator = {
  name: 'SwappedFallback',
  *mutate({ node }) {
    if (node.type === 'LogicalExpression' && node.operator === '??')
      yield { ...node, left: node.right as Node, right: node.left as Node }
  },
}

const isEmpty = (node: Node | undefined): boolean =>
  node?.type === 'NullLiteral' ||
  (node?.type === 'Identifier' && node.name === 'undefined') ||
  (/^(?:Numeric|String|Boolean)Literal$/.test(node?.type ?? '') && !node?.value) ||
  (node?.type === 'ArrayExpression' && node.elements?.length === 0)

/** A field of a change of a row, or a statement that empties something. */
const leftOutReset: Mutator = {
  name: 'LeftOutReset',
  *mutate({ node, parent }) {
    if (node.type === 'ObjectExpression' && methodOf(parent) === 'set') {
      const given = node.properties ?? []
      if (given.length > 1)
        for (const at of given.keys()) yield { ...node, properties: without(given, at) }
    }
    const { expression } = node.type === 'ExpressionStatement' ? node : {}
    const isReset =
      (expression?.type === 'AssignmentExpression' &&
        expression.operator === '=' &&
        isEmpty(expression.right)) ||
      (expression !== undefined && ['clear', 'delete'].includes(methodOf(expression) ?? ''))
    if (isReset) yield { type: 'EmptyStatement' }
  },
}

/** Columns by the name of their table, each with the next one that holds the same kind of value. */
type Neighbors = Map<string, Map<string, string>>

async function neighborsInTables(): Promise<Neighbors> {
  const neighbors: Neighbors = new Map()
  for await (const file of new Bun.Glob('**/{table,*-table}.ts').scan(MODULES)) {
    const exported = (await import(join(MODULES, file))) as Record<string, unknown>
    for (const [name, table] of Object.entries(exported)) {
      if (!is(table, Table)) continue
      const columns = Object.entries(getTableColumns(table))
      const next = columns.map(([key, { columnType }], at): [string, string | undefined] => {
        const others = [...columns.slice(at + 1), ...columns.slice(0, at)]
        return [key, others.find(([, other]) => other.columnType === columnType)?.[0]]
      })
      neighbors.set(
        name,
        new Map(next.filter((one): one is [string, string] => one[1] !== undefined)),
      )
    }
  }
  return neighbors
}

const neighboringColumn = (neighbors: Neighbors): Mutator => ({
  name: 'NeighboringColumn',
  *mutate({ node }) {
    if (node.type !== 'MemberExpression' || node.computed || node.object?.type !== 'Identifier')
      return
    const other = neighbors.get(node.object.name ?? '')?.get(node.property?.name ?? '')
    if (other !== undefined) yield { ...node, property: { type: 'Identifier', name: other } }
  },
})

/** Names of the kinds of mutations here. */
export const MISTAKES: ReadonlySet<string> = new Set([
  'DroppedCondition',
  'DroppedOrder',
  'SwappedFallback',
  'LeftOutReset',
  'NeighboringColumn',
])

let isTaught = false

/** Has the instrumenter make these mutations too; its list of mutators is no part of its interface. */
export async function teachMistakes(): Promise<void> {
  if (isTaught) return
  isTaught = true
  const entry = import.meta.resolve('@stryker-mutator/instrumenter')
  const { allMutators } = (await import(new URL('mutators/mutate.js', entry).href)) as {
    allMutators: Mutator[]
  }
  const taught = [
    droppedCondition,
    droppedOrder,
    swappedFallback,
    leftOutReset,
    neighboringColumn(await neighborsInTables()),
  ]
  for (const mutator of taught)
    allMutators.push({
      name: mutator.name,
      // its own copy of what it changed, because the instrumenter goes on changing the tree
      *mutate(path) {
        for (const changed of mutator.mutate(path)) yield structuredClone(changed)
      },
    })
}
