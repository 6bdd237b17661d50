import { describe, expect, test } from 'bun:test'
import { posix } from 'node:path'

import { MODULES } from '../../src/modules'
import { codeOf, importsOf, ownImportsOf, readClients, type Source } from '../support/sources'
import {
  eachImport,
  file,
  isController,
  isEntry,
  isTable,
  layerOf,
  moduleOf,
  refusing,
  rule,
  simulator,
  sources,
  tests,
  type Check,
} from './support'

/** The modules in their order: one may import those above it, never those below. */
const ORDER = MODULES.map(({ name }) => name)

/**
 * The layers from left to right; files directly in `src` come after the modules, except for a few
 * that belong to the first. What makes a release stands outside of the program.
 */
const LAYERS = ['lib', 'platform', 'infra', 'http', 'modules', 'top', 'demo', 'release']

/** The only file that knows the demo. It loads it when somebody asks for it. */
const LOADS_DEMO = 'src/commands/demo.ts'

/** What a module keeps to itself; the rest are its verbs, its shapes and its rows. */
const PRIVATE_FILES = /^(module|routes|jobs|workers|subscribers|rules)\.ts$/

/** Outside of controllers and `http/`: these put the application together. */
const KNOWS_ELYSIA = ['src/app.ts']

test('the scan sees the project', () => {
  expect(sources.map(({ path }) => path)).toContain('src/lib/errors.ts')
  expect(tests.map(({ path }) => path)).toContain('tests/architecture/imports.test.ts')
  expect(sources.flatMap((source) => ownImportsOf(source, sources)).length).toBeGreaterThan(20)
  const all = new Set([...sources, ...simulator, ...readClients()].map(({ path }) => path))
  const targets = sources.flatMap((source) =>
    ownImportsOf(source, sources).map(({ target }) => target),
  )
  expect(
    targets.filter(
      (target) => target.startsWith('src/') && target.endsWith('.ts') && !all.has(target),
    ),
  ).toEqual([])
})

test('imports are read in every form they are written in', () => {
  const source = file(
    'src/modules/a/service.ts',
    "import './side-effect'",
    "import type { A } from '../b/model'",
    'import {',
    '  c,',
    '  type D as E,',
    "} from '../c/table'",
    "import * as all from './all'",
    "export { f } from './f'",
    "const lazy = await import('./lazy')",
    "// import { no } from './comment'",
  )
  const seen = ownImportsOf(source, [source]).map(({ target, names }) =>
    `${target} ${names.join(' ')}`.trim(),
  )
  expect(seen.toSorted()).toEqual([
    'src/modules/a/all.ts all',
    'src/modules/a/f.ts f',
    'src/modules/a/lazy.ts',
    'src/modules/a/side-effect.ts',
    'src/modules/b/model.ts A',
    'src/modules/c/table.ts c E',
  ])
})

describe('who may import whom', () => {
  const judgeLayer = (from: string, to: string): string | null => {
    if (!to.startsWith('src/')) return to === 'package.json' ? null : 'outside of src'
    // Documentation is text with pictures that the server shows.
    if (/\.(?:md|webp)$/.test(to))
      return layerOf(from) === 'http' ? null : 'only http shows documentation'
    if (to.startsWith('src/simulator/'))
      return layerOf(from) === 'demo' ? null : 'only the demo plays the platform'
    if (to.startsWith('src/clients/'))
      return layerOf(from) === 'release' ? null : 'only a release makes the client packages'
    if (from === LOADS_DEMO && layerOf(to) === 'demo') return null
    const [own, other] = [LAYERS.indexOf(layerOf(from)), LAYERS.indexOf(layerOf(to))]
    if (own < 0 || other < 0) return 'a folder that is no layer'
    return other > own ? 'a layer to the right' : null
  }
  const layers: Check = (files) => [
    ...files
      .filter(({ path }) => !LAYERS.includes(layerOf(path)))
      .map(({ path }) => `${path}: a folder that is no layer`),
    ...eachImport(judgeLayer)(files),
  ]
  rule('a file imports its own layer or one to the left', layers, {
    refuses: [
      [file('src/lib/a.ts', "import { b } from '../infra/b'")],
      [file('src/lib/a.ts', "import type { b } from '../infra/b'")],
      [file('src/config.ts', "import { b } from './infra/b'")],
      [file('src/infra/a.ts', "import { b } from '../modules/users/table'")],
      [file('src/http/a.ts', "import { b } from '../app'")],
      [file('src/modules/organization/users/routes.ts', "import { b } from '../../../registry'")],
      [file('src/lib/a.ts', "import { b } from '../../tests/support/b'")],
      [file('src/extra/a.ts')],
      [file('src/modules/organization/users/routes.ts', "import b from '../../../docs/b.md'")],
      [file('src/docs/a.ts')],
      [file('src/server.ts', "import { b } from './demo/b'")],
      [file('src/modules/organization/users/service.ts', "import { b } from '../../../demo/b'")],
      [file('src/infra/a.ts', "import { b } from '../simulator/b'")],
      [file('src/commands/demo.ts', "import { b } from '../simulator/b'")],
      [file('src/commands/demo.ts', "import { b } from '../clients/b'")],
    ],
    accepts: [
      file('src/commands/demo.ts', "const { b } = await import('../demo/b')"),
      file('src/demo/a.ts', "import { b } from '../simulator/b'", "import { c } from '../server'"),
      file('src/config.ts', "import { a } from './lib/a'"),
      file(
        'src/infra/a.ts',
        "import { b } from '../lib/b'",
        "import { c } from './c'",
        "import type { D } from '../config'",
      ),
      file('src/http/a.ts', "import b from '../docs/b.md'"),
      file(
        'src/main.ts',
        "import { b } from './modules/users/index'",
        "import packageJson from '../package.json'",
      ),
    ],
  })

  rule(
    'the demo is loaded when somebody asks for it, not with the server',
    refusing(/^import (?!type\b).*'\.\.\/demo\/.*'/gm, (path) => path === LOADS_DEMO),
    {
      refuses: [[file(LOADS_DEMO, "import { b } from '../demo/b'")]],
      accepts: [file(LOADS_DEMO, "const { b } = await import('../demo/b')")],
    },
  )

  rule(
    'the simulated platform knows nothing of the server',
    eachImport((_from, to) => (to.startsWith('src/simulator/') ? null : 'not of the platform')),
    {
      refuses: [[file('src/simulator/a.ts', "import { b } from '../lib/b'")]],
      accepts: [file('src/simulator/a.ts', "import { b } from './b'")],
    },
    simulator,
  )

  const order = eachImport((from, to) => {
    const [own, other] = [moduleOf(from), moduleOf(to)]
    if (own === null || other === null || own === other || isTable(to)) return null
    return ORDER.indexOf(other) > ORDER.indexOf(own) ? 'a module further down the list' : null
  })
  const listed: Check = (files) =>
    files
      .filter(
        ({ path }) =>
          layerOf(path) === 'modules' &&
          path !== 'src/modules/index.ts' &&
          !ORDER.includes(moduleOf(path) ?? ''),
      )
      .map(({ path }) => `${path}: no module of the list`)
  rule(
    'a module imports only modules above it in the list',
    (files) => [...listed(files), ...order(files)],
    {
      refuses: [
        [file('src/modules/organization/roles/service.ts', "import { x } from '../users/service'")],
        [
          file(
            'src/modules/organization/roles/service.ts',
            "import type { X } from '../users/model'",
          ),
        ],
        [
          file(
            'src/modules/organization/memberships/service.ts',
            "import { x } from '../users/service'",
          ),
        ],
        [file('src/modules/inbox/unlisted/service.ts')],
      ],
      accepts: [
        file(
          'src/modules/organization/users/service.ts',
          "import { x } from '../roles/service'",
          "import { y } from './model'",
        ),
        file(
          'src/modules/organization/memberships/table.ts',
          "import { users } from '../users/table'",
        ),
        file(
          'src/modules/organization/organizations/queries.ts',
          "import { users } from '../users/table'",
        ),
      ],
    },
  )

  test('every module of the list exists', () => {
    expect(ORDER.filter((name) => !sources.some(({ path }) => moduleOf(path) === name))).toEqual([])
  })

  const publicOnly = eachImport((from, to) => {
    const [own, other] = [moduleOf(from), moduleOf(to)]
    if (own === null || other === null || own === other) return null
    return PRIVATE_FILES.test(posix.basename(to)) ? 'private to its module' : null
  })
  rule('no module sees the routes, jobs, workers, subscribers or rules of another', publicOnly, {
    refuses: [
      [file('src/modules/inbox/messages/service.ts', "import { x } from '../contacts/rules'")],
      [file('src/modules/inbox/messages/routes.ts', "import { x } from '../contacts/routes'")],
      [file('src/modules/inbox/messages/service.ts', "import type { X } from '../contacts/jobs'")],
      [file('src/modules/inbox/messages/service.ts', "import { x } from '../contacts/workers'")],
    ],
    accepts: [
      file(
        'src/modules/inbox/messages/service.ts',
        "import { x } from '../contacts/service'",
        "import { y } from './rules'",
      ),
      file('src/registry.ts', "import { x } from './modules/contacts/workers'"),
    ],
  })

  const RANKS: Record<string, number> = {
    module: 4,
    routes: 3,
    workers: 2,
    subscribers: 2,
    jobs: 0,
    rules: 0,
    catalog: 0, // a list of constants
    counter: 0, // what counts are declared with
    counters: 0,
    table: 0,
    model: 0,
    events: 0,
  }
  const rankOf = (path: string): number =>
    RANKS[posix.basename(path, '.ts').replace(/^table.*/, 'table')] ?? 1
  const oneWay = eachImport((from, to) => {
    if (moduleOf(from) === null || moduleOf(from) !== moduleOf(to) || isTable(to)) return null
    return rankOf(to) > rankOf(from)
      ? 'against the direction routes, workers → service, queries → rules, table, model, events, jobs'
      : null
  })
  rule('inside a module files point one way', oneWay, {
    refuses: [
      [file('src/modules/organization/users/service.ts', "import { x } from './routes'")],
      [file('src/modules/organization/users/rules.ts', "import { x } from './service'")],
      [file('src/modules/organization/users/model.ts', "import type { X } from './queries'")],
      [file('src/modules/organization/users/workers.ts', "import type { X } from './routes'")],
      [file('src/modules/organization/users/jobs.ts', "import { x } from './service'")],
      [file('src/modules/organization/users/service.ts', "import { x } from './workers'")],
    ],
    accepts: [
      file(
        'src/modules/organization/users/routes.ts',
        "import { x } from './service'",
        "import { y } from './model'",
      ),
      file(
        'src/modules/organization/users/service.ts',
        "import { x } from './rules'",
        "import { y } from './password'",
        "import { z } from './queries'",
      ),
      file('src/modules/organization/users/workers.ts', "import { x } from './service'"),
      file('src/modules/organization/users/service.ts', "import { Clean } from './jobs'"),
    ],
  })

  rule('a job is declared without any code that does it', declarationsOnly, {
    refuses: [
      [file('src/modules/organization/users/jobs.ts', "import { x } from './service'")],
      [file('src/modules/organization/users/jobs.ts', "import { x } from '../roles/service'")],
      [
        file(
          'src/modules/organization/users/jobs.ts',
          "import { x } from '../../../infra/jobs/enqueue'",
        ),
      ],
      [file('src/infra/mail/jobs.ts', "import { x } from '../jobs/work'")],
    ],
    accepts: [
      file(
        'src/modules/organization/users/jobs.ts',
        "import { job } from '../../../infra/jobs/job'",
        "import { RoleChanged } from '../roles/events'",
        "import { Selection } from './model'",
      ),
      file('src/modules/organization/users/workers.ts', "import { x } from './service'"),
    ],
  })

  const knowsHttp = (path: string): boolean =>
    isController(path) || path.startsWith('src/http/') || KNOWS_ELYSIA.includes(path)
  const elysia: Check = (files) =>
    files
      .filter(({ path }) => !knowsHttp(path))
      .flatMap((source) =>
        importsOf(source)
          .filter((name) => /^elysia(\/|$)/.test(name))
          .map((name) => `${source.path} imports ${name}`),
      )
  const httpFiles = eachImport((from, to) =>
    layerOf(from) === 'modules' && !isController(from) && !isEntry(from) && layerOf(to) === 'http'
      ? 'only routes.ts and module.ts know HTTP'
      : null,
  )
  rule(
    'only routes.ts, module.ts, http/ and the composition know HTTP',
    (files) => [...elysia(files), ...httpFiles(files)],
    {
      refuses: [
        [file('src/modules/organization/users/service.ts', "import { t } from 'elysia'")],
        [file('src/modules/organization/users/model.ts', "import type { Static } from 'elysia'")],
        [file('src/infra/hub.ts', "import { x } from 'elysia/ws'")],
        [
          file(
            'src/modules/organization/users/queries.ts',
            "import { ok } from '../../../http/envelope'",
          ),
        ],
        [file('src/main.ts', "import { Elysia } from 'elysia'")],
      ],
      accepts: [
        file(
          'src/modules/organization/users/routes.ts',
          "import { Elysia } from 'elysia'",
          "import { ok } from '../../../http/envelope'",
        ),
        file('src/modules/organization/users/model.ts', "import { Type } from '@sinclair/typebox'"),
        file('src/http/guard.ts', "import { Elysia } from 'elysia'"),
      ],
    },
  )

  const COLUMN_TYPES = new Set(
    ['columns', 'define-table', 'uuid', 'hex'].map((name) => `src/infra/db/${name}.ts`),
  )
  const tableFloor = eachImport((from, to) =>
    isTable(from) && !isTable(to) && !COLUMN_TYPES.has(to) && !to.startsWith('src/lib/')
      ? 'a table file imports table files, column types and lib only'
      : null,
  )
  rule('a table file imports only table files, column types and lib', tableFloor, {
    refuses: [
      [file('src/modules/organization/users/table.ts', "import type { X } from './model'")],
    ],
    accepts: [
      file(
        'src/modules/organization/users/table.ts',
        "import { roles } from '../roles/table'",
        "import { lineText } from '../../../lib/fields'",
        "import { text } from '../../../infra/db/columns'",
        "import { uuid } from '../../../infra/db/uuid'",
      ),
    ],
  })

  rule('no import circle exists, types included', findCircles, {
    refuses: [
      [
        file('src/lib/a.ts', "import { b } from './b'"),
        file('src/lib/b.ts', "import type { A } from './a'"),
      ],
      [
        file('src/lib/a.ts', "import { b } from './b'"),
        file('src/lib/b.ts', "import { c } from './c'"),
        file('src/lib/c.ts', "import { a } from './a'"),
      ],
    ],
    accepts: [
      file('src/lib/a.ts', "import { b } from './b'", "import { c } from './c'"),
      file('src/lib/b.ts', "import { c } from './c'"),
      file('src/lib/c.ts'),
    ],
  })

  rule('the shared context names no feature', namesOfFeatures, {
    refuses: [
      [file('src/infra/ctx.ts', "import type { Row } from '../modules/contacts/table'")],
      [file('src/infra/ctx.ts', 'export interface Deps {', '  find: (id: string) => Contact', '}')],
      [file('src/infra/ctx.ts', 'export type OrganizationRow = string')],
    ],
    accepts: [
      file(
        'src/infra/ctx.ts',
        '/** The scope of a Contact. */',
        'export interface Ctx {',
        '  organizationId: string',
        '}',
      ),
    ],
  })

  rule(
    'upwards there are only events: no lower module names a job or event of a higher one',
    upwardNames,
    {
      refuses: [
        [
          file(
            'src/modules/inbox/messages/jobs.ts',
            "export const Send = job('message.send', Args, { queue: 'send' })",
          ),
          file('src/modules/inbox/contacts/service.ts', "enqueueNamed(tx, 'message.send')"),
        ],
        [
          file(
            'src/modules/inbox/messages/events.ts',
            'export const MessageReceived = defineEvent(',
            "  'message.received',",
            ')',
          ),
          file('src/modules/inbox/contacts/service.ts', "emitNamed(tx, 'message.received')"),
        ],
      ],
      accepts: [
        file(
          'src/modules/inbox/messages/jobs.ts',
          "export const Send = job('message.send', Args, { queue: 'send' })",
        ),
        file('src/modules/inbox/messages/service.ts', "const name = 'message.send'"),
        file('src/modules/channel/inbound/receive.ts', "const name = 'message.send'"),
      ],
    },
  )
})

/** Imports of `jobs.ts` files of anything but shapes: those who enqueue import nothing else. */
const declarationsOnly = eachImport((from, to) => {
  if (!/^src\/(infra|modules)\/.*\/jobs\.ts$/.test(from)) return null
  const isShape = /\/(events|model|rules)\.ts$|^src\/lib\/|^src\/infra\/jobs\/job\.ts$/.test(to)
  return isShape ? null : 'a jobs.ts holds declarations only'
})

/** Follows every import to its end; answers one line per circle found. */
function findCircles(files: Source[]): string[] {
  const imports = new Map(
    files.map((source) => [source.path, ownImportsOf(source, files).map(({ target }) => target)]),
  )
  const done = new Set<string>()
  const circles: string[] = []
  const walk = (path: string, trail: string[]): void => {
    const start = trail.indexOf(path)
    if (start >= 0) circles.push([...trail.slice(start), path].join(' → '))
    if (start >= 0 || done.has(path)) return
    for (const target of imports.get(path) ?? []) walk(target, [...trail, path])
    done.add(path)
  }
  for (const path of imports.keys()) walk(path, [])
  return circles
}

/**
 * Mentions of a module's thing in `infra/ctx.ts`: a type whose name starts with it, such as
 * `ContactRow`, or an import.
 */
function namesOfFeatures(files: Source[]): string[] {
  const things = ORDER.map((name) => name.replace(/s$/, '')).map(
    (name) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
  )
  const features = things.filter(
    (name) => !['Auth', 'System', 'Realtime', 'Inbound'].includes(name),
  )
  const context = files.filter(({ path }) => path === 'src/infra/ctx.ts')
  return [
    ...refusing(new RegExp(`\\b(${features.join('|')})([A-Z]\\w*)?\\b`, 'g'))(context),
    ...context.flatMap((source) => importsOf(source).filter((name) => name.includes('modules/'))),
  ]
}

/** Names of jobs and events, as texts, in modules above the one that defines them. */
function upwardNames(files: Source[]): string[] {
  const definition = /\b(?:job|defineEvent)\(\s*'([\w.:-]+)'/g
  const owners = files.flatMap((source) => {
    const owner = ORDER.indexOf(moduleOf(source.path) ?? '')
    return owner < 0
      ? []
      : [...codeOf(source).matchAll(definition)].map((match) => ({ name: match[1] ?? '', owner }))
  })
  return files.flatMap((source) => {
    const own = ORDER.indexOf(moduleOf(source.path) ?? '')
    const code = codeOf(source)
    const higher = owners.filter(
      ({ name, owner }) => own >= 0 && owner > own && code.includes(`'${name}'`),
    )
    return higher.map(
      ({ name }) => `${source.path} names ${name}, which belongs to a higher module`,
    )
  })
}
