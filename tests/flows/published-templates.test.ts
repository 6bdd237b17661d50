import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

import fc from 'fast-check'

import { SAMPLES } from '../../src/simulator/sample-files'
import type { Loose } from '../support/client'
import { openSendFixture, sendForm, type SendFixture } from '../support/sending'

const root = path.resolve(import.meta.dir, '../../../shared/samples')
const filesIn = (folder: string, pattern: RegExp): string[] => {
  const at = path.join(root, folder)
  return existsSync(at)
    ? readdirSync(at)
        .filter((name) => pattern.test(name))
        .map((name) => path.join(at, name))
    : []
}

const TEMPLATES = [
  ...filesIn('openapi', /-template-(?:create|edit)-req-/),
  ...filesIn(
    'postman',
    /-req-templates-(?:create|edit)-|-req-send-flow-(?:via-cloud-api-)?create-flow-template/,
  ),
]
const SENDS = [
  ...filesIn('openapi', /-(?:mm-)?send-req-.*template/),
  ...filesIn('postman', /-send-template-/),
]
const read = (file: string): Loose =>
  JSON.parse(
    readFileSync(file, 'utf8')
      .replaceAll('<TEMPLATE_NAME>', 'a_template')
      .replaceAll(/\{\{[Ff]low-ID\}\}|\{\{flow-id\}\}/g, '701000000000001'),
  ) as Loose

let fixture: SendFixture
let made = 0

beforeAll(async () => {
  fixture = await openSendFixture()
})

afterAll(() => fixture.world.stop())

async function publish(body: Loose): Promise<Loose> {
  const manager = await fixture.world.as('manager')
  for (const component of body['components'] as Loose[])
    for (const handle of (component['example']?.['header_handle'] as string[] | undefined) ?? [])
      fixture.world.simulator.acceptHandle(handle.trim())
  const draft = await manager.post('/api/templates', {
    ...body,
    account_id: fixture.world.tenant.accountId,
    name: `sample_${(made += 1)}`,
  })
  expect({ status: draft.status, body: draft.status === 201 ? null : draft.body }).toEqual({
    status: 201,
    body: null,
  })
  fixture.world.clock.advance({ minutes: 1 })
  const published = await manager.post(`/api/templates/${draft.data['id']}/publish`)
  expect({
    status: published.status,
    body: published.status === 200 ? null : published.body,
  }).toEqual({ status: 200, body: null })
  await fixture.world.simulator.review(published.data['platform_id'] as string, {
    event: 'APPROVED',
  })
  await fixture.world.settle()
  return published.data
}

describe('each published template can be drafted, submitted and shown unchanged', () => {
  for (const file of TEMPLATES)
    test(path.basename(file), async () => {
      const sample = read(file)
      const template = await publish(sample)
      const manager = await fixture.world.as('manager')
      const before = (await manager.get(`/api/templates/${template['id']}`)).data
      await manager.post('/api/templates/sync', {})
      expect((await manager.get(`/api/templates/${template['id']}`)).data['components']).toEqual(
        before['components'],
      )
      const { data } = await manager.post(`/api/templates/${template['id']}/preview`, {})
      const body = (sample['components'] as Loose[]).find(
        ({ type }) => String(type).toUpperCase() === 'BODY',
      )
      if (body?.['text'] !== undefined) expect(data['body']).toBe(body['text'])
    })
})

/** The forms that are published as text within examples. */
const FORMS = TEMPLATES.flatMap((file) => {
  const buttons = (read(file)['components'] as Loose[]).flatMap(
    (component) => (component['buttons'] ?? []) as Loose[],
  )
  return buttons.flatMap(({ flow_json }) =>
    typeof flow_json === 'string' ? [[path.basename(file), flow_json] as const] : [],
  )
})

describe('each published Flow passes validation, is published and answers requests', () => {
  for (const [name, text] of FORMS)
    test(name, async () => {
      const manager = await fixture.world.as('manager')
      const { simulator, tenant, url } = fixture.world
      const body = { account_id: tenant.accountId, categories: ['OTHER'], name: `Form of ${name}` }
      const plain = await manager.post('/api/flows', { ...body, json_definition: text })
      expect({ status: plain.status, errors: plain.body.errors ?? [] }).toEqual({
        status: 201,
        errors: [],
      })
      expect(
        (await manager.post(`/api/flows/${plain.data['id']}/validate`, { json_definition: text }))
          .data,
      ).toEqual({
        valid: true,
        errors: [],
      })
      expect(
        (await manager.post(`/api/flows/${plain.data['id']}/save-to-meta`)).data,
      ).toMatchObject({ validation_errors: [] })
      expect((await manager.post(`/api/flows/${plain.data['id']}/publish`)).data).toMatchObject({
        status: 'PUBLISHED',
      })
      // The same with an endpoint, which leads to its first screen.
      await manager.post(`/api/accounts/${tenant.accountId}/flow-key`)
      const definition = JSON.parse(text) as Loose
      const [screen] = (definition['screens'] as Loose[]).map(({ id }) => String(id))
      const json_definition = {
        ...definition,
        data_api_version: '3.0',
        routing_model: { [screen ?? '']: [] },
      }
      const rules = {
        endpoint_mode: 'rules',
        endpoint_config: [{ action: 'INIT', next_screen: screen }],
      }
      const asking = await manager.post('/api/flows', {
        ...body,
        ...rules,
        name: `${name} with an endpoint`,
        json_definition,
      })
      const saved = await manager.post(`/api/flows/${asking.data['id']}/save-to-meta`)
      const endpoint = `${url}/api/flows/endpoint/${tenant.accountId}`
      const there = simulator.flow(String(saved.data['meta_flow_id']))
      if (there) there.endpointUri = endpoint
      expect((await manager.post(`/api/flows/${asking.data['id']}/publish`)).data).toMatchObject({
        status: 'PUBLISHED',
      })
      const interactive = {
        type: 'flow',
        body: 'Fill it in',
        button_text: 'Open',
        flow_id: asking.data['id'],
      }
      const { data: sent } = await manager.post(`/api/contacts/${fixture.contact['id']}/messages`, {
        type: 'interactive',
        interactive,
      })
      const { flow_token } = sent['content'] as Loose
      const reply = await simulator.askEndpoint(
        { version: '3.0', action: 'INIT', flow_token },
        { url: endpoint },
      )
      expect([reply.status, reply.answer]).toEqual([200, { screen, data: {} }])
    })
})

/** A template that takes what a published send brings. */
function templateFor(sent: Loose): Loose {
  const components = (sent['components'] as Loose[] | undefined) ?? []
  const of = (type: string): Loose[] =>
    components.find((component) => component['type'] === type)?.['parameters'] ?? []
  const names = of('body').map((_value, index) => index + 1)
  const text =
    names.length === 0
      ? 'Have a look at what we have for you'
      : `We say ${names.map((name) => `some more words {{${name}}}`).join(' and ')} at last`
  const header = of('header').map(({ type }) => ({
    type: 'HEADER',
    format: String(type).toUpperCase(),
    example: { header_handle: ['4::sample'] },
  }))
  const buttons = components
    .filter(({ type }) => type === 'button')
    .map(({ sub_type: kind }, index) =>
      String(kind).toLowerCase() === 'catalog'
        ? { type: 'CATALOG', text: 'View' }
        : String(kind) === 'flow'
          ? { type: 'FLOW', text: 'Open', flow_id: '701000000000001' }
          : { type: 'QUICK_REPLY', text: `Answer ${index}` },
    )
  return {
    language: 'en_US',
    category: 'MARKETING',
    components: [
      ...header,
      {
        type: 'BODY',
        text,
        ...(names.length === 0
          ? {}
          : { example: { body_text: [names.map((name) => `v${name}`)] } }),
      },
      ...(buttons.length === 0 ? [] : [{ type: 'BUTTONS', buttons }]),
    ],
  }
}

describe('the values of each published send reach the platform unchanged', () => {
  for (const file of SENDS)
    test(path.basename(file), async () => {
      const sent = read(file)['template'] as Loose | undefined
      if (sent === undefined) return
      const { id } = await publish(templateFor(sent))
      const components = (sent['components'] as Loose[] | undefined) ?? []
      const body = (components.find(({ type }) => type === 'body')?.['parameters'] ?? []) as Loose[]
      const buttons = components.filter(({ type }) => type === 'button')
      const flow = buttons.find(({ sub_type: kind }) => kind === 'flow')?.['parameters'][0][
        'action'
      ] as Loose | undefined
      const plain = buttons.filter(({ sub_type: kind }) => kind !== 'flow')
      const manager = await fixture.world.as('manager')
      const hasImage = components.some(({ type }) => type === 'header')
      const image = hasImage ? await uploadImage() : undefined
      const answer = await manager.post('/api/messages/template', {
        contact_id: fixture.contact['id'],
        template_id: id,
        template_params: Object.fromEntries(
          body.map((value, index) => [
            String(index + 1),
            value['type'] === 'text' ? value['text'] : value,
          ]),
        ),
        button_params: Object.fromEntries(
          plain.map(({ index, parameters }) => [
            String(index),
            parameters[0]['action'] ?? parameters[0],
          ]),
        ),
        ...(flow === undefined
          ? {}
          : { flow_params: { flow_token: flow['flow_token'], data: flow['flow_action_data'] } }),
        ...(image === undefined ? {} : { header_media_id: image }),
      })
      expect({ status: answer.status, body: answer.status === 201 ? null : answer.body }).toEqual({
        status: 201,
        body: null,
      })
      await fixture.world.settle()
      expect((await manager.get(`/api/messages/${answer.data['id']}`)).data['status']).toBe(
        'delivered',
      )
      const call = fixture.world.simulator.messages.find(
        ({ body: taken }) => (taken as Loose)['biz_opaque_callback_data'] === answer.data['id'],
      )
      const payload = ((call?.body ?? {}) as Loose)['template']['components'] as Loose[] | undefined
      expect((payload ?? []).find(({ type }) => type === 'body')?.['parameters'] ?? []).toEqual(
        body,
      )
    })

  test('many published examples are found, if they are available', () => {
    expect(TEMPLATES.length + SENDS.length).toBeGreaterThan(existsSync(root) ? 35 : -1)
  })
})

async function uploadImage(): Promise<string> {
  const manager = await fixture.world.as('manager')
  const form = new FormData()
  form.set(
    'file',
    new Blob([new Uint8Array(SAMPLES['image/jpeg'])], { type: 'image/jpeg' }),
    'a.jpg',
  )
  const answer = await fetch(`${manager.url}/api/media`, {
    method: 'POST',
    headers: manager.headers,
    body: form,
  })
  return ((await answer.json()) as Loose)['data']['id'] as string
}

const word = fc.stringMatching(/^[a-z]{2,8}$/)
/** Kinds of templates: plain ones, and those the platform has rules of their own for. */
const KINDS = ['plain', 'plain', 'plain', 'file', 'carousel', 'code', 'offer'] as const
const spec = fc.record({
  kind: fc.constantFrom(...KINDS),
  names: fc.uniqueArray(word, { maxLength: 5 }),
  isNamed: fc.boolean(),
  header: fc.constantFrom('none', 'plain', 'variable', 'place'),
  footer: fc.boolean(),
  buttons: fc.uniqueArray(fc.constantFrom('reply', 'url', 'plain-url', 'phone', 'code'), {
    maxLength: 4,
  }),
  category: fc.constantFrom('UTILITY', 'MARKETING'),
})

const BUTTONS: Record<string, Loose> = {
  reply: { type: 'QUICK_REPLY', text: 'Answer' },
  url: { type: 'URL', text: 'Shop', url: 'https://example.com/{{1}}', example: ['x'] },
  'plain-url': { type: 'URL', text: 'Home', url: 'https://example.com/' },
  phone: { type: 'PHONE_NUMBER', text: 'Call', phone_number: '15550100001' },
  code: { type: 'COPY_CODE', example: 'SAVE25' },
}

type Spec = typeof spec extends fc.Arbitrary<infer T> ? T : never

const CARD_BODY = {
  type: 'BODY',
  text: 'Now with {{1}} percent off all of it',
  example: { body_text: [['10']] },
}

/** A template that is not plain. */
function special({ kind, names, header, footer, buttons }: Spec): Loose | null {
  const bottom = footer ? [{ type: 'FOOTER', text: 'Bye for now' }] : []
  const body = { type: 'BODY', text: 'Good news for everybody today' }
  if (kind === 'code')
    return {
      language: 'en_US',
      category: 'AUTHENTICATION',
      components: [
        { type: 'BODY', add_security_recommendation: footer },
        ...(header === 'none' ? [] : [{ type: 'FOOTER', code_expiration_minutes: 10 }]),
        { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE', text: 'Copy' }] },
      ],
    }
  if (kind === 'file') {
    const format = ['IMAGE', 'VIDEO', 'DOCUMENT'][names.length % 3]
    return {
      language: 'en_US',
      category: 'MARKETING',
      components: [
        { type: 'HEADER', format, example: { header_handle: ['4::sample'] } },
        body,
        ...bottom,
      ],
    }
  }
  if (kind === 'offer')
    return {
      language: 'en_US',
      category: 'MARKETING',
      components: [
        { type: 'LIMITED_TIME_OFFER', text: 'Ends soon', has_expiration: footer },
        body,
        {
          type: 'BUTTONS',
          buttons: [
            { type: 'COPY_CODE', example: 'SAVE25' },
            { type: 'URL', text: 'Shop', url: 'https://example.com/' },
          ],
        },
      ],
    }
  if (kind !== 'carousel') return null
  const own = buttons.includes('url') ? BUTTONS['url'] : BUTTONS['reply']
  const card = {
    components: [
      { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['4::sample'] } },
      CARD_BODY,
      { type: 'BUTTONS', buttons: [own ?? {}] },
    ],
  }
  const cards = Array.from({ length: 2 + (names.length % 4) }, () => card)
  return {
    language: 'en_US',
    category: 'MARKETING',
    components: [body, { type: 'CAROUSEL', cards }],
  }
}

/** What a template of a kind takes beside the values of its text. */
function extras({ kind, names, footer, buttons }: Spec, files: Record<string, string>): Loose {
  if (kind === 'code') return { template_params: { '1': '123456' } }
  if (kind === 'file')
    return { header_media_id: files[['IMAGE', 'VIDEO', 'DOCUMENT'][names.length % 3] ?? ''] }
  if (kind === 'offer')
    return {
      button_params: { '0': 'SAVE' },
      ...(footer ? { offer_expires_at: '2027-01-01T00:00:00Z' } : {}),
    }
  if (kind !== 'carousel') return {}
  const ends = buttons.includes('url') ? { button_params: { '0': 'x' } } : {}
  const card = { header_media_id: files['IMAGE'], template_params: { '1': '10' }, ...ends }
  return { cards: Array.from({ length: 2 + (names.length % 4) }, () => card) }
}

function generated({ names, isNamed, header, footer, buttons, category }: Spec): Loose {
  const keys = isNamed ? names : names.map((_name, index) => String(index + 1))
  const text =
    keys.length === 0
      ? 'Good news for everybody today'
      : `We say ${keys.map((key) => `some more words {{${key}}}`).join(' and ')} at last`
  const example = isNamed
    ? { body_text_named_params: keys.map((param_name) => ({ param_name, example: 'x' })) }
    : { body_text: [keys.map(() => 'x')] }
  const title =
    isNamed && keys.length > 0
      ? {
          text: 'For {{who}}',
          example: { header_text_named_params: [{ param_name: 'who', example: 'x' }] },
        }
      : { text: 'For {{1}}', example: { header_text: ['x'] } }
  const headers: Record<string, Loose[]> = {
    none: [],
    plain: [{ type: 'HEADER', format: 'TEXT', text: 'News' }],
    variable: [{ type: 'HEADER', format: 'TEXT', ...title }],
    place: [{ type: 'HEADER', format: 'LOCATION' }],
  }
  return {
    language: 'en_US',
    category,
    components: [
      ...(headers[header] ?? []),
      { type: 'BODY', text, ...(keys.length === 0 ? {} : { example }) },
      ...(footer ? [{ type: 'FOOTER', text: 'Bye for now' }] : []),
      ...(buttons.length === 0
        ? []
        : [{ type: 'BUTTONS', buttons: buttons.map((kind) => BUTTONS[kind] ?? {}) }]),
    ],
  }
}

const odd = fc.oneof(
  fc.constantFrom('ok', 'a b', '', 'a\nb', 'a     b', 'x'.repeat(1_100)),
  fc.integer(),
  fc.constant(null),
  fc.constant([]),
)
const mix = fc.dictionary(
  fc.constantFrom('1', '2', '3', '4', '5', 'who', 'latitude', 'longitude'),
  odd,
  { maxKeys: 6 },
)

async function uploadedFiles(): Promise<Record<string, string>> {
  const kinds = [
    ['IMAGE', 'image/jpeg', 'a.jpg'],
    ['VIDEO', 'video/mp4', 'a.mp4'],
    ['DOCUMENT', 'application/pdf', 'a.pdf'],
  ] as const
  const uploads = kinds.map(async ([format, type, name]) => {
    const file = { name, type, bytes: SAMPLES[type] }
    return [
      format,
      String(
        (await sendForm(await fixture.world.as('manager'), '/api/media', {}, file)).data['id'],
      ),
    ] as const
  })
  return Object.fromEntries(await Promise.all(uploads))
}

test('any valid template survives the way to the platform and back, and any values are accepted or rejected by name', async () => {
  const files = await uploadedFiles()
  await fc.assert(
    fc.asyncProperty(
      spec,
      fc.array(fc.tuple(mix, mix, mix), { minLength: 3, maxLength: 3 }),
      async (asked, mixes) => {
        const template = await publish(special(asked) ?? generated(asked))
        const more = asked.kind === 'plain' ? {} : extras(asked, files)
        const manager = await fixture.world.as('manager')
        const { data } = await manager.get(`/api/templates/${template['id']}`)
        await manager.post('/api/templates/sync', {})
        const { updated_at: _before, synced_at: _then, ...was } = data
        const {
          updated_at: _after,
          synced_at: _now,
          ...is
        } = (await manager.get(`/api/templates/${template['id']}`)).data
        expect(is).toEqual(was)
        const good = Object.fromEntries(
          (data['variables'] as Loose[])
            .filter(({ component }) => component === 'BODY')
            .map(({ key }) => [key, 'fine']),
        )
        if (asked.kind !== 'plain') {
          // What is right is taken as it is; what is mixed is refused by name or taken.
          const to = { contact_id: fixture.contact['id'], template_id: template['id'] }
          const right = await manager.post('/api/messages/template', { ...to, ...more })
          expect({ status: right.status, body: right.status === 201 ? null : right.body }).toEqual({
            status: 201,
            body: null,
          })
          await fixture.world.settle()
          expect((await manager.get(`/api/messages/${right.data['id']}`)).data).toMatchObject({
            status: 'delivered',
            error: null,
          })
        }
        for (const [body, header, buttons] of mixes) {
          const values = {
            ...more,
            template_params: { ...good, ...body },
            header_params: header,
            button_params: buttons,
          }
          const answer = await manager.post('/api/messages/template', {
            contact_id: fixture.contact['id'],
            template_id: template['id'],
            ...values,
          })
          if (answer.status !== 201) {
            expect({
              status: answer.status,
              isNamed: (answer.body.errors?.length ?? 0) > 0,
              code: answer.body.code,
            }).toEqual({
              status: 400,
              isNamed: true,
              code: expect.stringMatching(/^(missing|invalid)_params$/),
            })
            continue
          }
          await fixture.world.settle()
          expect((await manager.get(`/api/messages/${answer.data['id']}`)).data).toMatchObject({
            status: 'delivered',
            error: null,
          })
        }
      },
    ),
    { numRuns: Number(process.env['TEMPLATE_RUNS'] ?? 8), seed: 7 },
  )
}, 60_000)
