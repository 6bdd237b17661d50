import { afterAll, beforeAll, expect, test } from 'bun:test'

import { SAMPLES } from '../../../../src/simulator/sample-files'
import { numbersOf, CampaignFixture } from '../../../support/campaigns'
import type { Loose } from '../../../support/client'
import { publishedFlow } from '../../../support/flows'
import { takenBodies } from '../../../support/lines'
import { sendForm } from '../../../support/sending'
import { approvedTemplate } from '../../../support/templates'
import { changeRows } from '../../../support/sql'

let fixture: CampaignFixture
let server: Bun.Server<undefined>

beforeAll(async () => {
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => new Response(new Uint8Array(SAMPLES['image/jpeg'])),
  })
  fixture = await CampaignFixture.open({ env: { EGRESS_ALLOW: `127.0.0.1:${server.port}` } })
})

afterAll(async () => {
  await fixture[Symbol.asyncDispose]()
  await server.stop(true)
})

const BODY = { type: 'BODY', text: 'Have a look at what we have for you' }
const JPEG = { name: 'sale.jpg', type: 'image/jpeg', bytes: SAMPLES['image/jpeg'] }

const template = async (...components: Loose[]): Promise<Loose> =>
  approvedTemplate(fixture.world, { components, category: 'MARKETING' })
const upload = async (): Promise<string> =>
  (await sendForm(await fixture.manager, '/api/media', {}, JPEG)).data['id'] as string

/** Sends a campaign with a template to two people; what the platform took of it. */
async function sent(
  first: number,
  templateId: unknown,
  more: Loose = {},
): Promise<{ id: string; parts: Loose[]; payloads: Loose[] }> {
  const numbers = numbersOf(2, first)
  const id = await fixture.draftFor(numbers, {
    template_id: templateId,
    variable_mapping: {},
    ...more,
  })
  const started = await fixture.do(id, 'start')
  expect({ status: started.status, body: started.status === 200 ? null : started.body }).toEqual({
    status: 200,
    body: null,
  })
  expect(await fixture.run(id)).toMatchObject({ status: 'completed', sent_count: 2 })
  const payloads = takenBodies(fixture.world).filter(({ to }) =>
    numbers.includes(String(to).slice(1)),
  )
  return { id, payloads, parts: payloads[0]?.['template']['components'] as Loose[] }
}

test('takes the header file by ID, URL or template, and requires one to start', async () => {
  const { id: templateId } = await template({ type: 'HEADER', format: 'IMAGE' }, BODY)
  const bare = await fixture.draftFor(numbersOf(2, 15_550_600_000), {
    template_id: templateId,
    variable_mapping: {},
  })
  const refused = await fixture.do(bare, 'start')
  expect(refused).toMatchObject({
    status: 400,
    body: { code: 'missing_params', errors: [{ path: 'header_media_id' }] },
  })
  const byId = await sent(15_550_600_010, templateId, { header_media_id: await upload() })
  const byUrl = await sent(15_550_600_020, templateId, {
    header_media_url: `http://127.0.0.1:${server.port}/sale.jpg`,
  })
  for (const { parts, payloads } of [byId, byUrl]) {
    expect(parts).toEqual([
      {
        type: 'header',
        parameters: [{ type: 'image', image: { id: expect.stringMatching(/^\d+$/) } }],
      },
    ])
    // One upload serves everybody.
    expect(new Set(payloads.map((payload) => JSON.stringify(payload['template']))).size).toBe(1)
  }
  const { data: info } = await sendForm(
    await fixture.manager,
    `/api/campaigns/${bare}/media`,
    {},
    JPEG,
  )
  expect(info).toMatchObject({ filename: 'sale.jpg', mime_type: 'image/jpeg' })
  const bytes = await fetch(`${fixture.world.url}/api/campaigns/${bare}/media`, {
    headers: (await fixture.manager).headers,
  })
  expect(new Uint8Array(await bytes.arrayBuffer())).toEqual(new Uint8Array(JPEG.bytes))
  expect((await fixture.do(bare, 'start')).status).toBe(200)
  expect(await fixture.run(bare)).toMatchObject({ status: 'completed', sent_count: 2 })
  const pdf = { name: 'a.pdf', type: 'application/pdf', bytes: SAMPLES['application/pdf'] }
  const wrong = await sendForm(await fixture.manager, '/api/media', {}, pdf)
  const body = { name: 'x', account_id: fixture.world.tenant.accountId, template_id: templateId }
  for (const asked of [
    { header_media_id: wrong.data['id'] },
    { header_media_id: fixture.templateId },
  ])
    expect(
      (await (await fixture.manager).post('/api/campaigns', { ...body, ...asked })).body.errors?.[0]
        ?.path,
    ).toBe('body.header_media_id')
  const address = { header_media_url: 'http://169.254.169.254/x.jpg' }
  expect(
    (await (await fixture.manager).post('/api/campaigns', { ...body, ...address })).body,
  ).toMatchObject({ code: 'media_url_refused' })
})

test('uses card files of the template or the campaign and protects them from deletion', async () => {
  const [own, given] = [await upload(), await upload()]
  const card = (mediaId?: string): Loose => ({
    components: [
      { type: 'HEADER', format: 'IMAGE', ...(mediaId === undefined ? {} : { media_id: mediaId }) },
      {
        type: 'BODY',
        text: 'Now with {{1}} percent off all of it',
        example: { body_text: [['10']] },
      },
      {
        type: 'BUTTONS',
        buttons: [{ type: 'URL', text: 'Shop', url: 'https://example.com/{{1}}', example: ['x'] }],
      },
    ],
  })
  const { id: templateId } = await template(BODY, { type: 'CAROUSEL', cards: [card(), card(own)] })
  const values = {
    'cards.0.1': '10',
    'cards.0.button.0': 'a',
    'cards.1.1': '15',
    'cards.1.button.0': 'b',
  }
  const body = { name: 'x', account_id: fixture.world.tenant.accountId, template_id: templateId }
  const wrong = await (
    await fixture.manager
  ).post('/api/campaigns', { ...body, default_params: { 'cards.0.header.media': 'nonsense' } })
  expect(wrong.body.errors?.[0]?.path).toBe('body.default_params.cards.0.header.media')
  const { parts } = await sent(15_550_610_000, templateId, {
    default_params: { ...values, 'cards.0.header.media': given },
  })
  const { cards } = parts[0] as Loose
  const image = {
    type: 'header',
    parameters: [{ type: 'image', image: { id: expect.stringMatching(/^\d+$/) } }],
  }
  const part = (text: string, end: string) => [
    image,
    { type: 'body', parameters: [{ type: 'text', text }] },
    { type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: end }] },
  ]
  expect(cards).toEqual([
    { card_index: 0, components: part('10', 'a') },
    { card_index: 1, components: part('15', 'b') },
  ])
  const { data } = await (await fixture.manager).get(`/api/media/${given}/info`)
  expect(data).toMatchObject({ expires_at: null })
})

test('fills offer expiry, locations and copy codes from the campaign and its recipients', async () => {
  const code = { type: 'BUTTONS', buttons: [{ type: 'COPY_CODE', example: 'X' }] }
  const offer = await template(
    { type: 'LIMITED_TIME_OFFER', text: 'Ends soon', has_expiration: true },
    BODY,
    code,
  )
  const ends = { offer_expires_at: '2026-12-01T00:00:00.000Z', 'button.0': 'SAVE' }
  const { parts } = await sent(15_550_620_000, offer['id'], { default_params: ends })
  expect(parts).toEqual([
    {
      type: 'limited_time_offer',
      parameters: [
        {
          type: 'limited_time_offer',
          limited_time_offer: { expiration_time_ms: Date.UTC(2026, 11, 1) },
        },
      ],
    },
    {
      type: 'button',
      sub_type: 'copy_code',
      index: '0',
      parameters: [{ type: 'coupon_code', coupon_code: 'SAVE' }],
    },
  ])
  const place = await template({ type: 'HEADER', format: 'LOCATION' }, BODY)
  const location = { latitude: 52.5, longitude: 13.4, name: 'Shop', address: 'Main street 1' }
  const there = await sent(15_550_620_010, place['id'], {
    default_params: { 'header.location': location },
  })
  expect(there.parts).toEqual([{ type: 'header', parameters: [{ type: 'location', location }] }])
  const id = await fixture.draft({ template_id: place['id'], variable_mapping: {} })
  const own = { phone_number: '15550620020', header_params: { latitude: 1, longitude: 2 } }
  const wrong = { phone_number: '15550620021', header_params: { latitude: 1, longitude: 200 } }
  const brought = await fixture.do(id, 'recipients/import', {
    recipients: [own, wrong, { phone_number: '15550620022' }],
  })
  expect(brought.data).toMatchObject({
    imported: 2,
    errors: [{ row: 2, reason: expect.stringContaining('header_params.longitude') }],
  })
  expect((await fixture.do(id, 'dry-run')).data).toMatchObject({
    eligible: 1,
    excluded: { missing_params: 1 },
  })
  await fixture.do(id, 'start')
  expect(await fixture.run(id, { seconds: 5 })).toMatchObject({
    status: 'completed',
    sent_count: 1,
    failed_count: 0,
    skipped_count: 1,
  })
})

test('sends a Flow token per recipient, matches responses by it, and pauses when the Flow is blocked', async () => {
  const flow = await publishedFlow(fixture.world, await fixture.manager, {
    name: 'Behind a button',
  })
  const button = { type: 'FLOW', text: 'Tell us', flow_id: flow['id'], navigate_screen: 'FEEDBACK' }
  const { id: templateId } = await template(BODY, { type: 'BUTTONS', buttons: [button] })
  const { id, payloads } = await sent(15_550_630_000, templateId)
  const tokens = payloads.map((payload) =>
    String(
      ((payload['template'] as Loose)['components'] as Loose[])[0]?.['parameters'][0]['action'][
        'flow_token'
      ],
    ),
  )
  expect(tokens).toEqual([
    expect.stringMatching(/^[0-9a-f]{32}$/),
    expect.stringMatching(/^[0-9a-f]{32}$/),
  ])
  expect(new Set(tokens).size).toBe(2)
  const to = String(payloads[0]?.['to']).slice(1)
  const customer = fixture.world.simulator.customer({
    phone: fixture.world.tenant.phoneId,
    waId: to,
  })
  await customer.completesFlow({ flow_token: tokens[0], words: 'Fine' })
  await fixture.world.settle()
  const { data } = await (await fixture.manager).get(`/api/flows/${flow['id']}/responses`)
  expect(
    (data['items'] as Loose[]).map((response) => [response['flow_token'], response['data'].words]),
  ).toEqual([[tokens[0], 'Fine']])
  expect(await fixture.campaign(id)).toMatchObject({ replied_count: 1, clicked_count: 0 })
  // The same in a chat.
  const contact = await fixture.world.contactOf()
  const chat = await (
    await fixture.manager
  ).post('/api/messages/template', { contact_id: contact['id'], template_id: templateId })
  await fixture.world.settle()
  const payload = takenBodies(fixture.world).find(
    (body) => body['biz_opaque_callback_data'] === chat.data['id'],
  )
  expect(payload?.['template']['components'][0]['parameters'][0]['action']['flow_token']).toMatch(
    /^[0-9a-f]{32}$/,
  )
  const { data: preview } = await (
    await fixture.manager
  ).post('/api/messages/preview', {
    contact_id: contact['id'],
    type: 'template',
    template_id: templateId,
  })
  const [shown] = (preview['platform_payload'] as Loose)['template']['components'] as Loose[]
  expect(shown?.['parameters'][0]['action']['flow_token']).toBe('made-when-it-is-sent')
  const next = await fixture.draftFor(numbersOf(30, 15_550_640_000), {
    template_id: templateId,
    variable_mapping: {},
    rate_limit: 5,
  })
  await fixture.do(next, 'start')
  await fixture.world.settle()
  fixture.world.clock.advance({ seconds: 1 })
  fixture.world.simulator.setFlowStatus(String(flow['meta_flow_id']), 'BLOCKED')
  expect(await fixture.run(next)).toMatchObject({
    status: 'paused',
    pause_reason: 'template',
    failed_count: 0,
  })
  expect((await fixture.do(next, 'resume')).body).toMatchObject({ code: 'template_not_approved' })
})

test('rejects authentication templates and stores no values for them', async () => {
  const components = [
    { type: 'BODY' },
    { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE' }] },
  ]
  const { id } = await approvedTemplate(fixture.world, { components, category: 'AUTHENTICATION' })
  const campaigns = () => fixture.world.rows('select count(*) as campaigns from campaigns')
  const before = campaigns()
  const asked = {
    name: 'Codes',
    account_id: fixture.world.tenant.accountId,
    template_id: id,
    default_params: { '1': '482913' },
  }
  const refused = await (await fixture.manager).post('/api/campaigns', asked)
  expect(refused).toMatchObject({
    status: 400,
    body: { code: 'template_not_approved', errors: [{ path: 'body.template_id' }] },
  })
  expect(campaigns()).toEqual(before)
  // A draft of before such templates were refused takes nothing either, until it has another
  // template.
  const draft = await fixture.draft({
    template_id: (await template(BODY)).id,
    variable_mapping: {},
  })
  const { sqlite } = fixture.world.program.http.db
  changeRows(sqlite, 'update campaigns set template_id = ? where id = ?', [id as string, draft])
  const manager = await fixture.manager
  const codes = { phone_number: '15550690001', template_params: { '1': '482913' } }
  const bytes = new TextEncoder().encode('Phone,1\n15550690001,482913\n')
  const answers = [
    await fixture.do(draft, 'recipients/import', { recipients: [codes] }),
    await sendForm(
      manager,
      `/api/campaigns/${draft}/recipients/import`,
      {},
      { name: 'a.csv', type: 'text/csv', bytes },
    ),
    await manager.put(`/api/campaigns/${draft}`, { default_params: { '1': '482913' } }),
    await manager.put(`/api/campaigns/${draft}`, {
      variable_mapping: { '1': { value: '482913' } },
    }),
  ]
  expect(answers.map(({ status, body }) => [status, body.code])).toEqual(
    answers.map(() => [400, 'template_not_approved']),
  )
  expect(await fixture.campaign(draft)).toMatchObject({
    total_recipients: 0,
    default_params: {},
    variable_mapping: {},
  })
  expect((await manager.put(`/api/campaigns/${draft}`, { name: 'Named anew' })).status).toBe(200)
})
