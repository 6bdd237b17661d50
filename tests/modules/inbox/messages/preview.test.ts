import { describe, expect, test } from 'bun:test'

import type { Loose } from '../../../support/client'
import { personWith } from '../../../support/people'
import { openSendFixture, tracesIn, type SendFixture } from '../../../support/sending'
import { changeRows } from '../../../support/sql'

const BUTTONS = {
  type: 'interactive',
  interactive: { type: 'button', body: 'Confirm?', buttons: [{ id: 'yes', title: 'Yes' }] },
}

const preview = (fixture: SendFixture, body: Loose) =>
  fixture.client.post('/api/messages/preview', { contact_id: fixture.contact['id'], ...body })

describe('a preview', () => {
  test('returns the content and payload without storing, sending or fetching anything', async () => {
    await using fixture = await openSendFixture()
    const before = tracesIn(fixture.world)
    const { status, data } = await preview(fixture, BUTTONS)
    expect(status).toBe(200)
    await fixture.world.settle()
    expect(tracesIn(fixture.world)).toEqual(before)
    expect(fixture.world.simulator.messages).toEqual([])
    const { message, payload } = await fixture.sent(BUTTONS)
    const { biz_opaque_callback_data: _, ...asked } = payload
    expect(data).toEqual({
      rendered: { type: 'interactive', content: message['content'] },
      platform_payload: asked,
      platform_path: 'messages',
      window_open: true,
      estimated_cost: null,
      warnings: [],
    })
  })

  test('includes the quote, and warns if the platform would not accept it', async () => {
    await using fixture = await openSendFixture()
    const { world, contact, client } = fixture
    const [asked] = (await client.get(`/api/contacts/${contact['id']}/messages`)).data[
      'items'
    ] as Loose[]
    const body = { type: 'text', text: 'Hi', reply_to: asked?.['id'] }
    expect((await preview(fixture, body)).data['platform_payload']['context']).toEqual({
      message_id: asked?.['wa_message_id'],
    })
    world.program.http.db.sqlite.run(
      'update messages set timestamp_ms = timestamp_ms - 31 * 86400000',
    )
    const late = (await preview(fixture, body)).data
    expect(late['platform_payload']).not.toHaveProperty('context')
    expect(late['warnings']).toEqual(['quote_not_sent'])
  })

  test('reports a closed window instead of failing', async () => {
    await using fixture = await openSendFixture()
    fixture.world.program.http.db.sqlite.run('update conversations set last_inbound_at_ms = 1')
    expect((await preview(fixture, { type: 'text', text: 'Hi' })).data['window_open']).toBe(false)
  })

  test('works for an unknown number without creating a contact', async () => {
    await using fixture = await openSendFixture()
    fixture.world.stays('jobs')
    const before = tracesIn(fixture.world)
    const { data } = await fixture.client.post('/api/messages/preview', {
      phone_number: '+1 555 010 7777',
      type: 'text',
      text: 'Hi',
    })
    expect(data).toMatchObject({ platform_payload: { to: '+15550107777' }, window_open: false })
    const byId = await fixture.client.post('/api/messages/preview', {
      user_id: 'US.900000000000000000018',
      type: 'text',
      text: 'Hi',
    })
    expect(byId.data['platform_payload']).toMatchObject({ recipient: 'US.900000000000000000018' })
    expect(tracesIn(fixture.world)).toEqual(before)
  })

  test('warns when the message would wait for its number', async () => {
    await using fixture = await openSendFixture()
    fixture.world.program.http.db.sqlite.run("update accounts set status = 'disconnected'")
    expect((await preview(fixture, { type: 'text', text: 'Hi' })).data['warnings']).toEqual([
      'held_until_active',
    ])
  })

  test('masks the number for callers who cannot see numbers', async () => {
    await using fixture = await openSendFixture()
    const { world, contact } = fixture
    world.program.http.db.sqlite.run('update organizations set mask_phone_numbers = 1')
    const { client } = await personWith(world, [
      'messages:create',
      'messages:read',
      'contacts:read',
      'contacts:read_all',
    ])
    const { body } = await client.post('/api/messages/preview', {
      contact_id: contact['id'],
      type: 'text',
      text: 'Hi',
    })
    expect(body.data['platform_payload']['to']).toBe('+*******9999')
    expect(JSON.stringify(body)).not.toContain(String(contact['wa_id']))
  })

  test.each<[string, Loose, string]>([
    ['a body that is no good', { type: 'text', text: ' ' }, 'invalid_input'],
    [
      'a quote of another contact',
      { type: 'text', text: 'Hi', reply_to: '01900000-0000-7000-8000-ffffffffffff' },
      'invalid_input',
    ],
    [
      'a file nobody has',
      { type: 'image', media_id: '01900000-0000-7000-8000-ffffffffffff' },
      'invalid_input',
    ],
    ['a type that is not sent so', { type: 'template' }, 'invalid_input'],
    [
      'an address of a file that is none',
      { type: 'image', media_url: 'ftp://example.com/a.jpg' },
      'media_url_refused',
    ],
  ])('refuses %s as sending does', async (_, body, code) => {
    await using fixture = await openSendFixture()
    expect(await preview(fixture, body)).toMatchObject({ status: 400, body: { code } })
  })

  test.each([
    ["update accounts set status = 'suspended'", 400, 'account_inactive'],
    ['update contacts set blocked_at_ms = 1', 400, 'contact_blocked'],
    ['update contacts set phone_number = null, wa_id = null, user_id = null', 400, 'no_address'],
    ['update contacts set deleted_at_ms = 1', 404, 'not_found'],
  ] as const)('refuses after %p as sending does', async (change, status, code) => {
    await using fixture = await openSendFixture()
    changeRows(fixture.world.program.http.db.sqlite, change)
    expect(await preview(fixture, { type: 'text', text: 'Hi' })).toMatchObject({
      status,
      body: { code },
    })
  })

  test('requires a credential', async () => {
    await using fixture = await openSendFixture()
    expect((await fixture.world.anyone.post('/api/messages/preview', {})).status).toBe(401)
  })
})
