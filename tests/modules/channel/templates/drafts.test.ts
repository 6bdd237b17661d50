import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Client, Loose } from '../../../support/client'
import { World } from '../../../support/world'

let world: World
let manager: Client

beforeAll(async () => {
  world = await World.create()
  manager = await world.as('manager')
})

afterAll(() => world.stop())

const BODY = {
  type: 'body',
  text: 'Hello {{1}}, your order {{2}} is on its way to you.',
  example: { body_text: [['Ana', '860198']] },
}
let made = 0
const draftOf = (parts: Loose = {}): Loose => ({
  account_id: world.tenant.accountId,
  name: `order_shipped_${(made += 1)}`,
  language: 'en_US',
  category: 'utility',
  components: [BODY],
  ...parts,
})
const draft = (parts: Loose = {}) => manager.post('/api/templates', draftOf(parts))
const refusedPaths = async (parts: Loose): Promise<string[]> => {
  const { status, body } = await draft(parts)
  expect({ status, code: body.code }).toEqual({ status: 400, code: 'invalid_input' })
  return (body.errors ?? []).map(({ path }) => path)
}
const buttons = (...list: Loose[]): Loose => ({
  components: [BODY, { type: 'BUTTONS', buttons: list }],
})
const reply = (text: string): Loose => ({ type: 'QUICK_REPLY', text })

describe('a draft', () => {
  test('is stored in the platform format with variables and examples', async () => {
    const { status, data } = await draft({
      name: ' Order-Shipped Today! ',
      display_name: 'Shipped',
    })
    expect(status).toBe(201)
    expect(data).toMatchObject({
      name: 'order_shipped_today',
      display_name: 'Shipped',
      language: 'en_US',
      category: 'UTILITY',
      status: 'DRAFT',
      quality: 'UNKNOWN',
      business_id: world.tenant.wabaId,
      platform_id: null,
      parameter_format: 'positional',
      has_local_changes: false,
      components: [{ ...BODY, type: 'BODY' }],
      sample_values: [
        { component: 'BODY', index: 1, param_name: null, card: null, value: 'Ana' },
        { component: 'BODY', index: 2, param_name: null, card: null, value: '860198' },
      ],
      variables: [
        { component: 'BODY', key: '1', index: null, card: null, required: true, example: 'Ana' },
        { component: 'BODY', key: '2', index: null, card: null, required: true, example: '860198' },
      ],
      usage: { sent_30d: 0, last_sent_at: null },
      created_by: world.tenant.userIds.manager,
    })
    expect((await manager.get(`/api/templates/${data['id']}`)).data).toEqual(data)
  })

  test('takes examples beside its components, by number, by name and by button', async () => {
    const { data } = await draft({
      components: [
        { type: 'HEADER', format: 'text', text: 'Sale for {{ name }}' },
        { type: 'BODY', text: 'Hello {{name}}, your parcel is on its way to you.' },
        {
          type: 'BUTTONS',
          buttons: [{ type: 'url', text: 'Track', url: 'https://example.com/{{1}}' }],
        },
      ],
      sample_values: [
        { component: 'header', param_name: 'name', value: 'Ana' },
        { component: 'BODY', param_name: 'name', value: 'Bo' },
        { component: 'BUTTONS', index: 0, value: '4711' },
      ],
    })
    expect(data['parameter_format']).toBe('named')
    expect(data['components']).toEqual([
      {
        type: 'HEADER',
        format: 'TEXT',
        text: 'Sale for {{name}}',
        example: { header_text_named_params: [{ param_name: 'name', example: 'Ana' }] },
      },
      {
        type: 'BODY',
        text: 'Hello {{name}}, your parcel is on its way to you.',
        example: { body_text_named_params: [{ param_name: 'name', example: 'Bo' }] },
      },
      {
        type: 'BUTTONS',
        buttons: [
          { type: 'URL', text: 'Track', url: 'https://example.com/{{1}}', example: ['4711'] },
        ],
      },
    ])
  })

  test('has its variables in numeric order, ten after nine', async () => {
    const names = Array.from({ length: 11 }, (_, index) => String(index + 1))
    const text = `${names
      .toReversed()
      .map((name) => `some more words and {{${name}}}`)
      .join(' ')} at the end`
    const { data } = await draft({
      components: [{ type: 'BODY', text, example: { body_text: [names] } }],
    })
    expect((data['variables'] as Loose[]).map(({ key }) => key)).toEqual(names)
  })

  test('is refused with everything that is wrong with it at once', async () => {
    const paths = await refusedPaths({
      name: '!!!',
      language: 'English',
      category: 'NEWS',
      message_send_ttl_seconds: 31,
      components: [
        { type: 'HEADER', text: 'Dear {{1}} {{2}}' },
        { type: 'BODY', text: '{{1}} {{3}} {{name}}' },
        { type: 'FOOTER', text: 'Bye {{1}}' },
        {
          type: 'BUTTONS',
          buttons: [
            reply('A'),
            { type: 'PHONE_NUMBER', text: 'Call', phone_number: '1' },
            reply('B'),
          ],
        },
      ],
    })
    expect(paths.toSorted()).toEqual(
      [
        'body.name',
        'body.language',
        'body.category',
        'body.components.0.text',
        'body.components.0.example',
        'body.components.1.text',
        'body.components.1.example',
        'body.components.2.text',
        'body.components.3.buttons.1.phone_number',
        'body.components.3.buttons',
      ].toSorted(),
    )
  })

  const REFUSED: [what: string, parts: () => Loose, path: string][] = [
    [
      'a sample of an unknown part',
      () => ({ sample_values: [{ component: 'FOOTER', index: 1, value: 'a' }] }),
      'body.sample_values.0.component',
    ],
    [
      'a gap between numbers',
      () => ({
        components: [
          {
            type: 'BODY',
            text: 'You, {{1}}, get {{3}} on this very day',
            example: { body_text: [['a', 'b', 'c']] },
          },
        ],
      }),
      'body.components.0.text',
    ],
    [
      'a variable at the end',
      () => ({
        components: [
          {
            type: 'BODY',
            text: 'We have something for you, {{1}}',
            example: { body_text: [['a']] },
          },
        ],
      }),
      'body.components.0.text',
    ],
    [
      'variables side by side',
      () => ({
        components: [
          {
            type: 'BODY',
            text: 'We have for you {{1}} {{2}} and more of it',
            example: { body_text: [['a', 'b']] },
          },
        ],
      }),
      'body.components.0.text',
    ],
    [
      'too many variables for the words',
      () => ({
        components: [{ type: 'BODY', text: 'Dear {{1}} hello', example: { body_text: [['a']] } }],
      }),
      'body.components.0.text',
    ],
    [
      'no example',
      () => ({ components: [{ type: 'BODY', text: 'Dear {{1}}, hello to you too' }] }),
      'body.components.0.example',
    ],
    [
      'a text that is too long',
      () => ({ components: [{ type: 'BODY', text: 'x'.repeat(1_025) }] }),
      'body.components.0.text',
    ],
    [
      'a header of 61 characters',
      () => ({ components: [{ type: 'HEADER', format: 'TEXT', text: 'x'.repeat(61) }, BODY] }),
      'body.components.0.text',
    ],
    [
      'a footer of 61 characters',
      () => ({ components: [BODY, { type: 'FOOTER', text: 'x'.repeat(61) }] }),
      'body.components.1.text',
    ],
    ['no body', () => ({ components: [{ type: 'FOOTER', text: 'Bye' }] }), 'body.components'],
    ['two bodies', () => ({ components: [BODY, BODY] }), 'body.components'],
    [
      'a component nobody knows',
      () => ({ components: [BODY, { type: 'SIDEBAR' }] }),
      'body.components.1.type',
    ],
    [
      'eleven buttons',
      () => buttons(...Array.from({ length: 11 }, (_, index) => reply(`No ${index}`))),
      'body.components.1.buttons',
    ],
    [
      'three addresses',
      () =>
        buttons(
          ...['a', 'b', 'c'].map((text) => ({ type: 'URL', text, url: 'https://example.com' })),
        ),
      'body.components.1.buttons',
    ],
    [
      'a label of 26 characters',
      () => buttons(reply('x'.repeat(26))),
      'body.components.1.buttons.0.text',
    ],
    [
      'a variable in the middle of an address',
      () =>
        buttons({ type: 'URL', text: 'Go', url: 'https://example.com/{{1}}/x', example: ['1'] }),
      'body.components.1.buttons.0.url',
    ],
    [
      'a code without example',
      () => buttons({ type: 'COPY_CODE' }),
      'body.components.1.buttons.0.example',
    ],
    [
      'two forms',
      () =>
        buttons(
          { type: 'FLOW', text: 'A', flow_id: '1' },
          { type: 'FLOW', text: 'B', flow_id: '2' },
        ),
      'body.components.1.buttons',
    ],
    [
      'a form that is named twice',
      () => buttons({ type: 'FLOW', text: 'A', flow_id: '1', flow_name: 'x' }),
      'body.components.1.buttons.0.flow_id',
    ],
    [
      'a one-time code outside of authentication',
      () => buttons({ type: 'OTP', otp_type: 'COPY_CODE' }),
      'body.components.1.buttons',
    ],
    [
      'an offer that is no marketing',
      () => ({
        components: [BODY, { type: 'LIMITED_TIME_OFFER', text: 'Now', has_expiration: true }],
      }),
      'body.components',
    ],
    [
      'a time to live out of bounds',
      () => ({ message_send_ttl_seconds: 86_400 }),
      'body.message_send_ttl_seconds',
    ],
    ['a number of somebody else', () => ({ account_id: world.other.accountId }), 'body.account_id'],
    [
      'a file without a header that takes one',
      () => ({ header_media_id: '01900000-0000-7000-8000-00000000f11e' }),
      'body.header_media_id',
    ],
  ]
  for (const [what, parts, path] of REFUSED)
    test(`is refused with ${what}`, async () => {
      expect(await refusedPaths(parts())).toContain(path)
    })

  test('of authentication leaves the words to the platform', async () => {
    const otp = {
      type: 'OTP',
      otp_type: 'one_tap',
      text: 'Copy',
      supported_apps: [{ package_name: 'com.example.shop', signature_hash: 'K8a%2FAINcGX7' }],
    }
    const { status, data } = await draft({
      category: 'AUTHENTICATION',
      components: [
        { type: 'BODY', add_security_recommendation: true },
        { type: 'FOOTER', code_expiration_minutes: 10 },
        { type: 'BUTTONS', buttons: [otp] },
      ],
    })
    expect({
      status,
      variables: (data['variables'] as Loose[]).map(({ component, key }) => `${component}.${key}`),
    }).toEqual({
      status: 201,
      variables: ['BODY.1'],
    })
    const paths = await refusedPaths({
      category: 'AUTHENTICATION',
      components: [
        { type: 'BODY', text: 'Your code is {{1}}' },
        { type: 'FOOTER', code_expiration_minutes: 91 },
        { type: 'BUTTONS', buttons: [reply('Ok')] },
      ],
    })
    expect(paths.toSorted()).toEqual([
      'body.components',
      'body.components.0.text',
      'body.components.1.code_expiration_minutes',
    ])
  })

  test('requires carousel cards of the same structure', async () => {
    const card = (format: string, ...labels: string[]): Loose => ({
      components: [
        { type: 'header', format },
        { type: 'body', text: 'Look at this one here' },
        { type: 'buttons', buttons: labels.map(reply) },
      ],
    })
    const carousel = (...cards: Loose[]): Loose => ({
      category: 'MARKETING',
      components: [BODY, { type: 'carousel', cards }],
    })
    expect((await draft(carousel(card('IMAGE', 'More'), card('IMAGE', 'More')))).status).toBe(201)
    expect(await refusedPaths(carousel(card('IMAGE', 'More')))).toEqual(['body.components.1.cards'])
    expect(await refusedPaths(carousel(card('IMAGE', 'More'), card('VIDEO', 'More')))).toEqual([
      'body.components.1.cards.1',
    ])
    expect(await refusedPaths(carousel(card('IMAGE', 'More'), card('IMAGE', 'Less')))).toEqual([
      'body.components.1.cards.1',
    ])
    expect(await refusedPaths(carousel(card('IMAGE', 'More'), card('DOCUMENT')))).toEqual([
      'body.components.1.cards.1.components.2.buttons',
      'body.components.1.cards.1.components',
      'body.components.1.cards.1',
    ])
  })

  test('is unique by name and language in a business account', async () => {
    const { data } = await draft({ name: 'twice', language: 'pt_BR' })
    const again = await draft({ name: 'Twice', language: 'pt_BR' })
    expect({ status: again.status, code: again.body.code, details: again.body.details }).toEqual({
      status: 409,
      code: 'template_exists',
      details: { template_id: data['id'] },
    })
    expect((await draft({ name: 'twice', language: 'pt' })).status).toBe(201)
  })
})

describe('the list', () => {
  test('filters templates by attributes and text', async () => {
    const { data } = await draft({
      name: 'the_needle',
      category: 'MARKETING',
      language: 'fr',
      components: [{ type: 'BODY', text: 'Où est la Bibliothèque, Madame ?' }],
    })
    const found = async (query: string): Promise<string[]> =>
      ((await manager.get(`/api/templates?limit=100&${query}`)).data['items'] as Loose[]).map(
        ({ id }) => id as string,
      )
    for (const query of [
      'search=bibliotheque',
      'search=NEEDLE',
      'search=the%20needle',
      'language=FR',
      'category=marketing&search=ou%20est',
      `account_id=${world.tenant.accountId}&search=needle`,
    ])
      expect({ query, found: await found(query) }).toEqual({ query, found: [data['id']] })
    expect(await found('status=DRAFT')).toContain(data['id'])
    for (const query of ['sendable=true', 'status=APPROVED', 'quality=RED', 'search=%25'])
      expect({ query, found: await found(query) }).toEqual({ query, found: [] })
    expect(
      (
        (await (await world.as('admin', world.other)).get('/api/templates')).data[
          'items'
        ] as Loose[]
      ).length,
    ).toBe(0)
  })

  test('is for agents to read, and not to write', async () => {
    const agent = await world.as('agent')
    expect((await agent.get('/api/templates')).status).toBe(200)
    expect((await agent.post('/api/templates', draftOf())).status).toBe(403)
  })
})

test('accepts `allow_category_change` of older clients and does not send it', async () => {
  await using world = await World.create()
  const manager = await world.as('manager')
  const { data } = await manager.post('/api/templates', {
    account_id: world.tenant.accountId,
    name: 'older_client',
    language: 'en_US',
    category: 'UTILITY',
    components: [{ type: 'BODY', text: 'Your order is on its way to you.' }],
    allow_category_change: false,
  })
  expect(await manager.post(`/api/templates/${data['id']}/publish`)).toMatchObject({ status: 200 })
  const [call] = world.simulator.callsOf({ route: 'templates' })
  expect(call?.body).not.toHaveProperty('allow_category_change')
})
