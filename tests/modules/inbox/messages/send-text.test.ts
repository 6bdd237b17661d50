import { describe, expect, test } from 'bun:test'

import { HOUR_MS } from '../../../../src/lib/clock'
import type { Loose } from '../../../support/client'
import { deliver, takenBodies, textTo } from '../../../support/lines'
import { secondNumber } from '../../../support/second-number'
import { World } from '../../../support/world'
import { changeRows } from '../../../support/sql'

async function withContact() {
  const world = await World.create()
  const contact = await world.contactOf()
  const url = `/api/contacts/${contact['id']}/messages`
  const manager = await world.as('manager')
  return {
    world,
    contact,
    url,
    manager,
    send: (body: unknown) => manager.post(url, body),
    [Symbol.asyncDispose]: () => world.stop(),
  }
}

describe('a text', () => {
  test('is returned as pending before it is sent', async () => {
    await using at = await withContact()
    const answer = await at.send({ type: 'text', text: 'Yes, we do.', client_ref: 'my-ref-1' })
    expect(answer).toMatchObject({
      status: 201,
      data: {
        contact_id: at.contact['id'],
        account_id: at.world.tenant.accountId,
        wa_message_id: null,
        direction: 'outgoing',
        type: 'text',
        content: { text: 'Yes, we do.' },
        status: 'pending',
        timestamp: '2026-11-21T09:30:00.000Z',
        sent_at: null,
        error: null,
        reply_to: null,
        preview: 'Yes, we do.',
        warnings: [],
        source: 'agent',
        sent_by: { id: at.world.tenant.userIds.manager, name: 'Acme manager' },
        client_ref: 'my-ref-1',
        pricing: null,
      },
    })
    expect(at.world.simulator.messages).toEqual([])
    await at.world.settle()
    const after = (await at.manager.get(`/api/messages/${answer.data['id']}`)).data
    expect(after).toMatchObject({
      status: 'delivered',
      sent_at: '2026-11-21T09:30:00.000Z',
      client_ref: 'my-ref-1',
      pricing: { category: 'service', billable: false },
    })
  })

  test.each<[string, Loose, string]>([
    ['text', { text: 'Hi' }, 'Hi'],
    ['content.text', { content: { text: 'Hi' } }, 'Hi'],
    ['both when they agree', { text: 'Hi', content: { text: 'Hi' } }, 'Hi'],
    ['spaces around it', { text: '  Hi  ' }, '  Hi  '],
    ['line ends of Windows', { text: 'a\r\nb' }, 'a\nb'],
    ['4096 emoji', { text: '🍕'.repeat(4_096) }, '🍕'.repeat(4_096)],
    ['a right-to-left text', { text: 'مرحبا 🍕 café' }, 'مرحبا 🍕 café'],
    ['unknown fields beside', { text: 'Hi', surprise: 1, media_url: 'x' }, 'Hi'],
  ])('given as %s goes out exactly', async (_, fields, sent) => {
    await using at = await withContact()
    expect((await at.send({ type: 'text', ...fields })).status).toBe(201)
    await at.world.settle()
    expect(takenBodies(at.world)).toMatchObject([
      {
        type: 'text',
        to: `+${String(at.contact['wa_id'])}`,
        text: { body: sent, preview_url: false },
      },
    ])
  })

  test('with preview_url asks the platform for a preview', async () => {
    await using at = await withContact()
    await at.send({ type: 'text', text: 'https://example.com', preview_url: true })
    await at.world.settle()
    expect(takenBodies(at.world)).toMatchObject([{ text: { preview_url: true } }])
  })

  test('carries the message ID, by which its statuses are matched', async () => {
    await using at = await withContact()
    const { data } = await at.send({ type: 'text', text: 'Hi' })
    await at.world.settle()
    expect(takenBodies(at.world)).toMatchObject([{ biz_opaque_callback_data: data['id'] }])
  })

  test('quotes the message it replies to', async () => {
    await using at = await withContact()
    const [theirs] = (await at.manager.get(at.url)).data['items'] as Loose[]
    const answer = await at.send({ type: 'text', text: 'Quoting', reply_to: theirs?.['id'] })
    expect(answer.data['reply_to']).toEqual({ id: theirs?.['id'], type: 'text', preview: 'Hello!' })
    await at.world.settle()
    expect(takenBodies(at.world)).toMatchObject([
      { context: { message_id: theirs?.['wa_message_id'] } },
    ])
    const socket = await at.world.socket('manager')
    await deliver(
      at.world,
      textTo(at.world, 'Quoting back', {
        person: { waId: String(at.contact['wa_id']) },
        context: { from: '1', id: at.world.simulator.messages[0]?.wamid },
      }),
    )
    await socket.caughtUp()
    expect(socket.events('message:new')[0]?.payload['reply_to']).toEqual({
      id: answer.data['id'],
      type: 'text',
      preview: 'Quoting',
    })
  })

  test('is sent without the quote of a message older than 30 days, with a warning', async () => {
    await using at = await withContact()
    const [theirs] = (await at.manager.get(at.url)).data['items'] as Loose[]
    at.world.clock.advance({ hours: 24 * 30, seconds: 1 })
    await deliver(
      at.world,
      textTo(at.world, 'Me again', { person: { waId: String(at.contact['wa_id']) } }),
    )
    const manager = await at.world.as('manager')
    const { data } = await manager.post(at.url, {
      type: 'text',
      text: 'Quoting',
      reply_to: theirs?.['id'],
    })
    await at.world.settle()
    expect(takenBodies(at.world)[0]).not.toHaveProperty('context')
    expect((await manager.get(`/api/messages/${data['id']}`)).data['warnings']).toEqual([
      'quote_not_sent',
    ])
  })

  test('is published with its client_ref before its statuses', async () => {
    await using at = await withContact()
    const socket = await at.world.socket('agent')
    const watching = await at.world.socket('manager')
    const { data } = await at.send({ type: 'text', text: 'Hi', client_ref: 'tab-7' })
    await at.world.settle()
    await watching.caughtUp()
    expect(
      watching
        .events()
        .filter(({ type }) => type.startsWith('message:'))
        .map(({ type, payload }) => [type, payload['id'], payload['status']]),
    ).toEqual([
      ['message:new', data['id'], 'pending'],
      ['message:status', data['id'], 'sent'],
      ['message:status', data['id'], 'delivered'],
    ])
    expect(watching.events('message:new')[0]?.payload['client_ref']).toBe('tab-7')
    expect(await socket.caughtUp()).toEqual([])
  })
})

describe('the phone number a text is sent from', () => {
  const usedBy = (world: World): Set<string | undefined> =>
    new Set(world.simulator.messages.map(({ object }) => object))

  test('is the requested one if its window is open', async () => {
    await using at = await withContact()
    const line = await secondNumber(at.world)
    const second = line.accountId
    expect((await at.send({ type: 'text', text: 'Hi', account_id: second })).body.code).toBe(
      'window_closed',
    )
    await deliver(
      at.world,
      textTo(at.world, 'To the second', { line, person: { waId: String(at.contact['wa_id']) } }),
    )
    expect(
      (await at.send({ type: 'text', text: 'Hi', account_id: second })).data['account_id'],
    ).toBe(second)
    expect(
      (await at.send({ type: 'text', text: 'Hi', account_id: at.world.tenant.accountId })).data[
        'account_id'
      ],
    ).toBe(at.world.tenant.accountId)
    await at.world.settle()
    expect(usedBy(at.world)).toEqual(new Set([at.world.tenant.phoneId, line.phoneNumberId]))
    expect((await at.manager.get('/api/conversations')).data['total']).toBe(2)
  })

  test('has a window of 24 hours of its own, to the millisecond', async () => {
    await using at = await withContact()
    const { world } = at
    const line = await secondNumber(world)
    world.clock.advance({ hours: 1 })
    await deliver(
      world,
      textTo(world, 'To the second', { line, person: { waId: String(at.contact['wa_id']) } }),
    )
    const sends = async (account_id: unknown): Promise<unknown> => {
      const manager = await world.as('manager')
      const { status, body } = await manager.post(at.url, { type: 'text', text: 'Hi', account_id })
      return status === 201 ? 201 : [body.code, body.details]
    }
    const both = async (): Promise<unknown[]> => [
      await sends(world.tenant.accountId),
      await sends(line.accountId),
    ]
    const closed = (window_expires_at: string, closed_for_seconds: number): unknown => [
      'window_closed',
      { window_expires_at, closed_for_seconds },
    ]
    const [first, second] = ['2026-11-22T09:30:00.000Z', '2026-11-22T10:30:00.000Z']
    world.clock.advance({ ms: 23 * HOUR_MS - 1 })
    expect(await both()).toEqual([201, 201])
    await world.settle()
    world.clock.advance({ ms: 1 })
    expect(await both()).toEqual([closed(first, 0), 201])
    const { data } = await (await world.as('manager')).get(`/api/contacts/${at.contact['id']}`)
    expect(data['window_expires_at']).toBe(second)
    // What was stored while the window was open and waits is checked again.
    world.clock.advance({ hours: 1 })
    await world.settle()
    expect(await both()).toEqual([closed(first, 3_600), closed(second, 0)])
    expect(
      world.rows(
        "select status, json_extract(error, '$.code') as code from messages where direction = 'outgoing' order by row",
      ),
    ).toEqual([
      { status: 'delivered', code: null },
      { status: 'delivered', code: null },
      { status: 'failed', code: 'window_closed' },
    ])
  })

  test('is the one the contact used last, rather than the default', async () => {
    await using at = await withContact()
    await secondNumber(at.world, { is_default_outgoing: true })
    expect((await at.send({ type: 'text', text: 'Hi' })).data['account_id']).toBe(
      at.world.tenant.accountId,
    )
  })

  test('is the default when the contact used none', async () => {
    await using at = await withContact()
    const line = await secondNumber(at.world, { is_default_outgoing: true })
    const second = line.accountId
    await deliver(
      at.world,
      textTo(at.world, 'To the second', { line, person: { waId: String(at.contact['wa_id']) } }),
    )
    at.world.program.http.db.sqlite.run('update contacts set account_id = null')
    expect((await at.send({ type: 'text', text: 'Hi' })).data['account_id']).toBe(second)
  })

  test('is the only active one when there is no default', async () => {
    await using at = await withContact()
    await secondNumber(at.world)
    at.world.program.http.db.sqlite.run('update contacts set account_id = null')
    at.world.program.http.db.sqlite.run(
      "update accounts set is_default_outgoing = 0, status = case name when 'Second' then 'disconnected' else status end",
    )
    expect((await at.send({ type: 'text', text: 'Hi' })).data['account_id']).toBe(
      at.world.tenant.accountId,
    )
  })

  test.each(['pending', 'disconnected'])(
    'may be %s: 201, and held until it is active',
    async (status) => {
      await using at = await withContact()
      changeRows(at.world.program.http.db.sqlite, `update accounts set status = '${status}'`)
      const { data } = await at.send({ type: 'text', text: 'Hi' })
      await at.world.settle()
      expect((await at.manager.get(`/api/messages/${data['id']}`)).data['status']).toBe('pending')
      expect(at.world.simulator.messages).toEqual([])
      await (
        await at.world.as('admin')
      ).put(`/api/accounts/${at.world.tenant.accountId}`, { access_token: at.world.tenant.token })
      await at.world.settle()
      expect((await at.manager.get(`/api/messages/${data['id']}`)).data['status']).toBe('delivered')
    },
  )
})
