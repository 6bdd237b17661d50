import { describe, expect, test } from 'bun:test'
import { posix } from 'node:path'

import { MODULES } from '../src/modules'
import { codeOf, importsOf, ownImportsOf, readSources, type Source } from './support/sources'

/** The modules in their order: one may import those above it, never those below. */
const ORDER = MODULES.map(({ name }) => name)

/**
 * The layers from left to right; files directly in `src` are the last one, but for `config.ts` and
 * `environment.ts`, which belong to the first.
 */
const LAYERS = ['lib', 'platform', 'infra', 'http', 'modules', 'top']

/** What a module keeps to itself; the rest are its verbs, its shapes and its rows. */
const PRIVATE_FILES = /^(module|routes|jobs|workers|subscribers|rules)\.ts$/

/** Outside of controllers and `http/`: these put the application together. */
const KNOWS_ELYSIA = ['src/app.ts']
const READS_CLOCK_OR_CHANCE = [
  'src/lib/clock.ts',
  'src/lib/ids.ts',
  'src/lib/random.ts',
  'src/main.ts',
  'src/container.ts',
]
const READS_ENVIRONMENT = ['src/config.ts', 'src/main.ts']
/** `data-dir` holds the folder with an exclusive transaction on a file of its own. */
const OPENS_TRANSACTIONS = /^src\/infra\/(db\/(transact|migrate)|data-dir)\.ts$/
/**
 * Files with a variable that outlives a request. The results of pure functions, by their arguments:
 * nobody can tell whether one is kept. Facts of one request, by the request. Tables that are filled
 * while the file is loaded. A thread has no other place.
 */
const KEEPS_STATE = [
  'src/lib/phone.ts',
  'src/lib/phone-plans.ts',
  'src/lib/schema-check.ts',
  'src/modules/flows/definition.ts',
  'src/modules/flows/endpoint/encryption.ts',
  'src/modules/inbound/process/items.ts',
  'src/modules/users/password.ts',
  'src/http/request-facts.ts',
  'src/modules/realtime/frames/personal.ts',
  'src/checkpoint-worker.ts',
  // A script of a page, not of the server.
  'src/http/link-pages.ts',
  'src/infra/kept-texts.ts',
  'src/infra/rows.ts',
  'src/modules/messages/written-pages.ts',
]
/** Tables of data that may be longer than the cap. */
const LONG_DATA: string[] = []
const MAX_LINES = 520

const sources = readSources('src')
const tests = readSources('tests')

/** Answers one line for each place that breaks the rule. */
type Check = (files: Source[]) => string[]

interface Example {
  /** Made-up trees, each of which the check must refuse. */
  refuses: Source[][]
  /** A made-up tree it must accept. */
  accepts: Source[]
}

const file = (path: string, ...lines: string[]): Source => ({ path, text: `${lines.join('\n')}\n` })

/**
 * One test per rule: the check must catch made-up violations, let correct files pass, and find none
 * in the real tree.
 */
function rule(name: string, check: Check, example: Example, real: Source[] = sources): void {
  test(name, () => {
    for (const tree of example.refuses)
      expect({ tree, caught: check(tree).length > 0 }).toEqual({ tree, caught: true })
    expect(check(example.accepts)).toEqual([])
    expect(real.length).toBeGreaterThan(10)
    expect(check(real)).toEqual([])
  })
}

const isTable = (path: string): boolean => /\/([\w-]+-)?table\.ts$/.test(path)
const isController = (path: string): boolean => /^src\/modules\/.*\/routes\.ts$/.test(path)
/** The entry of a module in the list of modules. */
const isEntry = (path: string): boolean => /^src\/modules\/[\w-]+\/module\.ts$/.test(path)
const moduleOf = (path: string): string | null => /^src\/modules\/([^/]+)\//.exec(path)?.[1] ?? null
const layerOf = (path: string): string =>
  path === 'src/config.ts' || path === 'src/environment.ts'
    ? 'lib'
    : path.startsWith('src/commands/')
      ? 'top'
      : (/^src\/([^/]+)\//.exec(path)?.[1] ?? 'top')
const lineAt = (text: string, index: number): number => text.slice(0, index).split('\n').length

/** A check of each import of ours on its own; `judge` answers what is wrong with it, or null. */
const eachImport =
  (judge: (from: string, to: string) => string | null): Check =>
  (files) =>
    files.flatMap((source) =>
      ownImportsOf(source, files).flatMap(({ target }) => {
        const wrong = judge(source.path, target)
        return wrong === null ? [] : [`${source.path} imports ${target}: ${wrong}`]
      }),
    )

/** A check that refuses a pattern in code, comments aside, in files that `concerns` names. */
const refusing =
  (
    pattern: RegExp,
    concerns: (path: string) => boolean = () => true,
    textOf: (source: Source) => string = codeOf,
  ): Check =>
  (files) =>
    files
      .filter(({ path }) => concerns(path))
      .flatMap((source) => {
        const text = textOf(source)
        return [...text.matchAll(pattern)].map(
          (match) => `${source.path}:${lineAt(text, match.index)}: ${match[0].trim()}`,
        )
      })

const otherThan =
  (allowed: string[]) =>
  (path: string): boolean =>
    !allowed.includes(path)

test('the scan sees the project', () => {
  expect(sources.map(({ path }) => path)).toContain('src/lib/errors.ts')
  expect(tests.map(({ path }) => path)).toContain('tests/architecture.test.ts')
  expect(sources.flatMap((source) => ownImportsOf(source, sources)).length).toBeGreaterThan(20)
  const all = new Set(sources.map(({ path }) => path))
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
    // A guide is a text that the server shows.
    if (to.startsWith('src/docs/') && to.endsWith('.md'))
      return layerOf(from) === 'http' ? null : 'only http shows guides'
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
      [file('src/modules/users/routes.ts', "import { b } from '../../registry'")],
      [file('src/lib/a.ts', "import { b } from '../../tests/support/b'")],
      [file('src/extra/a.ts')],
      [file('src/modules/users/routes.ts', "import b from '../../docs/b.md'")],
      [file('src/docs/a.ts')],
    ],
    accepts: [
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
        [file('src/modules/roles/service.ts', "import { x } from '../users/service'")],
        [file('src/modules/roles/service.ts', "import type { X } from '../users/model'")],
        [file('src/modules/memberships/service.ts', "import { x } from '../users/service'")],
        [file('src/modules/unlisted/service.ts')],
      ],
      accepts: [
        file(
          'src/modules/users/service.ts',
          "import { x } from '../roles/service'",
          "import { y } from './model'",
        ),
        file('src/modules/memberships/table.ts', "import { users } from '../users/table'"),
        file('src/modules/organizations/queries.ts', "import { users } from '../users/table'"),
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
      [file('src/modules/messages/service.ts', "import { x } from '../contacts/rules'")],
      [file('src/modules/messages/routes.ts', "import { x } from '../contacts/routes'")],
      [file('src/modules/messages/service.ts', "import type { X } from '../contacts/jobs'")],
      [file('src/modules/messages/service.ts', "import { x } from '../contacts/workers'")],
    ],
    accepts: [
      file(
        'src/modules/messages/service.ts',
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
      [file('src/modules/users/service.ts', "import { x } from './routes'")],
      [file('src/modules/users/rules.ts', "import { x } from './service'")],
      [file('src/modules/users/model.ts', "import type { X } from './queries'")],
      [file('src/modules/users/workers.ts', "import type { X } from './routes'")],
      [file('src/modules/users/jobs.ts', "import { x } from './service'")],
      [file('src/modules/users/service.ts', "import { x } from './workers'")],
    ],
    accepts: [
      file(
        'src/modules/users/routes.ts',
        "import { x } from './service'",
        "import { y } from './model'",
      ),
      file(
        'src/modules/users/service.ts',
        "import { x } from './rules'",
        "import { y } from './password'",
        "import { z } from './queries'",
      ),
      file('src/modules/users/workers.ts', "import { x } from './service'"),
      file('src/modules/users/service.ts', "import { Clean } from './jobs'"),
    ],
  })

  rule('a job is declared without any code that does it', declarationsOnly, {
    refuses: [
      [file('src/modules/users/jobs.ts', "import { x } from './service'")],
      [file('src/modules/users/jobs.ts', "import { x } from '../roles/service'")],
      [file('src/modules/users/jobs.ts', "import { x } from '../../infra/jobs/enqueue'")],
      [file('src/infra/mail/jobs.ts', "import { x } from '../jobs/work'")],
    ],
    accepts: [
      file(
        'src/modules/users/jobs.ts',
        "import { job } from '../../infra/jobs/job'",
        "import { RoleChanged } from '../roles/events'",
        "import { Selection } from './model'",
      ),
      file('src/modules/users/workers.ts', "import { x } from './service'"),
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
        [file('src/modules/users/service.ts', "import { t } from 'elysia'")],
        [file('src/modules/users/model.ts', "import type { Static } from 'elysia'")],
        [file('src/infra/hub.ts', "import { x } from 'elysia/ws'")],
        [file('src/modules/users/queries.ts', "import { ok } from '../../http/envelope'")],
        [file('src/main.ts', "import { Elysia } from 'elysia'")],
      ],
      accepts: [
        file(
          'src/modules/users/routes.ts',
          "import { Elysia } from 'elysia'",
          "import { ok } from '../../http/envelope'",
        ),
        file('src/modules/users/model.ts', "import { Type } from '@sinclair/typebox'"),
        file('src/http/guard.ts', "import { Elysia } from 'elysia'"),
      ],
    },
  )

  const tableFloor = eachImport((from, to) =>
    isTable(from) && !isTable(to) ? 'a table file imports table files only' : null,
  )
  rule('a table file imports only table files', tableFloor, {
    refuses: [[file('src/modules/users/table.ts', "import type { X } from './model'")]],
    accepts: [
      file(
        'src/modules/users/table.ts',
        "import { roles } from '../roles/table'",
        "import { text } from 'drizzle-orm/sqlite-core'",
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
            'src/modules/messages/jobs.ts',
            "export const Send = job('message.send', Args, { queue: 'send' })",
          ),
          file('src/modules/contacts/service.ts', "enqueueNamed(tx, 'message.send')"),
        ],
        [
          file(
            'src/modules/messages/events.ts',
            'export const MessageReceived = defineEvent(',
            "  'message.received',",
            ')',
          ),
          file('src/modules/contacts/service.ts', "emitNamed(tx, 'message.received')"),
        ],
      ],
      accepts: [
        file(
          'src/modules/messages/jobs.ts',
          "export const Send = job('message.send', Args, { queue: 'send' })",
        ),
        file('src/modules/messages/service.ts', "const name = 'message.send'"),
        file('src/modules/inbound/receive.ts', "const name = 'message.send'"),
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

describe('tenants', () => {
  const table = file(
    'src/modules/contacts/table.ts',
    "export const contacts = sqliteTable('contacts', {",
    "  organizationId: text('organization_id'),",
    '})',
  )
  rule('every query of tenant data starts from its organization', unscoped, {
    refuses: [
      [
        table,
        file(
          'src/modules/contacts/service.ts',
          'db.select().from(contacts).where(eq(contacts.id, id)).get()',
        ),
      ],
      [
        table,
        file(
          'src/modules/contacts/service.ts',
          'tx.update(contacts)',
          '  .set({})',
          '  .where(eq(contacts.id, id))',
          '  .run()',
        ),
      ],
      [table, file('src/modules/contacts/service.ts', 'tx.delete(contacts).run()')],
    ],
    accepts: [
      table,
      file(
        'src/modules/contacts/service.ts',
        'db.select().from(contacts).where(inOrganization(ctx, contacts)).get()',
      ),
      file(
        'src/modules/contacts/queries.ts',
        'const filter = inOrganization(ctx, contacts)',
        '',
        'db.select().from(contacts).where(filter).all()',
      ),
    ],
  })

  test('every exception is still one', () => {
    const paths = sources.map(({ path }) => path)
    expect(Object.keys(ACROSS_ORGANIZATIONS).filter((path) => !paths.includes(path))).toEqual([])
  })
})

describe('who may write what', () => {
  rule('insert, update and delete of a table belong to its owner', foreignWrites, {
    refuses: [
      [
        file(
          'src/modules/messages/service.ts',
          "import { contacts } from '../contacts/table'",
          'tx.insert(contacts).values({}).run()',
        ),
      ],
      [
        file(
          'src/modules/messages/service.ts',
          "import { contacts as c } from '../contacts/table'",
          'tx',
          '  .update(c)',
        ),
      ],
      [
        file(
          'src/modules/messages/service.ts',
          "import * as other from '../contacts/table'",
          'tx.delete(other.contacts).run()',
        ),
      ],
      [
        file(
          'src/modules/users/service.ts',
          "import { jobs } from '../../infra/jobs/table'",
          'tx.delete(jobs).run()',
        ),
      ],
      [
        file(
          'src/app.ts',
          "import { users } from './modules/users/table'",
          'db.orm.delete(users).run()',
        ),
      ],
      [
        file(
          'src/modules/contacts/table.ts',
          "export const contacts = sqliteTable('contacts', {})",
        ),
        file('src/modules/messages/service.ts', 'tx.run(sql`update contacts set name = ${name}`)'),
      ],
      [
        file(
          'src/modules/messages/service.ts',
          "import { contacts } from '../contacts/table'",
          'tx.run(sql`DELETE FROM ${contacts}`)',
        ),
      ],
      [file('src/modules/messages/service.ts', "export { contacts } from '../contacts/table'")],
    ],
    accepts: [
      file('src/modules/contacts/table.ts', "export const contacts = sqliteTable('contacts', {})"),
      file(
        'src/modules/contacts/service.ts',
        "import { contacts } from './table'",
        'tx.insert(contacts).run()',
        'seen.delete(id)',
      ),
      file(
        'src/modules/organizations/settings/service.ts',
        "import { organizations } from '../table'",
        'tx.update(organizations).run()',
      ),
      file(
        'src/modules/messages/queries.ts',
        "import { contacts } from '../contacts/table'",
        'db.select().from(contacts).all()',
      ),
      file(
        'src/infra/jobs/record-result.ts',
        "import { events } from '../outbox/table'",
        'tx.delete(events).run()',
      ),
    ],
  })

  rule(
    'transact is the only way to a transaction',
    refusing(
      /\.transaction\(|['"`]\s*(begin|savepoint)\b/gi,
      (path) => !OPENS_TRANSACTIONS.test(path),
    ),
    {
      refuses: [
        [file('src/modules/users/service.ts', 'db.orm.transaction((tx) => {})')],
        [file('src/modules/users/service.ts', "db.sqlite.run('begin immediate')")],
        [file('src/infra/db/compiled.ts', "sqlite.query('savepoint part').run()")],
      ],
      accepts: [
        file('src/infra/db/transact.ts', 'orm.transaction((tx) => {})'),
        file('src/infra/db/migrate.ts', 'sqlite.transaction(() => {})'),
        file(
          'src/modules/users/service.ts',
          'transact(ctx.db, (tx) => {})',
          '// never .transaction(',
        ),
      ],
    },
  )
})

test('what the program keeps in memory is a part of it, not a variable of a file', () => {
  const check = refusing(
    /^(?:export )?(?:let \w+|const \w+[^=\n]*= new (?:Weak(?:Map|Set)\b|(?:Map|Set)(?:<.*>)?\(\)))/gm,
    (path) => !KEEPS_STATE.includes(path),
  )
  for (const line of [
    'const known = new Map<string, Row>()',
    'const seen: Set<string> = new Set()',
    'const byDatabase = new WeakMap<Db, RateLimiter>()',
    'let isBusy = false',
  ])
    expect(check([file('src/modules/users/service.ts', line)])).toHaveLength(1)
  for (const line of [
    "const KINDS = new Set(['image'])",
    'const RANK = new Map<string, number>([])',
    '  const seen = new Set<string>()',
  ])
    expect(check([file('src/modules/users/service.ts', line)])).toEqual([])
  expect(check(sources)).toEqual([])
})

test('only the event loop helper yields to the event loop', () => {
  const check = refusing(
    /\b(setImmediate|nextTick)\b|Bun\.sleep\(0\)|(setTimeout|pause)\([^()]*\b0\)/g,
    (path) => path !== 'src/infra/event-loop.ts',
  )
  for (const line of [
    'await new Promise((resolve) => setImmediate(resolve))',
    'await Bun.sleep(0)',
    'await new Promise((resolve) => setTimeout(resolve, 0))',
    'process.nextTick(flush)',
  ])
    expect(check([file('src/modules/users/service.ts', line)])).toHaveLength(1)
  expect(check([file('src/infra/event-loop.ts', 'setImmediate(work)')])).toEqual([])
  expect(check([file('src/modules/users/service.ts', 'await yieldToEventLoop()')])).toEqual([])
  expect(check(sources)).toEqual([])
})

/** The folder that owns a table or a file: a module, all of `infra`, or nobody. */
const ownerOf = (path: string): string =>
  moduleOf(path) ?? (layerOf(path) === 'infra' ? 'infra' : path)

/** Writes in SQL text, in lower or upper case: a capitalised `Update users` is prose. */
const SQL_WRITES = [
  /\b(?:insert(?:\s+or\s+\w+)?\s+into|replace\s+into|update|delete\s+from)\s+["'`]?(\$\{\s*)?(\w+)/g,
  /\b(?:INSERT(?:\s+OR\s+\w+)?\s+INTO|REPLACE\s+INTO|UPDATE|DELETE\s+FROM)\s+["'`]?(\$\{\s*)?(\w+)/g,
]

/**
 * Writes to tables of another owner: by Drizzle, by SQL text, or by passing a table on under
 * another roof.
 */
function foreignWrites(files: Source[]): string[] {
  const owners = new Map(
    files
      .filter(({ path }) => isTable(path))
      .flatMap((source) =>
        [...codeOf(source).matchAll(/sqliteTable\(\s*'(\w+)'/g)].map(
          (match) => [match[1] ?? '', ownerOf(source.path)] as const,
        ),
      ),
  )
  return files.flatMap((source) => {
    const imports = ownImportsOf(source, files).filter(({ target }) => isTable(target))
    const foreign = new Set(
      imports
        .filter(({ target }) => ownerOf(target) !== ownerOf(source.path))
        .flatMap(({ names }) => names),
    )
    const code = codeOf(source)
    const drizzle = [...code.matchAll(/\.\s*(insert|update|delete)\(\s*([\w$]+)/g)].filter(
      (match) => foreign.has(match[2] ?? ''),
    )
    const sql = SQL_WRITES.flatMap((pattern) => [...code.matchAll(pattern)]).filter(
      ([, isTableValue, name = '']) =>
        isTableValue
          ? foreign.has(name)
          : (owners.get(name) ?? ownerOf(source.path)) !== ownerOf(source.path),
    )
    return [
      ...[...drizzle, ...sql].map(
        (match) =>
          `${source.path}:${lineAt(code, match.index)}: ${match[0].trim()} belongs to another module`,
      ),
      ...imports
        .filter(({ isReExport }) => isReExport)
        .map(({ target }) => `${source.path} passes ${target} on`),
    ]
  })
}

describe('where things are defined', () => {
  const places = [
    {
      what: 'tables in table files',
      pattern: /\bsqliteTable\(/g,
      home: /\/([\w-]+-)?table\.ts$/,
      call: 'sqliteTable',
      at: 'table.ts',
    },
    {
      what: 'jobs in the jobs.ts of a module',
      pattern: /\bimport \{[^}]*\bjob\b[^}]*\} from '[./]*infra\/jobs\/job'/g,
      home: /^src\/modules\/[\w-]+\/jobs\.ts$/,
      call: "import { job } from '../../infra/jobs/job'",
      at: 'jobs.ts',
    },
    {
      what: 'the work of jobs in the workers.ts of a module',
      pattern: /\bimport \{[^}]*\bwork(InTransaction)?\b[^}]*\} from '[./]*infra\/jobs\/work'/g,
      home: /^src\/modules\/[\w-]+\/workers\.ts$/,
      call: "import { work } from '../../infra/jobs/work'",
      at: 'workers.ts',
    },
    {
      what: 'events in events files',
      pattern: /\bdefineEvent\(/g,
      home: /\/events\.ts$/,
      call: 'defineEvent',
      at: 'events.ts',
    },
  ]
  for (const { what, pattern, home, call, at } of places)
    rule(
      `${what} only`,
      refusing(pattern, (path) => !home.test(path)),
      {
        refuses: [[file('src/modules/users/service.ts', `${call}('x')`)]],
        accepts: [file(`src/modules/users/${at}`, `${call}('x')`)],
      },
    )

  rule('every controller, worker and subscriber is in the entry of its module', unlisted, {
    refuses: [
      [file('src/modules/users/module.ts'), file('src/modules/users/routes.ts')],
      [file('src/modules/users/module.ts'), file('src/modules/users/workers.ts')],
      [
        file('src/modules/users/module.ts'),
        file('src/modules/roles/module.ts', "import { x } from '../users/subscribers'"),
        file('src/modules/users/subscribers.ts'),
      ],
    ],
    accepts: [
      file(
        'src/modules/users/module.ts',
        "import { userRoutes } from './routes'",
        "import { userWorkers } from './workers'",
      ),
      file('src/modules/users/routes.ts', "import { loginRoutes } from './login/routes'"),
      file('src/modules/users/login/routes.ts'),
      file('src/modules/users/workers.ts'),
    ],
  })

  test('every module of the list has its entry in the folder of its name', async () => {
    for (const module of MODULES) {
      const entry = (await import(`../src/modules/${module.name}/module`)) as object
      expect(Object.values(entry)).toEqual([module])
    }
  })
})

/** Controllers, workers and subscribers that neither their module's entry nor a controller imports. */
function unlisted(files: Source[]): string[] {
  const known = new Set(
    files
      .filter(({ path }) => isEntry(path) || isController(path))
      .flatMap((source) =>
        ownImportsOf(source, files)
          .map(({ target }) => target)
          .filter((target) => moduleOf(target) === moduleOf(source.path)),
      ),
  )
  return files
    .filter(
      ({ path }) =>
        /^src\/modules\/.*\/(routes|workers|subscribers)\.ts$/.test(path) && !known.has(path),
    )
    .map(({ path }) => `${path} is in no module.ts`)
}

describe('how code reads', () => {
  rule(
    'open points live in the tracker, not in the source',
    refusing(/\b(TODO|FIXME|XXX|HACK)\b/g, undefined, ({ text }) => text),
    {
      refuses: [[file('src/lib/a.ts', '// TODO: later')], [file('src/lib/a.ts', '/* FIXME */')]],
      accepts: [file('src/lib/a.ts', "const todos = 'todo'")],
    },
  )

  const ambient =
    /\bDate\.now\b|\bnew Date(\(\s*\)|(?!\s*\())|(?<!\.|new )\bDate\(|\bMath\.random\b|\brandomUUID(v7)?\b/g
  rule(
    'time, ids and chance come from the context',
    refusing(ambient, otherThan(READS_CLOCK_OR_CHANCE)),
    {
      refuses: [
        'Date.now()',
        'new Date()',
        'new Date',
        'Date()',
        'Math.random()',
        'crypto.randomUUID()',
        'Bun.randomUUIDv7()',
        'xs.map(Date.now)',
      ].map((code) => [file('src/infra/a.ts', `export const x = ${code}`)]),
      accepts: [
        file(
          'src/infra/a.ts',
          'export const x = new Date(ms).toISOString()',
          '/** Never Date.now(). */',
          'type X = Date',
        ),
        file('src/lib/clock.ts', 'export const x = Date.now()'),
      ],
    },
  )

  rule(
    'the environment is read in one place',
    refusing(/\b(process|Bun|import\.meta)\.env\b/g, otherThan(READS_ENVIRONMENT)),
    {
      refuses: [
        [file('src/infra/a.ts', 'const x = process.env.PORT')],
        [file('src/infra/a.ts', 'const x = Bun.env.PORT')],
      ],
      accepts: [file('src/config.ts', 'const x = process.env.PORT')],
    },
  )

  rule(
    'nothing is exported by default or wholesale',
    refusing(/^export\s+(default\b|\*)|\bas default\b/gm),
    {
      refuses: [
        [file('src/lib/a.ts', 'export default 1')],
        [file('src/lib/a.ts', "export * from './b'")],
        [file('src/lib/a.ts', 'export { a as default }')],
      ],
      accepts: [file('src/lib/a.ts', 'export const a = 1')],
    },
  )

  rule('every exported function says what it does', undocumented, {
    refuses: [
      [file('src/lib/a.ts', 'export function a(): void {}')],
      [file('src/lib/a.ts', 'const b = 1', '', 'export async function* a() {}')],
      [file('src/lib/a.ts', 'export const a = (x: number) => x')],
      [file('src/lib/a.ts', 'export const a =', '  <T>(x: T) =>', '  x')],
      [file('src/lib/a.ts', '// a comment', 'export const a: Maker = async (x) => x')],
      [file('src/lib/a.ts', 'export const a = x => x')],
    ],
    accepts: [
      file(
        'src/lib/a.ts',
        '/** Adds. */',
        'export function a(): void {}',
        '',
        '/**',
        ' * Takes.',
        ' */',
        'export const b = (x: number) => x',
      ),
      file(
        'src/lib/b.ts',
        '/** One of many. */',
        'export function a(x: string): void',
        'export function a(x: number): void',
        'export const C = Type.Object({})',
      ),
    ],
  })

  rule(
    'docstrings are sentences, without tags',
    refusing(/@(param|returns?|throws)\b/g, undefined, ({ text }) => text),
    {
      refuses: [[file('src/lib/a.ts', '/** @param x a number */')]],
      accepts: [file('src/lib/a.ts', '/** Adds one. */', "const address = 'a@parameter.example'")],
    },
  )

  rule(`a file has at most ${MAX_LINES} lines of code`, tooLong, {
    refuses: [
      [
        file(
          'src/lib/a.ts',
          ...Array.from({ length: MAX_LINES + 1 }, (_, line) => `const x${line} = 1`),
        ),
      ],
    ],
    accepts: [
      file(
        'src/lib/a.ts',
        ...Array.from({ length: MAX_LINES }, (_, line) => `const x${line} = 1\n// why\n`),
      ),
    ],
  })

  const badName = (path: string): boolean =>
    !/^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)*\.ts$/.test(posix.basename(path)) ||
    /(^|[/-])(utils?|helpers?|common|managers?)(-|\.ts$|\/)/.test(path)
  rule(
    'file names are lower-case words that say something',
    (files) => files.map(({ path }) => path).filter(badName),
    {
      refuses: [
        [file('src/lib/Errors.ts')],
        [file('src/lib/utils.ts')],
        [file('src/lib/date-helpers.ts')],
        [file('src/common/a.ts')],
        [file('src/lib/rate_limit.ts')],
      ],
      accepts: [
        file('src/infra/db/migrations.macro.ts'),
        file('src/infra/rate-limit.ts'),
        file('src/modules/api-keys/routes.ts'),
      ],
    },
  )

  // The public samples lie outside of the repository and may not be copied into it: these tests run
  // where they are.
  const ofSamples = ['tests/simulator/checks.test.ts', 'tests/flows/published-webhooks.test.ts']
  /**
   * Recipes are tried with programs that are not installed everywhere; a test of one that is not is
   * shown as skipped.
   */
  const unfocused = tests.filter(
    ({ path }) =>
      path !== 'tests/architecture.test.ts' &&
      !ofSamples.includes(path) &&
      !path.startsWith('tests/recipes/'),
  )
  rule(
    'no test is skipped or run alone',
    refusing(/\b(test|it|describe)\.(only|(skip|todo|failing)(If)?|if)\b/g),
    {
      refuses: [
        [file('tests/a.test.ts', "test.only('x', () => {})")],
        [file('tests/a.test.ts', "describe.skip('x', () => {})")],
        [file('tests/a.test.ts', "test.skipIf(isMissing)('x')")],
      ],
      accepts: [file('tests/a.test.ts', "test('x', () => {})", "test.each([1])('x', () => {})")],
    },
    unfocused,
  )
})

/**
 * Exported functions without a docstring right above; the further signatures of an overload need
 * none.
 */
function undocumented(files: Source[]): string[] {
  const exported = /^export (?:async )?(?:function\*? ?|const )(\w+)[^\n]*/gm
  const isFunction = (text: string): boolean =>
    /^export (async )?function/.test(text) ||
    /^export const \w+(: [^=]+)?\s*=\s*(async\s*)?(<[^=]*?>\s*)?(\(|\w+\s*=>|function\b)/.test(text)
  return files.flatMap((source) =>
    [...source.text.matchAll(exported)]
      .filter((match) => isFunction(source.text.slice(match.index)))
      .filter((match) => {
        const above = source.text.slice(0, match.index).trimEnd().split('\n').at(-1) ?? ''
        return !above.endsWith('*/') && !above.startsWith(`export function ${match[1]}(`)
      })
      .map((match) => `${source.path}: ${match[1]} has no docstring`),
  )
}

function tooLong(files: Source[]): string[] {
  return files
    .filter(({ path }) => !LONG_DATA.includes(path))
    .map((source) => ({
      path: source.path,
      lines: codeOf(source)
        .split('\n')
        .filter((line) => line.trim() !== '').length,
    }))
    .filter(({ lines }) => lines > MAX_LINES)
    .map(({ path, lines }) => `${path} has ${lines} lines`)
}

/** Tables whose rows belong to an organization, by the name the code gives them. */
const tenantTablesOf = (files: Source[]): string[] =>
  files
    .filter(({ path }) => path.startsWith('src/modules/') && isTable(path))
    .flatMap((source) =>
      codeOf(source)
        .split(/^export const /m)
        .slice(1)
        .filter(
          (definition) =>
            /\borganizationId\b/.test(definition) && !/^organizations\b/.test(definition),
        )
        .map((definition) => /^\w+/.exec(definition)?.[0] ?? ''),
    )

/**
 * Places that look beyond one organization on purpose, by file and number, each with its reason.
 * Another one is a new hole in the wall between tenants and wants a reason here.
 */
const ACROSS_ORGANIZATIONS: Record<string, { queries: number; reason: string }> = {
  'src/modules/campaigns/run/sweep.ts': {
    queries: 2,
    reason: 'campaigns of all organizations get on, and their counters are compared, in turn',
  },
  'src/modules/campaigns/run/quota.ts': {
    queries: 1,
    reason: 'what is no use any more is pruned as a whole',
  },
  'src/modules/accounts/queries.ts': {
    queries: 5,
    reason:
      'webhooks find their tenant by the platform ids of a number, by its verify token, and by who signed them',
  },
  'src/modules/api-keys/authenticate.ts': {
    queries: 1,
    reason: 'the key that is sent says which organization it is of',
  },
  'src/modules/audit/prune.ts': { queries: 2, reason: 'the audit log is pruned as a whole' },
  'src/modules/audit/search-index.ts': {
    queries: 1,
    reason: 'the range of rows of a new organization follows the last one',
  },
  'src/modules/accounts/service.ts': {
    queries: 1,
    reason: 'a number can be connected once in the whole installation',
  },
  'src/modules/templates/sync.ts': {
    queries: 1,
    reason: 'the templates of all business accounts are fetched every hour',
  },
  'src/modules/accounts/schedule-health-check.ts': {
    queries: 1,
    reason: 'the numbers of all organizations are looked into in turn',
  },
  'src/modules/accounts/reencrypt.ts': {
    queries: 1,
    reason: 'a new key takes over the secrets of all organizations',
  },
  'src/modules/flows/reencrypt.ts': {
    queries: 1,
    reason: 'a new key takes over the secrets of all organizations',
  },
  'src/modules/accounts/health.ts': {
    queries: 1,
    reason: 'what came for a number before it was connected is nobody’s',
  },
  'src/modules/roles/service.ts': {
    queries: 1,
    reason: 'at start the system roles of all organizations are compared with the catalogue',
  },
  'src/modules/memberships/service.ts': {
    queries: 2,
    reason: 'the organizations of one person',
  },
  'src/modules/members/invitations/service.ts': {
    queries: 1,
    reason: 'the token of an invitation says which organization it is for',
  },
  'src/modules/members/erase-orphans.ts': {
    queries: 1,
    reason: 'whether an account belongs to any organization',
  },
  'src/modules/members/queries.ts': { queries: 1, reason: 'the organizations of the caller' },
  'src/modules/notifications/service.ts': {
    queries: 2,
    reason: 'old notifications are pruned as a whole',
  },
  'src/modules/auth/sessions.ts': {
    queries: 7,
    reason: 'a sign-in belongs to a person, not to an organization',
  },
  'src/modules/auth/tickets.ts': {
    queries: 1,
    reason: 'a ticket says by itself which organization it opens a socket for',
  },
  'src/modules/exports/expire.ts': {
    queries: 1,
    reason: 'files kept long enough are looked for as a whole',
  },
  'src/modules/imports/erase.ts': {
    queries: 1,
    reason: 'reports kept long enough are looked for as a whole',
  },
  'src/modules/media/expire.ts': {
    queries: 2,
    reason: 'uploads, files waited for and files on disk are looked through as a whole',
  },
  'src/modules/conversations/queries.ts': {
    queries: 1,
    reason: 'a join that both its callers cut to the scope',
  },
  'src/modules/inbound/queries.ts': {
    queries: 2,
    reason: 'a super admin sees all; everyone else is cut to the scope by `mine`',
  },
  'src/modules/inbound/stats/hourly.ts': {
    queries: 1,
    reason: 'old figures are pruned as a whole',
  },
  'src/modules/inbound/stats/queries.ts': {
    queries: 1,
    reason: 'what waits is nobody’s until it was routed; it is cut to the own numbers',
  },
  'src/modules/inbound/process/mark-orphans.ts': {
    queries: 2,
    reason: 'what waits for its message is looked through as a whole',
  },
  'src/modules/inbound/backfill.ts': {
    queries: 1,
    reason: 'what came for a number before it was connected is nobody’s',
  },
  'src/modules/messages/inbound/pending-edits.ts': {
    queries: 1,
    reason: 'what has waited long enough is found as a whole, then worked off by organization',
  },
  'src/modules/inbound/assign-unrouted.ts': {
    queries: 3,
    reason: 'a change that came for nobody is nobody’s until it is routed',
  },
  'src/modules/inbound/process/process-change.ts': {
    queries: 4,
    reason: 'a change of the journal is nobody’s until it was routed',
  },
  'src/modules/inbound/journal/prune.ts': {
    queries: 3,
    reason: 'the journal is pruned as a whole; a delivery may be of several organizations',
  },
  'src/modules/privacy/expire-exports.ts': {
    queries: 1,
    reason: 'files that were kept long enough are found as a whole',
  },
  'src/modules/organizations/retention/service.ts': {
    queries: 4,
    reason: 'its key is the organization; the nights of all are looked at',
  },
  'src/modules/inbound/replay.ts': {
    queries: 1,
    reason: 'a single row was found through the scope',
  },
  'src/modules/inbound/select.ts': {
    queries: 4,
    reason: 'a super admin replays what fits, of whatever organization',
  },
  'src/modules/inbound/journal/staging-queue.ts': {
    queries: 1,
    reason: 'the age of the whole backlog',
  },
}

/**
 * Queries of tenant tables without `inOrganization`, itself or through a name of the same file that
 * stands for it.
 */
function unscoped(files: Source[]): string[] {
  const tables = tenantTablesOf(files)
  const begin = new RegExp(`\\.(?:from|update|delete)\\(\\s*(?:${tables.join('|')})\\s*\\)`, 'g')
  return files
    .filter(({ path }) => path.startsWith('src/modules/') && !isTable(path))
    .flatMap((source) => {
      const text = codeOf(source)
      const scoped = [
        ...text.matchAll(/const (\w+)(?:(?!\n\s*const |\n\n)[^])*?\binOrganization\(/g),
      ].map((match) => match[1])
      const proof = new RegExp(
        `\\b(?:inOrganization|${[...scoped, 'inOrganization'].join('|')})\\b`,
      )
      const found = [...text.matchAll(begin)].filter((match) => {
        const rest = text.slice(match.index)
        const end = /\.(?:all|get|run|prepare)\(|\n\n/.exec(rest)
        return !proof.test(rest.slice(0, end?.index ?? 600))
      })
      const allowed = ACROSS_ORGANIZATIONS[source.path]?.queries ?? 0
      return found.length === allowed
        ? []
        : found.map(
            (match) =>
              `${source.path}:${lineAt(text, match.index)}: ${match[0]} without inOrganization`,
          )
    })
}
