import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Client, Loose } from '../support/client'
import { World } from '../support/world'

let world: World
let admin: Client
let contactId: string

beforeAll(async () => {
  world = await World.create({ env: { RATE_STANDARD: '0' } })
  admin = await world.as('admin')
  contactId = (await admin.post('/api/contacts', { phone_number: '+1 555 010 8888' })).data[
    'id'
  ] as string
})

afterAll(() => world.stop())

/** Signs that no name and no e-mail may hold. */
const SIGNS = {
  NUL: '\0',
  ESC: '\u001b',
  'a line end': '\n',
  DEL: '\u007f',
  CSI: '\u009b',
  'an override': '\u202e',
  'an isolate': '\u2067',
}

/** Something that people name: where, what of it, and the rest of the body. */
type Place = [method: string, path: string, field: string, rest: () => Loose]

const NAMED: Place[] = [
  ['POST', '/api/organizations', 'name', () => ({})],
  ['PUT', '/api/organizations/settings', 'name', () => ({})],
  ['POST', '/api/roles', 'name', () => ({ permissions: [] })],
  ['PUT', '/api/roles/:role', 'name', () => ({})],
  ['POST', '/api/api-keys', 'name', () => ({ permissions: ['tags:read'] })],
  ['POST', '/api/tags', 'name', () => ({})],
  ['POST', '/api/teams', 'name', () => ({})],
  [
    'POST',
    '/api/custom-actions',
    'name',
    () => ({ action_type: 'url', config: { url: 'https://example.com' } }),
  ],
  [
    'POST',
    '/api/segments',
    'name',
    () => ({ filter: { field: 'country', op: 'eq', value: 'US' } }),
  ],
  ['POST', '/api/canned-responses', 'name', () => ({ content: 'x' })],
  ['POST', '/api/contact-attributes', 'label', () => ({ key: 'own_field', type: 'text' })],
  ['PUT', '/api/accounts/:account', 'name', () => ({})],
  ['POST', '/api/contacts', 'name', () => ({ phone_number: '+1 555 010 7777' })],
  ['PUT', '/api/contacts/:contact', 'name', () => ({})],
  ['POST', '/api/canned-responses', 'category', () => ({ name: 'Hours', content: 'x' })],
  ['PUT', '/api/me', 'full_name', () => ({})],
  [
    'POST',
    '/api/users',
    'full_name',
    () => ({ email: 'somebody@example.com', password: 'a password of its own' }),
  ],
  [
    'POST',
    '/api/auth/register',
    'full_name',
    () => ({
      email: 'somebody@example.com',
      password: 'a password of its own',
      organization_id: world.tenant.id,
    }),
  ],
]

const MAILED: Place[] = [
  [
    'POST',
    '/api/auth/register',
    'email',
    () => ({ password: 'a password of its own', full_name: 'X', organization_id: world.tenant.id }),
  ],
  ['POST', '/api/users', 'email', () => ({ password: 'a password of its own', full_name: 'X' })],
  ['POST', '/api/organizations/invitations', 'email', () => ({})],
  ['POST', '/api/organizations/members', 'email', () => ({})],
  ['PUT', '/api/me', 'email', () => ({ current_password: 'x' })],
]

const send = ([method, path, field, rest]: Place, value: string) =>
  admin.request(
    method,
    path.replaceAll(/:(role|account|contact)/g, (_, thing: 'role') => idOf(thing)),
    { ...rest(), [field]: value },
  )

const idOf = (thing: 'role' | 'account' | 'contact'): string =>
  ({ role: world.tenant.roleIds.agent, account: world.tenant.accountId ?? '', contact: contactId })[
    thing
  ]

describe('a control or formatting character', () => {
  for (const [places, around] of [
    [NAMED, ['Acme ', ' Corp']],
    [MAILED, ['ann', '@example.com']],
  ] as const)
    for (const place of places)
      test(`is rejected in ${place[2]} of ${place[0]} ${place[1]}`, async () => {
        for (const [name, sign] of Object.entries(SIGNS)) {
          const { status, body } = await send(place, around.join(sign))
          const [problem] = body.errors ?? []
          expect({ name, status, path: problem?.path, says: problem?.message }).toEqual({
            name,
            status: 400,
            path: `body.${place[2]}`,
            says: expect.stringContaining('control character') as unknown as string,
          })
        }
      })
})

test('rejects a name of invisible characters only', async () => {
  for (const name of ['\u200b', '\u3164', '\u2800 \u200d', '\ufeff'])
    expect((await admin.post('/api/roles', { name, permissions: [] })).status).toBe(400)
  expect((await admin.put('/api/me', { full_name: '👨‍👩‍👧' })).data['full_name']).toBe('👨‍👩‍👧')
})

test('accepts exactly one visible address as an email', async () => {
  for (const email of [
    '<ann@example.com>',
    'ann@example.com,',
    'a;b@example.com',
    'group:ann@example.com',
    'ann@example.com\u200b',
    '"ann"@example.com',
  ])
    expect([email, (await admin.post('/api/organizations/invitations', { email })).status]).toEqual(
      [email, 400],
    )
  for (const email of [
    "o'neil+tag@example.com",
    'ü@example.com',
    'ann@bücher.example',
    'ann@localhost',
  ])
    expect([
      email,
      (await admin.post('/api/organizations/invitations', { email })).data['email'] as string,
    ]).toEqual([email, email])
})

describe('rejects control characters in the items of lists', () => {
  const LISTED: [what: string, path: string, at: string, body: (text: string) => Loose][] = [
    [
      'a tag of a contact',
      '/api/contacts',
      'body.tags.0',
      (tag) => ({ phone_number: '+1 555 010 7777', tags: [tag] }),
    ],
    [
      'a choice of an own field',
      '/api/contact-attributes',
      'body.options.0',
      (option) => ({ key: 'k', label: 'K', type: 'select', options: [option] }),
    ],
    [
      'the title of a button',
      '/api/canned-responses',
      'body.buttons.0.title',
      (title) => ({ name: 'Hours', content: 'x', buttons: [{ id: 'a', title, type: 'reply' }] }),
    ],
  ]
  for (const [what, path, at, body] of LISTED)
    test(what, async () => {
      for (const sign of Object.values(SIGNS)) {
        const answer = await admin.post(path, body(`a${sign}b`))
        expect([answer.status, answer.body.errors?.[0]?.path]).toEqual([400, at])
        expect(answer.body.errors?.[0]?.message).toContain('control character')
      }
    })
})

describe('limits a name by visible characters, without surrounding spaces', () => {
  const lengths = {
    '/api/organizations': 255,
    '/api/roles': 100,
    '/api/api-keys': 255,
    '/api/tags': 50,
    '/api/segments': 255,
  }
  for (const [path, longest] of Object.entries(lengths))
    test(`to ${longest} at ${path}`, async () => {
      const place = NAMED.find(([method, at]) => method === 'POST' && at === path) as Place
      const name = '🦜'.repeat(longest)
      const made = await send(place, `   ${name}   `)
      expect([made.status, made.data['name']]).toEqual([201, name])
      for (const wrong of [`${name}x`, '   ', ''])
        expect((await send(place, wrong)).status).toBe(400)
    })
})
