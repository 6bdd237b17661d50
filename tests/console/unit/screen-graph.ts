import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

import { parseSync, type Node, type Program } from 'oxc-parser'

const ROOT = join(import.meta.dir, '../../../src/console')
const PERMISSION = /^[a-z_]+:[a-z_]+$/
const OPERATION = /^(?:GET|POST|PUT|DELETE) \/api\/.*[^/]$/
/** What events change in the cache calls nothing. */
const PATCHES = /^live\/patch(?:-\w+)?\.ts$/

/** Functions that call the operation they are given first. */
const CALLING = new Set([
  ...['call', 'callOnce', 'request', 'saveFile', 'useApi', 'useReport', 'useReportFile', 'useRows'],
  'upload',
])
/** Functions that look for what an operation answered earlier. */
const FINDING = new Set([
  ...['changeLists', 'changeRow', 'invalidateSoon', 'keep', 'keyOf', 'refreshRows', 'removeRow'],
  'refreshRowsSoon',
  'useRefresh',
])

/** A declaration at the top of a file: what it calls and asks, and which others it uses. */
export interface Declaration {
  /** Its file and name: `pages/calls/calls.tsx#Calls`. */
  id: string
  name: string
  /** The operations that it calls: `GET /api/calls`. */
  operations: Set<string>
  /** The permissions that it names. */
  permissions: Set<string>
  /** Those that it names, or by another declaration, as what a screen `needs`. */
  needs: Set<string>
  /** The declarations that it uses. */
  uses: Set<string>
  /** Its texts. */
  words: Set<string>
  /** Whether it shows children. */
  isFrame: boolean
}

interface File {
  path: string
  text: string
  program: Program
  imports: Map<string, { path: string; name: string }>
  declared: Map<string, Node>
}

const paths = new Set(
  [...new Bun.Glob('**/*.{ts,tsx}').scanSync(ROOT)].filter((path) => !PATCHES.test(path)),
)

/** The file of the console that an import names; `null` for libraries and styles. */
function resolve(from: string, to: string): string | null {
  if (!to.startsWith('.')) return null
  const path = posix.join(posix.dirname(from), to)
  return [`${path}.tsx`, `${path}.ts`].find((one) => paths.has(one)) ?? null
}

/** The names that a statement declares, each with its part of the code. */
function declaredIn(statement: Node): [string, Node][] {
  if (statement.type === 'ExportNamedDeclaration')
    return statement.declaration === null ? [] : declaredIn(statement.declaration)
  if (statement.type === 'VariableDeclaration')
    return statement.declarations.flatMap((one) =>
      one.id.type === 'Identifier' ? [[one.id.name, one] as [string, Node]] : [],
    )
  return (statement.type === 'FunctionDeclaration' || statement.type === 'ClassDeclaration') &&
    statement.id !== null
    ? [[statement.id.name, statement]]
    : []
}

function read(path: string): File {
  const text = readFileSync(join(ROOT, path), 'utf8')
  const { program, module } = parseSync(path, text)
  const imports = new Map<string, { path: string; name: string }>()
  for (const { moduleRequest, entries } of module.staticImports) {
    const target = resolve(path, moduleRequest.value)
    if (target !== null)
      for (const { importName, localName, isType } of entries)
        if (!isType) imports.set(localName.value, { path: target, name: importName.name ?? '*' })
  }
  const declared = new Map(program.body.flatMap((statement) => declaredIn(statement)))
  return { path, text, program, imports, declared }
}

const files = new Map([...paths].map((path) => [path, read(path)]))

type Visit = (node: Node, around: Node | null) => void

/** Calls `visit` with a node and everything in it but types and names of properties. */
function walk(value: unknown, visit: Visit, around: Node | null = null): void {
  if (Array.isArray(value)) for (const one of value) walk(one, visit, around)
  else if (typeof value === 'object' && value !== null && 'type' in value) {
    const node = value as Node
    if (/^TS(?!As|NonNull|Satisfies|Instantiation)/.test(node.type)) return
    visit(node, around)
    for (const [key, inner] of Object.entries(node)) {
      const isName =
        ((key === 'property' || key === 'key') && !('computed' in node && node.computed)) ||
        (key === 'name' && node.type === 'JSXAttribute')
      if (!isName) walk(inner, visit, node)
    }
  }
}

/** The name of a function that is called. */
const calleeOf = ({ callee }: Extract<Node, { type: 'CallExpression' }>): string =>
  callee.type === 'Identifier'
    ? callee.name
    : callee.type === 'MemberExpression' && callee.property.type === 'Identifier'
      ? callee.property.name
      : ''

/**
 * Whether an operation is called where it is named. In a list, or as the key of an answer, it is
 * not. Throws where nobody can tell.
 */
function isCalled(operation: string, around: Node | null): boolean {
  switch (around?.type) {
    case 'CallExpression': {
      const name = calleeOf(around)
      if (CALLING.has(name) || FINDING.has(name)) return CALLING.has(name)
      throw new Error(`Does ${name}() call ${operation}? Say it in screen-graph.ts.`)
    }
    case 'ArrayExpression':
      return false
    case 'JSXAttribute':
    case 'TSAsExpression':
    case 'VariableDeclarator':
      return true
    default:
      throw new Error(`Is ${operation} called in ${around?.type}? Say it in screen-graph.ts.`)
  }
}

/** The declarations of a file that another one loads later: those that it names. */
const loadedBy = (file: File, target: string): string[] =>
  [...(files.get(target)?.declared.keys() ?? [])]
    .filter((name) => new RegExp(`\\b${name}\\b`).test(file.text))
    .map((name) => `${target}#${name}`)

/** What an attribute says, in the usual case if it depends on something. */
function needed(value: unknown): unknown {
  const node = value as Node | null
  if (node?.type !== 'JSXExpressionContainer') return node
  return node.expression.type === 'ConditionalExpression' ? node.expression.alternate : node
}

function describeDeclaration(file: File, name: string, part: Node): Declaration {
  const found: Declaration = {
    ...{ id: `${file.path}#${name}`, name, isFrame: false },
    ...{ operations: new Set(), permissions: new Set(), needs: new Set() },
    ...{ uses: new Set(), words: new Set() },
  }
  const idOf = (word: string): string | null => {
    const origin = file.imports.get(word)
    if (origin) return `${origin.path}#${origin.name}`
    return word !== name && file.declared.has(word) ? `${file.path}#${word}` : null
  }
  walk(part, (node, around) => {
    if (node.type === 'Identifier' || node.type === 'JSXIdentifier') {
      const used = idOf(node.name)
      if (used !== null) found.uses.add(used)
      if (node.name === 'children') found.isFrame = true
    }
    if (node.type === 'Literal' && typeof node.value === 'string') {
      found.words.add(node.value)
      if (OPERATION.test(node.value) && isCalled(node.value, around))
        found.operations.add(node.value)
      if (PERMISSION.test(node.value)) found.permissions.add(node.value)
    }
    if (node.type === 'JSXAttribute' && node.name.name === 'needs')
      walk(needed(node.value), (inner) => {
        if (inner.type === 'Literal' && typeof inner.value === 'string')
          found.needs.add(inner.value)
        if (inner.type === 'Identifier') found.needs.add(idOf(inner.name) ?? '')
      })
    if (node.type === 'ImportExpression' && node.source.type === 'Literal') {
      const target = resolve(file.path, String(node.source.value))
      if (target !== null) for (const one of loadedBy(file, target)) found.uses.add(one)
    }
  })
  return found
}

/** All declarations of the console by their id. */
export const declarations = new Map(
  [...files.values()].flatMap((file) =>
    [...file.declared].map(([name, part]) => {
      const one = describeDeclaration(file, name, part)
      return [one.id, one] as const
    }),
  ),
)

/** A screen: its address, and what is shown there: frames first, the screen last. */
export interface Screen {
  address: string
  shows: string[]
}

interface Route {
  parent: string | null
  path: string
  component: string | null
}

const textIn = (node: Node | undefined): string | null =>
  node?.type === 'Literal' && typeof node.value === 'string' ? node.value : null

/** The route that a call creates; `null` if it creates none. */
function routeOf(file: File, part: Node): Route | null {
  if (part.type !== 'CallExpression') return null
  const screenOf = (node: Node | undefined): string | null =>
    node?.type === 'MemberExpression' &&
    node.object.type === 'Identifier' &&
    node.property.type === 'Identifier'
      ? `${file.imports.get(node.object.name)?.path}#${node.property.name}`
      : null
  const [first, second] = part.arguments
  const [, area] = /^(settings|server)Page$/.exec(calleeOf(part)) ?? []
  if (area !== undefined)
    return { parent: area, path: textIn(first) ?? '', component: screenOf(second) }
  if (calleeOf(part) !== 'createRoute' || first?.type !== 'ObjectExpression') return null
  const given = new Map(
    first.properties.flatMap((one) =>
      one.type === 'Property' && one.key.type === 'Identifier' ? [[one.key.name, one.value]] : [],
    ),
  )
  const parent = given.get('getParentRoute')
  return {
    parent:
      parent?.type === 'ArrowFunctionExpression' && parent.body.type === 'Identifier'
        ? parent.body.name
        : null,
    path: textIn(given.get('path')) ?? '',
    component: screenOf(given.get('component')),
  }
}

/** The declaration that a component of `app/*screens.ts` loads. */
function loadedScreen(component: string): string {
  const own = declarations.get(component)
  const loads = [own, ...[...(own?.uses ?? [])].map((one) => declarations.get(one))]
  const found = loads
    .flatMap((one) => [...(one?.uses ?? [])])
    .find((one) => own?.words.has(one.split('#')[1] ?? ''))
  if (found === undefined) throw new Error(`Nobody knows what ${component} loads.`)
  return found
}

/** Every screen of the router with a component of its own. */
export function screensOf(): Screen[] {
  const routes = new Map<string, Route>()
  for (const file of files.values())
    if (file.path.startsWith('app/'))
      walk(file.program.body, (node, around) => {
        const route = routeOf(file, node)
        if (typeof route?.component !== 'string') return
        const name = around?.type === 'VariableDeclarator' ? around.id : null
        routes.set(name?.type === 'Identifier' ? name.name : route.component, route)
      })
  const withFrames = (route: Route | undefined): Route[] =>
    route === undefined ? [] : [...withFrames(routes.get(route.parent ?? '')), route]
  return [...routes.values()].map((route) => {
    const all = withFrames(route)
    return {
      address: all
        .map(({ path }) => path)
        .join('/')
        .replaceAll(/\/{2,}/g, '/')
        .replace(/(?<=.)\/$/, ''),
      shows: all.flatMap(({ component }) => (component === null ? [] : [loadedScreen(component)])),
    }
  })
}
