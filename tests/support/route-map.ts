import type { Module } from '../../src/http/module'
import { permissionOf } from '../../src/http/guard'
import type { Program } from '../../src/container'
import { MODULES } from '../../src/modules'
import { readSources } from './sources'

/** A route and its file. */
export interface MappedRoute {
  method: string
  path: string
  /** A pair of the catalog, `signed-in`, `session`, `super-admin` or `public`. */
  permission: string
  /** The module that lists it, and the file that declares it. */
  module: string
  file: string
  /** The first word of the path below `/api`; `null` for routes elsewhere. */
  word: string | null
  /** The module the word belongs to; `null` for routes elsewhere. */
  home: string | null
}

/** Modules of first path words that are not module names. */
const HOMES: Readonly<Record<string, string>> = {
  admin: 'system',
  'audit-logs': 'audit',
  colleagues: 'members',
  compliance: 'ai',
  'consent-settings': 'contacts',
  'contact-attributes': 'contacts',
  'embedded-signup': 'accounts',
  export: 'exports',
  import: 'imports',
  jobs: 'system',
  logos: 'media',
  me: 'auth',
  outbox: 'messages',
  permissions: 'roles',
  setup: 'system',
  users: 'members',
  webhook: 'inbound',
}

/** Modules of the second path words below a first one that several modules share. */
const SHARED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  chatbot: {
    ai: 'ai',
    'ai-contexts': 'ai',
    'ai-questions': 'ai',
    hours: 'chatbot-settings',
    settings: 'chatbot-settings',
    transfers: 'transfers',
  },
}

/** Every route of the modules, in the order of the modules. */
export function routeMap(program: Program): MappedRoute[] {
  const fileOf = routeFiles()
  return (MODULES as Module<Program>[]).flatMap((module) =>
    (module.routes?.(program) ?? []).flatMap((plugin) =>
      plugin.routes.map(({ method, path, hooks }) => {
        const [, word = null, second = ''] = /^\/api\/([^/]+)\/?([^/]*)/.exec(path) ?? []
        return {
          method,
          path,
          permission: permissionOf(hooks) ?? '',
          module: module.name,
          file: fileOf(hooks, module.name),
          word,
          home: word === null ? null : (SHARED[word]?.[second] ?? HOMES[word] ?? word),
        }
      }),
    ),
  )
}

/** Returns the share of `/api` routes that are in the module of their first path word. */
export function shareAtHome(routes: MappedRoute[]): number {
  const api = routes.filter(({ home }) => home !== null)
  return api.filter(({ module, home }) => module === home).length / api.length
}

/** The map as text: the share, then the routes by path. */
export function printedMap(routes: MappedRoute[]): string {
  const width = (of: (route: MappedRoute) => string): number =>
    Math.max(...routes.map((route) => of(route).length))
  const widths = [width(({ method }) => method), width(({ path }) => path), width(whoOf)]
  const lines = routes
    .toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
    .map(
      ({ method, path, permission, file }) =>
        [method, path, permission].map((text, at) => text.padEnd(widths[at] ?? 0)).join('  ') +
        `  ${file}`,
    )
  const share = Math.floor(shareAtHome(routes) * 100)
  const head = `${routes.length} routes; ${share} % of those under /api stand in the module of their first word`
  return [head, ...lines].join('\n')
}

const whoOf = ({ permission }: MappedRoute): string => permission

/** Returns a function that finds the file of a route by its operation ID. */
function routeFiles(): (hooks: unknown, module: string) => string {
  const sources = readSources('src').filter(({ path }) => path.endsWith('/routes.ts'))
  const files = new Map(
    sources.flatMap(({ path, text }) =>
      [...text.matchAll(/operationId: '(\w+)'/g)].map((match) => [match[1] ?? '', path]),
    ),
  )
  return (hooks, module) => {
    const { operationId = '' } = (hooks as { detail?: { operationId?: string } }).detail ?? {}
    const own = sources.find(({ path }) => path.endsWith(`/${module}/routes.ts`))
    return files.get(operationId) ?? own?.path ?? ''
  }
}
