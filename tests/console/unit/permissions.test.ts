import { describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { PLACES } from '../../../src/console/app/places'
import { BOT_SCREENS } from '../../../src/console/pages/bot/sections'
import { GROUPS } from '../../../src/console/pages/settings/sections'
import { CONTACT_LISTS } from '../../../src/console/parts/contact/lists'
import { TEMPLATE_LISTS } from '../../../src/console/parts/template/lists'
import { declarations, screensOf, type Declaration, type Screen } from './screen-graph'

const ROOT = join(import.meta.dir, '../../..')
const TABLE = join(ROOT, 'src/console/permissions.md')
const document = JSON.parse(readFileSync(join(ROOT, 'tests/contract/openapi.json'), 'utf8')) as {
  paths: Record<string, Record<string, { 'x-permission'?: string }>>
}

/** What the server asks for each operation, in its words: `session or teams:read`. */
const rules = new Map(
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { 'x-permission': rule = '' }]) => [
      `${method.toUpperCase()} ${path}`,
      rule,
    ]),
  ),
)

/** The permissions that an operation names, any of which suffices. */
const namedBy = (operation: string): string[] =>
  (rules.get(operation) ?? '').split(' ').filter((word) => word.includes(':'))

/** The permissions of which a signed-in user needs one for an operation. */
const permissionsOf = (operation: string): string[] =>
  rules.get(operation)?.startsWith('session or ') === true ? [] : namedBy(operation)

/** Operations that ask with a body and change nothing. */
const ASKS = /\/(?:search|preview|dry-run|validate|render)$/
const isRead = (operation: string): boolean => operation.startsWith('GET ') || ASKS.test(operation)

/** Declarations whose verbs are run, or which are opened, by others that ask for them. */
const RUN_BY: Readonly<Record<string, readonly string[]>> = {
  'pages/analytics/board.tsx#Board': ['pages/analytics/board.tsx#BoardActions'],
  'pages/campaigns/campaign-actions.tsx#CopyDialog': ['pages/campaigns/campaign-actions.tsx#More'],
  'pages/contacts/new-contact.tsx#NewContact': ['pages/contacts/contacts.tsx#Actions'],
  'pages/inbox/list/bulk.ts#send': ['pages/inbox/list/list-pane.tsx#ListPane'],
  'pages/inbox/new-message.tsx#NewMessage': ['pages/inbox/new-message.tsx#useNewMessage'],
  'pages/inbox/thread/actions.ts#useActions': [
    'pages/inbox/thread/head-actions.tsx#HeadActions',
    'pages/inbox/thread/head-actions.tsx#HeadMenu',
    'pages/inbox/composer/owner-notice.tsx#OwnerNotice',
  ],
  'parts/contact/notes.tsx#NoteDialog': ['parts/contact/notes.tsx#OwnButtons'],
  'pages/settings/number/row.tsx#loadTemplates': ['pages/settings/number/trouble-list.tsx#Help'],
  'pages/settings/queue/number-queue.tsx#NumberQueue': [
    'pages/settings/queue/number-queue.tsx#Buttons',
  ],
  'pages/settings/queue/number-queue.tsx#PauseDialog': [
    'pages/settings/queue/number-queue.tsx#Buttons',
  ],
}
/** What a screen never calls, although its code could. */
const NEVER: Readonly<Record<string, string>> = {
  '/campaigns/$campaignId/edit: POST /api/campaigns': 'its campaign is already there',
}

const isHelper = ({ name }: Pick<Declaration, 'name'>): boolean =>
  /^(?:use)?(?:may|can|takes)[A-Z]/i.test(name)
const isConstant = ({ name }: Pick<Declaration, 'name'>): boolean => /^[A-Z][A-Z_]+$/.test(name)
const fileOf = (id: string): string => id.slice(0, id.indexOf('#'))

/** The permissions that a declaration asks for itself, by a helper, or by the frame around it. */
const asked = new Map<string, ReadonlySet<string>>()
function askedBy(id: string): ReadonlySet<string> {
  const known = asked.get(id)
  const own = declarations.get(id)
  if (known || !own) return known ?? new Set()
  asked.set(id, own.permissions) // for circles
  const all = new Set(own.permissions)
  for (const one of own.uses) {
    const used = declarations.get(one)
    if (!used) continue
    const isOwnList = isConstant(used) && fileOf(one) === fileOf(id)
    if (isHelper(used) || isOwnList || (isConstant(used) && used.permissions.size === 1))
      for (const permission of askedBy(one)) all.add(permission)
    if (used.isFrame) for (const permission of needsOf(one)) all.add(permission)
  }
  asked.set(id, all)
  return all
}

/** The permissions that a declaration gives to a part as what it `needs`. */
function needsOf(id: string): Set<string> {
  const own = declarations.get(id)
  return new Set(
    [...(own?.needs ?? [])].flatMap((one) =>
      one.includes('#') ? [...askedBy(one)] : one === '' ? [] : [one],
    ),
  )
}

/** Everything that is reached from some declarations, with the one it was reached from. */
function reached(from: readonly string[], isEnd: (id: string) => boolean): Map<string, string> {
  const found = new Map<string, string>()
  const todo = from.map((id): [string, string] => [id, ''])
  for (const [id, by] of todo) {
    if (found.has(id) || !declarations.has(id) || isEnd(id)) continue
    found.set(id, by)
    for (const one of declarations.get(id)?.uses ?? []) todo.push([one, id])
  }
  return found
}

const operationsOf = (ids: Iterable<string>): Set<string> =>
  new Set([...ids].flatMap((id) => [...(declarations.get(id)?.operations ?? [])]))

/** How a declaration is reached: `Buttons < Panel < Contact`. */
function wayTo(id: string, found: ReadonlyMap<string, string>): string {
  const by = found.get(id) ?? ''
  const name = id.slice(id.indexOf('#') + 1)
  return by === '' ? name : `${name} < ${wayTo(by, found)}`
}

/** What a screen calls although somebody may be there who has none of the permissions for it. */
function unasked({ address, shows }: Screen): string[] {
  const frames = shows.slice(0, -1).flatMap((id) => [...askedBy(id)])
  const all = [...reached(shows, () => false).keys()]
  const sets = new Map(
    [...operationsOf(all)].map((operation) => {
      const pairs = permissionsOf(operation)
      return [pairs.join(), pairs] as const
    }),
  )
  return [...sets].flatMap(([key, pairs]) => {
    if (pairs.length === 0 || pairs.some((pair) => frames.includes(pair))) return []
    const free = reached(shows, (id) => pairs.some((pair) => askedBy(id).has(pair)))
    return [...free.keys()].flatMap((id) =>
      [...(declarations.get(id)?.operations ?? [])]
        .filter((one) => permissionsOf(one).join() === key)
        .filter((one) => NEVER[`${address}: ${one}`] === undefined)
        .filter(() => !(RUN_BY[id] ?? []).some((by) => pairs.some((pair) => askedBy(by).has(pair))))
        .map((one) => `${address}: ${one} (${key}) in ${wayTo(id, free)}`),
    )
  })
}

/** What is around every screen. */
const SHELL: Screen = { address: '*', shows: ['app/shell.tsx#Shell'] }
const routed = screensOf()
const frames = new Set(routed.flatMap(({ shows }) => shows.slice(0, -1)))
const screens = [SHELL, ...routed.filter(({ shows }) => !frames.has(shows.at(-1) ?? ''))].toSorted(
  (one, other) => (one.address < other.address ? -1 : 1),
)

/** The permissions that a declaration needs, or the parts of which it shows one. */
function neededFor(id: string): string[] {
  const own = needsOf(id)
  if (own.size > 0) return [...own]
  const parts = [...(declarations.get(id)?.uses ?? [])].map(needsOf).filter(({ size }) => size > 0)
  return [...(parts[0] ?? [])].filter((permission) => parts.every((one) => one.has(permission)))
}

/** All permissions that a screen needs to be seen; of those of its frames what it calls with. */
function needsOfScreen({ shows }: Screen): string[] {
  const own = neededFor(shows.at(-1) ?? '')
  const called = new Set([...calledIn(shows)].map((one) => permissionsOf(one).join()))
  const around = shows.slice(0, -1).flatMap(neededFor)
  return own.length > 0 ? own : around.filter((one) => called.has(one))
}

/** The lists of which a field offers the entries, by the kind that its user names. */
const KINDS = {
  team: 'teams',
  tag: 'tags',
  account: 'accounts',
  role: 'roles',
  campaign: 'campaigns',
}
const FOUND = 'parts/found-select.tsx'

/** What the code of a screen calls, of the lists in fields only those that it names. */
function calledIn(shows: readonly string[]): Set<string> {
  const all = [...reached(shows, () => false).keys()]
  const words = all.flatMap((id) => {
    const { uses = new Set<string>(), words: own = [] } = declarations.get(id) ?? {}
    const isUser = [...uses].some((one) => fileOf(one) === FOUND || one.endsWith('#FoundFilter'))
    const lists = [...uses].filter((one) => isConstant({ name: one.slice(one.indexOf('#') + 1) }))
    return isUser && fileOf(id) !== FOUND
      ? [...own, ...lists.flatMap((one) => [...(declarations.get(one)?.words ?? [])])]
      : []
  })
  const wanted = Object.entries(KINDS).flatMap(([kind, list]) =>
    words.includes(kind) ? [list] : [],
  )
  return new Set([
    ...operationsOf(all.filter((id) => fileOf(id) !== FOUND)),
    ...[...operationsOf(all.filter((id) => fileOf(id) === FOUND))].filter((one) =>
      wanted.includes(one.split('/')[2] ?? ''),
    ),
  ])
}

/** A line of the table: a screen, what it needs, what it shows and lets change besides. */
function lineOf(screen: Screen): string {
  const { address, shows } = screen
  const needs = needsOfScreen(screen)
  const called = [...calledIn(shows)].filter((one) => NEVER[`${address}: ${one}`] === undefined)
  const of = (operations: readonly string[]): string[] =>
    [...new Set(operations.map((one) => namedBy(one).toSorted().join(' or ')))].filter(
      (one) => one !== '',
    )
  const more = of(called.filter(isRead)).filter((one) => !needs.includes(one))
  const changes = of(called.filter((one) => !isRead(one)))
  const cells = [[address], needs, more, changes].map((words) =>
    words
      .toSorted()
      .map((one) =>
        one
          .split(' or ')
          .map((word) => ['', word, ''].join('`'))
          .join(' or '),
      )
      .join(', '),
  )
  return `| ${cells.join(' | ')} |`
}

const TEXT = `# What each screen asks for

Generated from the routes that the code of a screen calls, and the permissions that the API's document
says for them, by \`UPDATE_TABLE=1 bun test tests/console/unit/permissions.test.ts\`. That test also finds a
screen, a button or a list that does not ask for the permission of what it calls.

| Screen | Needs | Shows more with | Lets change with |
| --- | --- | --- | --- |
${screens.map(lineOf).join('\n')}
`

/** Where the console leads from everywhere, with what a user needs to see the way. */
const ways: { to: string; needs: readonly string[] }[] = [
  ...CONTACT_LISTS,
  ...BOT_SCREENS,
  ...TEMPLATE_LISTS,
  ...GROUPS.flatMap(({ sections }) => sections),
  // the first screen of analytics depends on the user, that of the settings is one's own
  ...PLACES.filter(({ to }) => to !== '/analytics' && to !== '/settings'),
]

describe('every screen', () => {
  test('is found with its code', () => {
    expect(screens.length).toBeGreaterThan(55)
    for (const { shows } of screens)
      for (const id of shows) expect(declarations.has(id), id).toBe(true)
  })

  test('calls only what the document of the API has', () => {
    const all = screens.flatMap(({ shows }) => [
      ...operationsOf(reached(shows, () => false).keys()),
    ])
    expect(new Set(all).size).toBeGreaterThan(200)
    expect([...new Set(all)].filter((one) => !rules.has(one))).toEqual([])
  })

  test('asks for the permission of everything that it calls', () => {
    expect(screens.flatMap(unasked)).toEqual([])
  })

  test('needs only permissions of what it calls', () => {
    const idle = screens.flatMap((screen) => {
      const called = [...calledIn(screen.shows)]
      if (called.length === 0) return []
      const all = new Set(called.flatMap(namedBy))
      return needsOfScreen(screen)
        .filter((one) => !all.has(one))
        .map((one) => `${screen.address} needs ${one}`)
    })
    expect(idle).toEqual([])
  })

  test('has a way that is shown to whoever may see it', () => {
    expect(ways.length).toBeGreaterThan(20)
    for (const { to, needs } of ways) {
      const screen = screens.find(({ address }) => address === to)
      expect({ to, needs: [...needs].toSorted() }).toEqual({
        to,
        needs: screen ? needsOfScreen(screen).toSorted() : ['a screen'],
      })
    }
  })

  test('stands in the table', () => {
    if (process.env['UPDATE_TABLE'] === '1') writeFileSync(TABLE, TEXT)
    expect(readFileSync(TABLE, 'utf8')).toBe(TEXT)
  })
})
