import { afterAll, beforeAll, expect, test } from 'bun:test'

import { SAMPLES } from '../../../../src/simulator/sample-files'
import type { Client, Loose } from '../../../support/client'
import { openSendFixture, sendForm, type SendFixture } from '../../../support/sending'
import { changeRows } from '../../../support/sql'
import { approvedTemplate, draftTemplate } from '../../../support/templates'

let fixture: SendFixture
let manager: Client

beforeAll(async () => {
  fixture = await openSendFixture()
  manager = await fixture.world.as('manager')
})

afterAll(() => fixture.world.stop())

const JPEG = { name: 'sale.jpg', type: 'image/jpeg', bytes: SAMPLES['image/jpeg'] }
const BODY = {
  type: 'BODY',
  text: 'Hello {{1}}, your order {{2}} is on its way to you.',
  example: { body_text: [['Ana', '1']] },
}

test('an uploaded sample or a stored file makes a file header publishable', async () => {
  const { status, data } = await sendForm(
    manager,
    '/api/templates/upload-media',
    { account_id: fixture.world.tenant.accountId ?? '' },
    JPEG,
  )
  const { handle, media_id: mediaId, ...facts } = data
  expect({ status, facts }).toEqual({
    status: 201,
    facts: { filename: 'sale.jpg', mime_type: 'image/jpeg', size_bytes: JPEG.bytes.length },
  })
  const header = { type: 'HEADER', format: 'IMAGE' }
  const withHandle = await draftTemplate(fixture.world, {
    components: [{ ...header, example: { header_handle: [handle] } }, BODY],
  })
  expect((await manager.post(`/api/templates/${withHandle['id']}/publish`)).body).toMatchObject({
    status: 'success',
  })
  const withFile = await draftTemplate(fixture.world, {
    components: [header, BODY],
    header_media_id: mediaId as string,
  })
  const published = await manager.post(`/api/templates/${withFile['id']}/publish`)
  expect({ status: published.status, media: published.data['header_media_id'] }).toEqual({
    status: 200,
    media: mediaId,
  })
  const wrong = await sendForm(
    manager,
    '/api/templates/upload-media',
    { account_id: fixture.world.other.accountId ?? '' },
    JPEG,
  )
  expect({ status: wrong.status, path: wrong.body.errors?.[0]?.path }).toEqual({
    status: 400,
    path: 'body.account_id',
  })
})

test('a template is looked at with whatever values there are', async () => {
  const { id } = await draftTemplate(fixture.world, {
    components: [
      BODY,
      {
        type: 'BUTTONS',
        buttons: [{ type: 'URL', text: 'Go', url: 'https://example.com/{{1}}', example: ['x'] }],
      },
    ],
  })
  const { status, data } = await manager.post(`/api/templates/${id}/preview`, {
    template_params: { '1': 'Bo', '3': 'x' },
    contact_id: fixture.contact['id'],
  })
  expect({ status, data }).toMatchObject({
    status: 200,
    data: {
      body: 'Hello Bo, your order {{2}} is on its way to you.',
      missing: ['2', 'button_params.0'],
      problems: [{ path: 'body.template_params.3', message: expect.any(String) }],
      estimated_cost: null,
    },
  })
})

test('sends a test message and counts it in the statistics', async () => {
  const { id, name } = await approvedTemplate(fixture.world, {
    components: [BODY, { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'Thanks' }] }],
  })
  const root = await fixture.world.as('super')
  await root.post('/api/prices/import', {
    rows: [
      {
        country: '*',
        category: 'utility',
        price: '0.01',
        currency: 'USD',
        effective_from: '2026-01-01',
      },
    ],
  })
  const tried = await manager.post(`/api/templates/${id}/test`, {
    phone_number: '+1 555 010 9990',
    template_params: { '1': 'a', '2': 'b' },
  })
  expect({ status: tried.status, name: tried.data['template_name'] }).toEqual({ status: 201, name })
  expect(
    (await manager.post(`/api/templates/${id}/test`, { phone_number: '+1 555 010 9990' })).body
      .code,
  ).toBe('missing_params')
  fixture.world.simulator.fail({ code: 131_026, message: 'undeliverable' })
  await fixture.world.settle()
  const again = await manager.post(`/api/templates/${id}/test`, {
    phone_number: '+1 555 010 9991',
    template_params: { '1': 'a', '2': 'b' },
  })
  await fixture.world.settle()
  const { data: message } = await manager.get(`/api/messages/${again.data['id']}`)
  const value = {
    messaging_product: 'whatsapp',
    metadata: {
      display_phone_number: '15550100001',
      phone_number_id: fixture.world.tenant.phoneId,
    },
  }
  const tap = {
    from: '15550109991',
    id: 'wamid.TAP',
    timestamp: String(Math.floor(fixture.world.clock.nowMs() / 1000)),
    type: 'button',
    button: { payload: 'Thanks', text: 'Thanks' },
    context: { from: '15550100001', id: message['wa_message_id'] },
  }
  await fixture.world.simulator.post({
    object: 'whatsapp_business_account',
    entry: [
      {
        id: fixture.world.tenant.wabaId,
        changes: [{ field: 'messages', value: { ...value, messages: [tap] } }],
      },
    ],
  })
  await fixture.world.settle()
  const { data } = await manager.get(`/api/templates/${id}/stats`)
  expect(data).toMatchObject({
    sent: 1,
    delivered: 1,
    read: 0,
    failed: 1,
    clicks: [{ button: 'Thanks', count: 1 }],
  })
  expect(data['cost']).toMatchObject({ currency: 'USD' } as Loose)
  expect(
    (
      await manager.get(
        `/api/templates/${id}/stats?from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z`,
      )
    ).status,
  ).toBe(400)
})

test('a message that failed after it was accepted was sent, one that was refused was not', async () => {
  const { id } = await approvedTemplate(fixture.world, { components: [BODY] })
  const send = async (number: string): Promise<void> => {
    await manager.post(`/api/templates/${id}/test`, {
      phone_number: number,
      template_params: { '1': 'a', '2': 'b' },
    })
    await fixture.world.settle()
  }
  fixture.world.simulator.failLater({ code: 131_026 })
  await send('+1 555 010 9980')
  fixture.world.simulator.fail({ code: 131_026 })
  await send('+1 555 010 9981')
  const { data } = await manager.get(`/api/templates/${id}/stats`)
  expect(data).toMatchObject({ sent: 1, delivered: 0, failed: 2 })
})

test('its use is that of thirty days, and the last time', async () => {
  const { world } = fixture
  const { id } = await approvedTemplate(world, { components: [BODY] })
  const send = async (number: string): Promise<void> => {
    await manager.post(`/api/templates/${id}/test`, {
      phone_number: number,
      template_params: { '1': 'a', '2': 'b' },
    })
    await world.settle()
  }
  const usage = async (): Promise<unknown> => {
    manager = await world.as('manager')
    return (await manager.get(`/api/templates/${id}`)).data['usage']
  }
  await send('+1 555 010 9970')
  world.clock.advance({ hours: 24 })
  manager = await world.as('manager')
  await send('+1 555 010 9971')
  const lastSentAt = ((await usage()) as Loose)['last_sent_at']
  expect(Date.parse(String(lastSentAt))).toBeGreaterThan(world.clock.nowMs() - 3_600_000)
  world.clock.advance({ hours: 28 * 24 })
  expect(await usage()).toEqual({ sent_30d: 2, last_sent_at: lastSentAt })
  world.clock.advance({ hours: 24 })
  expect(await usage()).toEqual({ sent_30d: 1, last_sent_at: lastSentAt })
  world.clock.advance({ hours: 24 })
  expect(await usage()).toEqual({ sent_30d: 0, last_sent_at: lastSentAt })
})

test('its cost is what the platform has settled, unknown if one price is', async () => {
  const { world } = fixture
  manager = await world.as('manager')
  const { id } = await approvedTemplate(world, { components: [BODY] })
  const sent: string[] = []
  for (const last of ['0', '1', '2', '3']) {
    const { data } = await manager.post(`/api/templates/${id}/test`, {
      phone_number: `+1 555 010 996${last}`,
      template_params: { '1': 'a', '2': 'b' },
    })
    await world.settle()
    sent.push(String(data['id']))
    world.clock.advance({ minutes: 1 })
  }
  const settle = (nth: number, micros: number | null, currency: string, isEstimate = 0) =>
    changeRows(
      world.program.http.db.sqlite,
      'update messages set cost_micros = ?, cost_currency = ?, is_cost_estimate = ? where id = ?',
      [micros, currency, isEstimate, sent[nth] ?? ''],
    )
  const stats = async (query = ''): Promise<Loose> =>
    (await manager.get(`/api/templates/${id}/stats${query}`)).data
  settle(0, 30_000, 'USD')
  settle(1, 50_000, 'USD')
  settle(2, 70_000, 'EUR')
  settle(3, 90_000, 'USD', 1)
  expect(await stats()).toMatchObject({ sent: 4, cost: { amount: '0.08', currency: 'USD' } })
  settle(3, null, 'USD', 1)
  expect(await stats()).toMatchObject({ sent: 4, cost: { amount: '0.08', currency: 'USD' } })
  settle(2, null, 'USD')
  expect(await stats()).toMatchObject({ sent: 4, cost: null })
  const ago = (minutes: number): string =>
    new Date(world.clock.nowMs() - minutes * 60_000).toISOString()
  expect(await stats(`?from=${ago(4.5)}&to=${ago(2.5)}`)).toMatchObject({
    sent: 2,
    cost: { amount: '0.08', currency: 'USD' },
  })
  expect(await stats(`?from=${ago(0.5)}`)).toEqual({
    ...{ sent: 0, delivered: 0, read: 0, failed: 0, clicks: [] },
    cost: { amount: '0.00', currency: 'USD' },
  })
})
