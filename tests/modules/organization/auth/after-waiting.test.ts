import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'

import type { Answer, Client, Loose } from '../../../support/client'
import { joinToo, personWith, type OwnRole } from '../../../support/people'
import { codeOf, switchOn } from '../../../support/second-factor'
import { auditOf, claimsOf } from '../../../support/tokens'
import { AT_HASHES, proofsOf, PROOFS_FROM_HERE, whileWaiting } from '../../../support/waiting'
import { PASSWORD, World } from '../../../support/world'

let world: World
let admin: Client
let person: OwnRole
let me: Client

beforeAll(async () => {
  world = await World.create({ isConnected: false })
})

afterAll(() => world.stop())

beforeEach(async () => {
  world.clock.advance({ minutes: 16 })
  admin = await world.as('admin')
  person = await personWith(world, [])
  me = person.client
})

const NEXT = 'a better horse, a better battery'
const verdict = ({ status, body }: Answer<unknown>): [number, string | undefined] => [
  status,
  body.code,
]

/** Own verbs that wait, with what must be there before; answers what to ask and where it waits. */
type Verb = () => Promise<[ask: () => Promise<Answer<Loose>>, place?: string]>

const VERBS: [what: string, verb: Verb][] = [
  [
    'PUT /api/me with a new e-mail',
    async () => [
      () =>
        me.put('/api/me', {
          email: `new-${person.userId}@example.com`,
          full_name: 'Gone',
          current_password: PASSWORD,
        }),
    ],
  ],
  [
    'PUT /api/me/password',
    async () => [
      () => me.put('/api/me/password', { current_password: PASSWORD, new_password: NEXT }),
    ],
  ],
  [
    'POST /api/me/2fa/setup',
    async () => [() => me.post('/api/me/2fa/setup', { current_password: PASSWORD })],
  ],
  [
    'POST /api/me/2fa/enable',
    async () => {
      const { data } = await me.post('/api/me/2fa/setup', { current_password: PASSWORD })
      return [
        () => me.post('/api/me/2fa/enable', { code: codeOf(world, data['secret'] as string) }),
        proofsOf(person.email),
      ]
    },
  ],
  ...['disable', 'backup-codes'].flatMap((what): [string, Verb][] => {
    const path = `/api/me/2fa/${what}`
    const withCode = async (): Promise<() => Promise<Answer<Loose>>> => {
      const { secret } = await switchOn(world, me)
      return () => me.post(path, { current_password: PASSWORD, code: codeOf(world, secret) })
    }
    return [[`POST ${path}`, async () => [await withCode()]]]
  }),
  [
    'POST /api/me/invitations/accept',
    async () => {
      const { data } = await (
        await world.as('admin', world.other)
      ).post('/api/organizations/invitations', { email: person.email })
      return [
        () => me.post('/api/me/invitations/accept', { token: data['token'] }),
        PROOFS_FROM_HERE,
      ]
    },
  ],
]

const WAYS: [how: string, end: () => Promise<unknown>, code: string][] = [
  ['the sign-in ended', () => endSignIn(), 'session_ended'],
  [
    'the person was suspended',
    () => admin.put(`/api/users/${person.userId}`, { is_active: false }),
    'membership_ended',
  ],
  ['the person was removed', () => admin.delete(`/api/users/${person.userId}`), 'membership_ended'],
]

async function endSignIn(): Promise<void> {
  const { status } = await other.delete(`/api/me/sessions/${claimsOf(me.token).sid}`)
  expect(status).toBe(200)
}

let other: Client

/** Everything that an own verb could have written. */
const written = (): unknown => [
  world.rows('select * from users where id = ?', person.userId),
  world.rows('select * from backup_codes where user_id = ?', person.userId),
  world.rows('select * from memberships where user_id = ?', person.userId),
  world.rows('select * from sessions where user_id = ?', person.userId),
  world.rows('select * from audit_logs where user_id = ?', person.userId),
]

describe('a caller is checked again after a wait, and a rejection writes nothing', () => {
  for (const [what, verb] of VERBS)
    for (const [how, end, code] of WAYS)
      test(`${what}, when ${how} meanwhile`, async () => {
        other = await world.signIn(person.email)
        const [ask, place = AT_HASHES] = await verb()
        let before: unknown = null
        const answer = await whileWaiting(world, place, ask, async () => {
          await end()
          before = written()
        })
        expect([verdict(answer), written()]).toEqual([[401, code], before])
      })

  test('two-factor authentication cannot be set up if the password was changed meanwhile', async () => {
    const answer = await whileWaiting(
      world,
      AT_HASHES,
      () => me.post('/api/me/2fa/setup', { current_password: PASSWORD }),
      async () =>
        world.rows(
          "update users set password_hash = password_hash || 'x' where id = ?",
          person.userId,
        ),
    )
    expect(verdict(answer)).toEqual([400, 'wrong_password'])
  })
})

describe('PUT /api/me changes only the given fields', () => {
  const newEmail = (): string => `new-${person.userId}@example.com`
  const changesOf = (): Loose[] =>
    auditOf(world, 'updated')
      .filter(({ resource_id: id, resource_type: type }) => id === person.userId && type === 'user')
      .map(({ changes }) => JSON.parse(changes) as Loose)

  test('keeps a name that was set while the password was verified', async () => {
    const answer = await whileWaiting(
      world,
      AT_HASHES,
      () => me.put('/api/me', { email: newEmail(), current_password: PASSWORD }),
      () => me.put('/api/me', { full_name: 'Ada Lovelace' }),
    )
    expect(answer.data).toMatchObject({ email: newEmail(), full_name: 'Ada Lovelace' })
    expect(changesOf()).toEqual([
      [{ field: 'full_name', old_value: 'Own Role', new_value: 'Ada Lovelace' }],
      [{ field: 'email', old_value: person.email, new_value: newEmail() }],
    ])
  })

  test('keeps a default organization chosen meanwhile, and the audit log has the current values', async () => {
    joinToo(world, person.userId, world.other)
    const answer = await whileWaiting(
      world,
      AT_HASHES,
      () =>
        me.put('/api/me', { email: newEmail(), full_name: 'Grace', current_password: PASSWORD }),
      () => me.put('/api/me', { full_name: 'Ada', default_organization_id: world.other.id }),
    )
    expect(answer.data).toMatchObject({
      email: newEmail(),
      full_name: 'Grace',
      default_organization_id: world.other.id,
    })
    expect(changesOf().at(-1)).toEqual([
      { field: 'full_name', old_value: 'Ada', new_value: 'Grace' },
      { field: 'email', old_value: person.email, new_value: newEmail() },
    ])
  })
})
