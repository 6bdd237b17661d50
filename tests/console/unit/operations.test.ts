import { describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { declarations, screensOf, type Screen } from './screen-graph'

const ROOT = join(import.meta.dir, '../../..')
const TABLE = join(ROOT, 'src/console/operations.md')
const { paths } = JSON.parse(readFileSync(join(ROOT, 'tests/contract/openapi.json'), 'utf8')) as {
  paths: Record<string, Record<string, { summary?: string }>>
}
const operations = Object.entries(paths)
  .flatMap(([path, methods]) => Object.keys(methods).map((one) => `${one.toUpperCase()} ${path}`))
  .toSorted()

/** Pages of the server itself that stand beside the console. */
const PAGES = 'src/http/link-pages.ts'
const SESSION = 'src/console/api/session.ts'
const IMPORT = 'src/console/pages/import/run.tsx'
/** What is called by an address instead of by name, with the file where the address stands. */
const BY_ADDRESS: Readonly<Record<string, string>> = {
  'GET /api/analytics/unsubscribe/{token}':
    'src/modules/insight/analytics/scheduled/unsubscribe/service.ts',
  'GET /api/me': SESSION,
  'GET /api/media/{id}/thumbnail': 'src/console/pages/flow/card.tsx',
  'GET /ws': 'src/console/live/socket.ts',
  'POST /api/auth/invitations/preview': PAGES,
  'POST /api/auth/login': SESSION,
  'POST /api/auth/logout': SESSION,
  'POST /api/auth/password/reset': PAGES,
  'POST /api/auth/refresh': SESSION,
  'POST /api/auth/register': PAGES,
  'POST /api/auth/switch-org': SESSION,
  'POST /api/imports/{id}/commit': IMPORT,
  'POST /api/imports/{id}/undo': IMPORT,
}

const ONE = 'one entry; people see it in its list'
const OWNER = 'an older way to do what `PUT /api/conversations/{id}/owner` does'
const SENDING = 'sends by number or contact; people write in a conversation'
const META = 'WhatsApp calls it'
const SERVERS = 'another server of the same installation calls it'
const MONITORING = 'programs that watch the server call it'
const DOCUMENT = 'a document for programs'
const MEMBERS = 'adds and changes without asking; people invite by mail, and change users'
const FILES = 'a link or fact about a file for programs; people see the file itself'
/** Operations that no person needs a screen for, each with the reason. */
const FOR_PROGRAMS: Readonly<Record<string, string>> = {
  'DELETE /api/media/{id}': 'takes back an upload of a program; people delete contacts',
  'DELETE /api/organizations/members/{member_id}': MEMBERS,
  'GET /api/admin/backups/{id}': ONE,
  'GET /api/admin/organizations/{id}/move': ONE,
  'GET /api/api-keys/{id}': ONE,
  'GET /api/audit-logs/{id}': ONE,
  'GET /api/campaigns/{id}/media': FILES,
  'GET /api/canned-responses/{id}': ONE,
  'GET /api/chatbot/transfers/{id}': ONE,
  'GET /api/contact-attributes/{id}': ONE,
  'GET /api/conversations/presence': 'for frontends that open a socket without a start answer',
  'GET /api/custom-actions/redirect/{token}': 'the address that an action opens',
  'GET /api/exports/{id}': ONE,
  'GET /api/logos/{name}': 'the picture of an organization, shown by its address',
  'GET /api/media/signed/{token}': FILES,
  'GET /api/media/{id}/info': FILES,
  'GET /api/orders/{id}': ONE,
  'GET /api/organizations/current': 'people have it from their start answer',
  'GET /api/organizations/members': 'people see users',
  'GET /api/organizations/settings': 'people have them from their start answer',
  'GET /api/organizations/{id}/archives/{archive_id}': ONE,
  'GET /api/scheduled-messages/{id}': ONE,
  'GET /api/segments/{id}/contacts': 'people see a segment with `POST /api/contacts/search`',
  'GET /api/users/{id}': ONE,
  'GET /api/webhook': META,
  'GET /asyncapi.json': DOCUMENT,
  'GET /health': MONITORING,
  'GET /metrics': MONITORING,
  'GET /openapi.json': DOCUMENT,
  'GET /ready': MONITORING,
  'POST /api/analytics/unsubscribe/{token}': 'programs for mail call it with one press',
  'POST /api/cells/deliveries': SERVERS,
  'POST /api/cells/flow-exchanges': SERVERS,
  'POST /api/cells/moves': SERVERS,
  'POST /api/chatbot/transfers': OWNER,
  'POST /api/contacts/{id}/mark-read': 'people read a conversation, not a contact',
  'POST /api/contacts/{id}/messages': SENDING,
  'POST /api/conversations/{id}/release': OWNER,
  'POST /api/flows/endpoint/{account_id}': META,
  'POST /api/me/invitations/accept': 'for other frontends; people join by the page of their link',
  'POST /api/media/{id}/link': FILES,
  'POST /api/messages': SENDING,
  'POST /api/messages/media': SENDING,
  'POST /api/messages/template': SENDING,
  'POST /api/organizations/members': MEMBERS,
  'POST /api/users': MEMBERS,
  'POST /api/webhook': META,
  'PUT /api/chatbot/transfers/{id}': OWNER,
  'PUT /api/conversations/{id}/assign': OWNER,
  'PUT /api/messages/{id}/read': 'people read a conversation, not a message',
  'PUT /api/organizations/members/{member_id}': MEMBERS,
}

/** What is around every screen, and what runs without one. */
const EVERYWHERE: Screen = {
  address: 'everywhere',
  shows: [...declarations.keys()].filter((id) => /^(?:app|live|api)\//.test(id)),
}

/** Everything that some declarations use, at once or later. */
function usedBy(shows: readonly string[], isEnd: (id: string) => boolean): Set<string> {
  const seen = new Set<string>()
  const todo = [...shows]
  for (const id of todo) {
    if (seen.has(id) || isEnd(id)) continue
    seen.add(id)
    todo.push(...(declarations.get(id)?.uses ?? []))
  }
  return seen
}

/** The addresses of the screens that call each operation. */
const addresses = new Map<string, Set<string>>()
const screens = [
  ...screensOf().map(({ address, shows }) => ({ address, ids: usedBy(shows, () => false) })),
  // the pages are reached from the router; each is counted with its own address
  {
    address: EVERYWHERE.address,
    ids: usedBy(EVERYWHERE.shows, (id) => /^pages\/(?!sign-in)/.test(id)),
  },
]
for (const { address, ids } of screens)
  for (const id of ids)
    for (const one of declarations.get(id)?.operations ?? [])
      addresses.set(one, (addresses.get(one) ?? new Set()).add(address))

/** Addresses that are named for one operation. */
const SHOWN = 3

/** Where people find an operation, or why they need not. */
function placeOf(operation: string): string {
  const found = [...(addresses.get(operation) ?? [])].toSorted()
  if (found.includes(EVERYWHERE.address)) return EVERYWHERE.address
  if (found.length > 0) {
    const more = found.length > SHOWN ? ` and ${found.length - SHOWN} more` : ''
    const names = found.slice(0, SHOWN).map((one) => ['', one, ''].join('`'))
    return names.join(', ') + more
  }
  if (BY_ADDRESS[operation] !== undefined) return 'by its address'
  return `for programs: ${FOR_PROGRAMS[operation]}`
}

const TEXT = `# Where people find each operation of the API

Generated by \`UPDATE_TABLE=1 bun test tests/console/unit/operations.test.ts\`, which fails for an operation
that neither a screen calls nor is one for programs.

| Operation | Screen |
| --- | --- |
${operations.map((one) => `| \`${one}\` | ${placeOf(one)} |`).join('\n')}
`

describe('every operation', () => {
  test('has a screen, or is one for programs', () => {
    const open = operations.filter(
      (one) => !addresses.has(one) && !(one in BY_ADDRESS) && !(one in FOR_PROGRAMS),
    )
    expect(open).toEqual([])
  })

  test('for programs is called by no screen', () => {
    expect(Object.keys(FOR_PROGRAMS).filter((one) => addresses.has(one))).toEqual([])
    expect(Object.keys(FOR_PROGRAMS).filter((one) => !operations.includes(one))).toEqual([])
  })

  test('that is called by its address has that address in its file', () => {
    for (const [operation, file] of Object.entries(BY_ADDRESS)) {
      expect(operations).toContain(operation)
      const path = operation.replace(/^\w+ /, '')
      const words = path
        .split(/\{\w+\}/)
        .map((part) => part.replaceAll(/^\/|\/$/g, ''))
        .filter((part) => part !== '')
      const text = readFileSync(join(ROOT, file), 'utf8')
      for (const word of words) expect(text, `${operation} in ${file}`).toContain(word)
    }
  })

  test('stands in the table', () => {
    if (process.env['UPDATE_TABLE'] === '1') writeFileSync(TABLE, TEXT)
    expect(readFileSync(TABLE, 'utf8')).toBe(TEXT)
  })
})
