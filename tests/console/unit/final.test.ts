import { describe, expect, test } from 'bun:test'

import { declarations, type Declaration } from './screen-graph'

/** Verbs that take something away. */
const TAKES_AWAY =
  /^DELETE |^POST .*\/(?:2fa\/reset|cancel|disable|discard|dismiss|logout-all|revoke-secret)$/

const TYPED = 'pages/server/typed-dialog.tsx#TypedDialog'
/** What asks with the name of what is taken away. */
const ASKING = new Set([
  'pages/settings/delete-dialog.tsx#DeleteDialog',
  'parts/dialog.tsx#Confirm',
  'parts/form-dialog.tsx#FormDialog',
  TYPED,
])

/** What is done at once, and how it comes back. */
const COMES_BACK: Readonly<Record<string, string>> = {
  'DELETE /api/me/sessions/{id}': 'the person signs in again there',
  'DELETE /api/teams/{id}/members/{user_id}': 'its note undoes it',
  'DELETE /api/users/{id}/sessions/{session_id}': 'the person signs in again there',
  'DELETE /api/webhooks/{id}/replays/{replay_id}': 'what was left out can be replayed',
}

const inArea = (area: string): Declaration[] =>
  [...declarations.values()].filter(({ id }) => id.startsWith(`pages/${area}/`))
const taking = (one: Declaration): string[] =>
  [...one.operations].filter((operation) => TAKES_AWAY.test(operation))

describe('what is final', () => {
  test('is done on the pages of the server when its name is typed, not after a mere question', () => {
    const all = inArea('server')
    const verbs = all.flatMap((one) => taking(one).map((operation) => ({ one, operation })))
    expect(new Set(verbs.map(({ operation }) => operation)).size).toBe(6)
    const untyped = verbs.filter(({ one }) => !one.uses.has(TYPED))
    expect(untyped.map(({ one, operation }) => `${one.id}: ${operation}`)).toEqual([])
    expect(all.filter(({ uses }) => uses.has('parts/dialog.tsx#Confirm'))).toEqual([])
  })

  test('is asked in the settings, unless it comes back', () => {
    const verbs = inArea('settings').flatMap((one) =>
      taking(one).map((operation) => ({ one, operation })),
    )
    expect(verbs.length).toBeGreaterThan(20)
    const unasked = verbs
      .filter(({ one }) => ![...one.uses].some((used) => ASKING.has(used)))
      .map(({ operation }) => operation)
    expect(new Set(unasked)).toEqual(new Set(Object.keys(COMES_BACK)))
  })
})

test.each([
  'DELETE /api/contact-attributes/{id}',
  'DELETE /api/tags/{id}',
  'POST /api/outbox/cancel',
])('the number of many people is typed before %s', (verb) => {
  const callers = [...declarations.values()].filter(({ operations }) => operations.has(verb))
  expect(callers.length).toBeGreaterThan(0)
  const untyped = callers.filter(({ uses }) => !uses.has('parts/dialog.tsx#typedFor'))
  expect(untyped.map(({ id }) => id)).toEqual([])
})

/** Operations that answer a secret which cannot be read again. */
const TELLS_SECRET = [
  'POST /api/api-keys',
  'POST /api/me/2fa/backup-codes',
  'POST /api/me/2fa/enable',
  'POST /api/organizations/invitations',
  'POST /api/users/{id}/password-reset',
  'POST /api/webhooks',
  'POST /api/webhooks/{id}/rotate-secret',
]

test.each(TELLS_SECRET)('what %s answers is shown once, until the person has stored it', (verb) => {
  const callers = [...declarations.values()].filter(({ operations }) => operations.has(verb))
  expect(callers.length).toBeGreaterThan(0)
  const showing = (one: Declaration): boolean =>
    [...one.uses].some(
      (used) =>
        used === 'parts/secret-dialog.tsx#SecretDialog' ||
        declarations.get(used)?.uses.has('parts/secret-dialog.tsx#SecretDialog') === true,
    )
  expect(callers.filter((one) => !showing(one)).map(({ id }) => id)).toEqual([])
})
