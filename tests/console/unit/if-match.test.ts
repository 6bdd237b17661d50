import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '../../..')
const CONSOLE = join(ROOT, 'src/console')
const { paths } = JSON.parse(readFileSync(join(ROOT, 'tests/contract/openapi.json'), 'utf8')) as {
  paths: Record<string, { put?: { parameters?: { $ref?: string }[] } }>
}

const OWN = 'it is of the person who changes it'
const SWITCH = 'one field, set at once'
const DECISION = 'one decision, taken at once'
const WHATSAPP = 'WhatsApp keeps it and says no time, so it is read and compared before it is saved'
/** How the calls of a number are compared, beside their form. */
const CALLING = readFileSync(join(CONSOLE, 'pages/settings/number/calling-merge.ts'), 'utf8')

/** Why a change names no version, by its operation, or where one file only does not name it. */
const WITHOUT: Readonly<Record<string, string>> = {
  '/api/accounts/{id}/business_profile': WHATSAPP,
  '/api/accounts/{id}/calling': WHATSAPP,
  '/api/accounts/{id}/entry-points': WHATSAPP,
  '/api/analytics/board/organization in pages/analytics/board.tsx':
    'somebody gives their own board to everybody, whatever was there',
  '/api/chatbot/ai-contexts/{id} in pages/bot/ai/sources.tsx': SWITCH,
  '/api/chatbot/ai-questions/{id}': DECISION,
  '/api/chatbot/flows/{id} in pages/flow/flow-menu.tsx': SWITCH,
  '/api/chatbot/flows/{id} in pages/flow/publish-dialog.tsx': SWITCH,
  '/api/chatbot/settings in pages/flow/publish-dialog.tsx': SWITCH,
  '/api/chatbot/keywords/{id} in pages/bot/rules/verbs.tsx': SWITCH,
  '/api/chatbot/transfers/{id}/assign': DECISION,
  '/api/chatbot/transfers/{id}/resume': DECISION,
  '/api/contacts/{id}/apart/{other_id}': DECISION,
  '/api/contacts/{id}/assign': SWITCH,
  '/api/contacts/{id}/notes/{note_id}': 'one field, which only its author writes',
  '/api/contacts/{id}/tags': 'only the tag that was pressed is sent, whatever others change',
  '/api/conversations/{id}': SWITCH,
  '/api/conversations/{id}/owner': DECISION,
  '/api/imports/{id}': 'a step of a draft, which its file belongs to',
  '/api/me': OWN,
  '/api/me/availability': OWN,
  '/api/me/password': OWN,
  '/api/me/settings': OWN,
  '/api/orders/{id}': SWITCH,
  '/api/organizations/branding': SWITCH,
  '/api/roles/{id} in pages/settings/roles/roles.tsx': SWITCH,
  '/api/setup': SWITCH,
  '/api/teams/{id}/members/{user_id}': SWITCH,
  '/api/users/{id} in pages/settings/people.tsx': SWITCH,
  '/api/users/{id}/availability': SWITCH,
}

/** The changes of the console: the operation, the file, and whether it names the version it saw. */
const changes = [...new Bun.Glob('**/*.{ts,tsx}').scanSync(CONSOLE)].flatMap((path) => {
  const code = readFileSync(join(CONSOLE, path), 'utf8')
  return [...code.matchAll(/\bcall\(\s*'PUT ([^']+)'/g)].map(({ index, 1: operation = '' }) => {
    let depth = 0
    let end = index + 'call'.length
    do {
      if (code[end] === '(') depth += 1
      if (code[end] === ')') depth -= 1
      end += 1
    } while (depth > 0)
    const given = code.slice(index, end)
    // what is sent may be put together before
    const isNamed = /',\s*\w+\s*\)$/.test(given)
    return { operation, path, names: /\bifMatch\b/.test(isNamed ? code : given) }
  })
})

test('who changes what others may change says what they saw, or there is a reason', () => {
  const silent = changes.filter(({ names }) => !names)
  const why = ({ operation, path }: (typeof changes)[number]): string | undefined =>
    WITHOUT[operation] ?? WITHOUT[`${operation} in ${path}`]
  expect(silent.filter((one) => why(one) === undefined)).toEqual([])
  const known = new Set(
    silent.flatMap(({ operation, path }) => [operation, `${operation} in ${path}`]),
  )
  expect(Object.keys(WITHOUT).filter((one) => !known.has(one))).toEqual([])
})

test('what names a version is compared by the server', () => {
  const compared = (operation: string): boolean =>
    JSON.stringify(paths[operation]?.put?.parameters ?? []).includes('IfMatch')
  const named = changes.filter(({ names }) => names).map(({ operation }) => operation)
  expect(named.filter((one) => !compared(one))).toEqual([])
  expect(new Set(named).size).toBeGreaterThan(20)
})

test('what WhatsApp keeps is read before it is saved', () => {
  const kept = Object.keys(WITHOUT).filter((operation) => WITHOUT[operation] === WHATSAPP)
  for (const operation of kept) {
    const readers = changes
      .filter((one) => one.operation === operation)
      .map(({ path }) => readFileSync(join(CONSOLE, path), 'utf8'))
      .map((code) => (code.includes("from './calling-merge'") ? code + CALLING : code))
    // links are read by what changes one of them
    const isRead = (code: string): boolean =>
      code.includes(`now: () => call('GET ${operation}'`) ||
      code.includes(`await call('GET ${operation}'`)
    expect(readers.filter((code) => !isRead(code))).toEqual([])
  }
})
