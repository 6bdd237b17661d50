import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { oggOpus, SAMPLES } from '../../../../src/simulator/sample-files'
import type { Answer, Loose } from '../../../support/client'
import { upload } from '../../../support/files'
import { openSendFixture, sendForm, type SendFixture } from '../../../support/sending'
import { approvedTemplate, draftTemplate } from '../../../support/templates'
import { draftFlow } from '../../../support/flows'

let fixture: SendFixture

beforeAll(async () => {
  fixture = await openSendFixture()
})

afterAll(() => fixture.world.stop())

const TEXT = 'Have a look at what we have for you'
const BODY = { type: 'BODY', text: TEXT }
const buttons = (...list: Loose[]): Loose => ({ type: 'BUTTONS', buttons: list })
const UNKNOWN_ID = '01900000-0000-7000-8000-00000000f11e'

const refusalOf = async (parts: Loose): Promise<{ path: string; message: string }[]> => {
  const { status, body } = await (
    await fixture.world.as('manager')
  ).post('/api/templates', {
    account_id: fixture.world.tenant.accountId,
    name: 'refused',
    language: 'en',
    category: 'MARKETING',
    components: [BODY],
    ...parts,
  })
  expect(status).toBe(400)
  return (body.errors ?? []).map(({ path, message }) => ({ path, message }))
}

const picture = async (): Promise<string> =>
  String(
    (
      await upload(await fixture.world.as('manager'), {
        bytes: SAMPLES['image/jpeg'],
        type: 'image/jpeg',
      })
    ).data['id'],
  )

const card = (text = TEXT, mediaId?: string): Loose => ({
  components: [
    { type: 'HEADER', format: 'IMAGE', ...(mediaId === undefined ? {} : { media_id: mediaId }) },
    { type: 'BODY', text, ...(text.includes('{{') ? { example: { body_text: [['10']] } } : {}) },
    buttons({ type: 'QUICK_REPLY', text: 'More' }),
  ],
})
const carousel = (count: number): Loose => ({
  type: 'CAROUSEL',
  cards: Array.from({ length: count }, () => card()),
})

describe('a draft', () => {
  test('names the values of its header, its cards and every kind of button', async () => {
    const variablesOf = async (...components: Loose[]): Promise<Loose[]> =>
      (await draftTemplate(fixture.world, { category: 'MARKETING', components }))[
        'variables'
      ] as Loose[]
    const header = { component: 'HEADER', index: null, card: null, example: null, required: true }
    expect(await variablesOf({ type: 'HEADER', format: 'LOCATION' }, BODY)).toEqual([
      { ...header, key: 'location' },
    ])
    const ofButton = (key: string, required: boolean, index = 0, at: number | null = null) => ({
      ...{ component: 'BUTTONS', key, index, card: at, required, example: null },
    })
    for (const [button, key, required] of [
      [{ type: 'CATALOG', text: 'Catalog' }, 'thumbnail_product_retailer_id', false],
      [{ type: 'MPM', text: 'Items' }, 'products', true],
      [{ type: 'FLOW', text: 'Book', flow_id: '4711' }, 'flow', false],
      [{ type: 'VOICE_CALL', text: 'Call' }, 'call', false],
    ] as const)
      expect(await variablesOf(BODY, buttons(button))).toEqual([ofButton(key, required)])
    const cards = [card('Now with {{1}} percent off all of it'), card()]
    expect(await variablesOf(BODY, { type: 'CAROUSEL', cards })).toEqual([
      { ...header, key: 'media', card: 0 },
      { component: 'BODY', key: '1', index: null, card: 0, required: true, example: '10' },
      ofButton('payload', false, 0, 0),
      { ...header, key: 'media', card: 1 },
      ofButton('payload', false, 0, 1),
    ])
  })

  test('takes two to ten cards', async () => {
    const path = 'body.components.1.cards'
    const problem = { path, message: 'must have 2 to 10 cards' }
    for (const count of [1, 11])
      expect(await refusalOf({ components: [BODY, carousel(count)] })).toContainEqual(problem)
    for (const count of [2, 10])
      expect(
        await draftTemplate(fixture.world, {
          category: 'MARKETING',
          components: [BODY, carousel(count)],
        }),
      ).toMatchObject({ status: 'DRAFT' })
  })

  test('refers to one Flow: by ID, name or content, and to one of the organization', async () => {
    const flow = (how: Loose): Loose => buttons({ type: 'FLOW', text: 'Book', ...how })
    const draft = await draftTemplate(fixture.world, {
      components: [BODY, flow({ flow_name: 'booking', flow_id: null })],
    })
    expect(draft['components']).toEqual([BODY, flow({ flow_name: 'booking' })])
    expect(await refusalOf({ components: [BODY, flow({})] })).toMatchObject([
      { path: 'body.components.1.buttons.0.flow_id' },
    ])
    const admin = await fixture.world.as('admin')
    const { id: deleted } = await draftFlow(fixture.world, admin)
    await admin.delete(`/api/flows/${deleted}`)
    for (const id of [UNKNOWN_ID, deleted])
      expect(await refusalOf({ components: [BODY, flow({ flow_id: id })] })).toEqual([
        {
          path: 'body.components.buttons.flow_id',
          message: 'is not a flow of this organization',
        },
      ])
  })

  test('is refused with an unknown format and a header file of another kind, both at once', async () => {
    const header = { type: 'HEADER', format: 'DOCUMENT' }
    expect(
      await refusalOf({
        parameter_format: 'roman',
        header_media_id: UNKNOWN_ID,
        components: [header, BODY],
      }),
    ).toEqual([
      { path: 'body.parameter_format', message: 'must be positional or named' },
      { path: 'body.header_media_id', message: 'is not a file of this organization' },
    ])
  })

  test('takes no sound as the sample of a header', async () => {
    const { status, body } = await sendForm(
      await fixture.world.as('manager'),
      '/api/templates/upload-media',
      { account_id: fixture.world.tenant.accountId ?? '' },
      { name: 'note.ogg', type: 'audio/ogg', bytes: oggOpus() },
    )
    expect({ status, errors: body.errors }).toEqual({
      status: 400,
      errors: [{ path: 'body.file', message: 'must be an image, a video or a document' }],
    })
  })

  test('shows the stored files of its cards in a preview, unless others are given', async () => {
    const [own, given] = [await picture(), await picture()]
    const { id } = await draftTemplate(fixture.world, {
      category: 'MARKETING',
      components: [BODY, { type: 'CAROUSEL', cards: [card(TEXT, own), card(TEXT, own)] }],
    })
    const { data } = await (
      await fixture.world.as('manager')
    ).post(`/api/templates/${id}/preview`, { cards: [{ header_media_id: given }] })
    expect(data['missing']).toEqual([])
    expect((data['cards'] as Loose[]).map(({ header }) => header['media_id'] as unknown)).toEqual([
      given,
      own,
    ])
  })
})

const sent = async (components: Loose[], asked: Loose = {}): Promise<Loose[]> => {
  const { id } = await approvedTemplate(fixture.world, { category: 'MARKETING', components })
  fixture.client = await fixture.world.as('manager')
  const { payload } = await fixture.sent({ type: 'template', template_id: id, ...asked })
  return (payload['template']['components'] ?? []) as Loose[]
}

const rejected = async (components: Loose[], asked: Loose): Promise<Answer<Loose>['body']> => {
  const { id } = await approvedTemplate(fixture.world, { category: 'MARKETING', components })
  const { body } = await fixture.send({ type: 'template', template_id: id, ...asked })
  return body
}

describe('a send', () => {
  const CALL = [BODY, buttons({ type: 'VOICE_CALL', text: 'Call' })]

  test('takes a lifetime and a payload for a call button, or none', async () => {
    const part = { type: 'button', sub_type: 'voice_call', index: '0' }
    const ttl = { type: 'ttl_minutes', ttl_minutes: 43_200 }
    const payload = { type: 'payload', payload: 'offer' }
    const value = { ttl_minutes: 43_200, payload: 'offer' }
    expect(await sent(CALL, { button_params: { '0': value } })).toEqual([
      { ...part, parameters: [ttl, payload] },
    ])
    expect(await sent(CALL, { button_params: { '0': 'offer' } })).toEqual([
      { ...part, parameters: [payload] },
    ])
    expect(await sent(CALL, { button_params: { '0': { ttl_minutes: 1 } } })).toEqual([
      { ...part, parameters: [{ type: 'ttl_minutes', ttl_minutes: 1 }] },
    ])
    for (const button_params of [{}, { '0': null }, { '0': {} }])
      expect(await sent(CALL, { button_params })).toEqual([])
  })

  test.each([[0], [43_201], [1.5], ['soon']])(
    'refuses a call button with a lifetime of %p minutes',
    async (ttl_minutes) => {
      expect(await rejected(CALL, { button_params: { '0': { ttl_minutes } } })).toMatchObject({
        code: 'invalid_params',
        errors: [
          {
            path: 'body.button_params.0.ttl_minutes',
            message: 'must be a whole number from 1 to 43200',
          },
        ],
      })
    },
  )

  test('takes an empty text of a button as none', async () => {
    const reply = [BODY, buttons({ type: 'QUICK_REPLY', text: 'Yes' })]
    expect(await sent(reply, { button_params: { '0': '' } })).toEqual([])
    const url = { type: 'URL', text: 'Go', url: 'https://example.com/{{1}}', example: ['x'] }
    expect(await rejected([BODY, buttons(url)], { button_params: { '0': '' } })).toMatchObject({
      code: 'missing_params',
      errors: [{ path: 'body.button_params.0' }],
    })
  })

  test('explains values that the texts have no place for', async () => {
    expect(await rejected([BODY], { template_params: { '1': 'x' } })).toMatchObject({
      errors: [
        {
          path: 'body.template_params.1',
          message: 'is not a variable of the template: it has none here',
        },
      ],
    })
    const header = {
      type: 'HEADER',
      format: 'TEXT',
      text: 'Sale for {{1}}',
      example: { header_text: ['Ana'] },
    }
    expect(
      await rejected([header, BODY], { header_params: { '1': 'x'.repeat(52) } }),
    ).toMatchObject({
      errors: [
        {
          path: 'body.header_params',
          message: 'must leave the header with at most 60 characters; with these values it has 61',
        },
      ],
    })
  })
})

describe('the platform', () => {
  const stored = (platformId: unknown) =>
    fixture.world.simulator
      .templatesOf(fixture.world.tenant.wabaId)
      .find(({ id }) => id === platformId)
  const sync = async (): Promise<Loose> =>
    (await (await fixture.world.as('manager')).post('/api/templates/sync', {})).data

  test('tells new texts of header, body, footer and buttons', async () => {
    const { id, platform_id: platformId } = await approvedTemplate(fixture.world, {
      components: [
        { type: 'HEADER', format: 'TEXT', text: 'Sale' },
        BODY,
        { type: 'FOOTER', text: 'Bye' },
        buttons(
          { type: 'URL', text: 'Shop', url: 'https://example.com/a' },
          { type: 'URL', text: 'Home', url: 'https://example.com' },
          { type: 'QUICK_REPLY', text: 'No' },
        ),
      ],
    })
    fixture.world.simulator.answerHtml(502, { route: 'templates', times: 50 })
    await fixture.world.simulator.sendTemplateWebhook(
      String(platformId),
      'message_template_components_update',
      {
        message_template_title: 'Great sale',
        message_template_element: 'We have new words for you today',
        message_template_footer: 'See you',
        message_template_buttons: [
          {
            message_template_button_text: 'Visit',
            message_template_button_url: 'https://example.com/b',
          },
          { message_template_button_text: 'Start' },
          { message_template_button_text: 'Not now', message_template_button_url: 'x' },
        ],
      },
    )
    await fixture.world.settle()
    const { data } = await (await fixture.world.as('manager')).get(`/api/templates/${id}`)
    fixture.world.simulator.clearFaults()
    expect(data['components']).toEqual([
      { type: 'HEADER', format: 'TEXT', text: 'Great sale' },
      { type: 'BODY', text: 'We have new words for you today' },
      { type: 'FOOTER', text: 'See you' },
      buttons(
        { type: 'URL', text: 'Visit', url: 'https://example.com/b' },
        { type: 'URL', text: 'Start', url: 'https://example.com' },
        { type: 'QUICK_REPLY', text: 'Not now' },
      ),
    ])
  })

  test('has changed the category of a template, which a sync finds', async () => {
    const { id, platform_id: platformId } = await approvedTemplate(fixture.world, {
      components: [BODY],
    })
    await sync()
    fixture.world.clock.advance({ minutes: 5 })
    const template = stored(platformId)
    if (template) template.category = 'MARKETING'
    expect(await sync()).toMatchObject({ updated: 1 })
    const manager = await fixture.world.as('manager')
    expect((await manager.get(`/api/templates/${id}`)).data).toMatchObject({
      category: 'MARKETING',
    })
  })

  test('is not asked to delete what it has deleted itself', async () => {
    const { id, platform_id: platformId } = await approvedTemplate(fixture.world, {
      components: [BODY],
    })
    fixture.world.simulator.deleteTemplate(String(platformId))
    expect(await sync()).toMatchObject({ removed: 1 })
    const manager = await fixture.world.as('manager')
    expect((await manager.delete(`/api/templates/${id}`)).status).toBe(200)
    expect(
      fixture.world.simulator.callsOf({
        route: 'templates',
        where: ({ method }) => method === 'DELETE',
      }),
    ).toEqual([])
  })

  test('gives templates a quality to find them by, in any case', async () => {
    const { id, platform_id: platformId } = await approvedTemplate(fixture.world, {
      components: [BODY],
    })
    await fixture.world.simulator.sendTemplateWebhook(
      String(platformId),
      'message_template_quality_update',
      { previous_quality_score: 'GREEN', new_quality_score: 'RED' },
    )
    await fixture.world.settle()
    const manager = await fixture.world.as('manager')
    for (const quality of ['red', 'RED']) {
      const { data } = await manager.get(`/api/templates?quality=${quality}`)
      expect((data['items'] as Loose[]).map((item) => item['id'] as unknown)).toEqual([id])
    }
  })

  test('gets another file of the same kind with the next send', async () => {
    const [first, second] = [await picture(), await picture()]
    const { id } = await approvedTemplate(fixture.world, {
      components: [{ type: 'HEADER', format: 'IMAGE' }, BODY],
      header_media_id: first,
    })
    const manager = await fixture.world.as('manager')
    const sentFile = async (): Promise<unknown> => {
      const { data } = await fixture.send({ type: 'template', template_id: id })
      return data['content']['header']['media_id'] as unknown
    }
    expect(await sentFile()).toBe(first)
    await manager.put(`/api/templates/${id}`, { header_media_id: second })
    expect(await sentFile()).toBe(second)
    // The file stays that of the template while the draft has no header.
    await manager.put(`/api/templates/${id}`, { components: [BODY], header_media_id: null })
    expect(await sentFile()).toBe(second)
  })
})

test('counts each message at the price of its moment', async () => {
  const { world } = fixture
  const priceFrom = async (price: string, atMs: number): Promise<void> => {
    const { status } = await (
      await world.as('super')
    ).post('/api/prices/import', {
      rows: [
        {
          ...{ country: '*', category: 'utility', currency: 'USD', price },
          effective_from: new Date(atMs).toISOString(),
        },
      ],
    })
    expect(status).toBe(201)
  }
  world.clock.advance({ hours: 25 }) // Within a window utility templates are free.
  const changeMs = world.clock.nowMs() + 60_000
  await priceFrom('0.01', world.clock.nowMs() - 60_000)
  await priceFrom('0.05', changeMs)
  const { id } = await approvedTemplate(world, { components: [BODY] })
  const send = async (phone_number: string): Promise<void> => {
    const manager = await world.as('manager')
    await manager.post('/api/messages/template', { phone_number, template_id: id })
    await world.settle()
  }
  await send('+15550109971')
  world.clock.advance({ ms: changeMs - world.clock.nowMs() })
  await send('+15550109972')
  const { data } = await (await world.as('manager')).get(`/api/templates/${id}/stats`)
  expect(data).toMatchObject({ sent: 2, cost: { amount: '0.06', currency: 'USD' } })
})
