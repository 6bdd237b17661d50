import { createHash } from 'node:crypto'
import { describe, expect, test } from 'bun:test'
import { send, SOMEONE } from './fixtures'
import { errorOf, startPair } from './pair'
import type { Receiver } from './pair'
import { startSimulator } from '../../src/simulator/platform'

const valueOf = (receiver: Receiver, nth = 0): Record<string, unknown> =>
  receiver.got[nth]?.body.entry[0]?.changes[0]?.value ?? {}
const messageOf = (receiver: Receiver, nth = 0): unknown =>
  (valueOf(receiver, nth)['messages'] as unknown[])[0]

describe('a customer', () => {
  test('writes and answers', async () => {
    await using pair = await startPair()
    const ana = pair.simulator.customer({ waId: SOMEONE, name: 'Ana Sol', userId: 'US.90001' })
    const said = await ana.says('¿Hola? 🍕', { replyTo: 'wamid.QQ==' })
    expect(said.delivery.state).toBe('delivered')
    expect(valueOf(pair.receiver)).toEqual({
      messaging_product: 'whatsapp',
      metadata: { display_phone_number: '15550100001', phone_number_id: '301000000000001' },
      contacts: [{ profile: { name: 'Ana Sol' }, wa_id: SOMEONE, user_id: 'US.90001' }],
      messages: [
        {
          from: SOMEONE,
          from_user_id: 'US.90001',
          id: said.id,
          timestamp: '1790000000',
          context: { from: '15550100001', id: 'wamid.QQ==' },
          type: 'text',
          text: { body: '¿Hola? 🍕' },
        },
      ],
    })
  })

  test('without a number shows none', async () => {
    await using pair = await startPair()
    await pair.simulator.customer({ waId: null, userId: 'US.90001', username: '@ana' }).says('hi')
    expect(messageOf(pair.receiver)).not.toHaveProperty('from')
    expect(valueOf(pair.receiver)['contacts']).toEqual([
      { profile: { name: 'Ana Sol', username: '@ana' }, user_id: 'US.90001' },
    ])
  })

  test('performs every customer action', async () => {
    await using pair = await startPair()
    const ana = pair.simulator.customer()
    const original = 'wamid.QQ=='
    await ana.taps('yes', 'Yes', { replyTo: original })
    await ana.picks('std', 'Standard', { description: 'Slow' })
    await ana.tapsTemplate('ORDER_YES', 'Yes')
    await ana.completesFlow({ flow_token: 't', rating: '5' })
    await ana.reacts(original, '👍')
    await ana.reacts(original, null)
    await ana.sharesLocation({ latitude: 1.5, longitude: -2.5 })
    await ana.sharesContact({ name: 'Bo', phone: '+15550106666' })
    await ana.orders([
      { product_retailer_id: 'sku-77', quantity: 2, item_price: 30, currency: 'USD' },
    ])
    await ana.edits(original, 'corrected')
    await ana.deletes(original)
    await ana.changesNumber('15550108888')
    const parts = pair.receiver.got.map((_, nth) => messageOf(pair.receiver, nth))
    expect(parts).toMatchObject([
      {
        type: 'interactive',
        interactive: { type: 'button_reply', button_reply: { id: 'yes', title: 'Yes' } },
      },
      {
        type: 'interactive',
        interactive: { list_reply: { id: 'std', title: 'Standard', description: 'Slow' } },
      },
      { type: 'button', button: { payload: 'ORDER_YES', text: 'Yes' } },
      {
        type: 'interactive',
        interactive: { nfm_reply: { response_json: '{"flow_token":"t","rating":"5"}' } },
      },
      { type: 'reaction', reaction: { message_id: original, emoji: '👍' } },
      { type: 'reaction', reaction: { message_id: original } },
      { type: 'location', location: { latitude: 1.5, longitude: -2.5 } },
      { type: 'contacts', contacts: [{ name: { formatted_name: 'Bo' } }] },
      { type: 'order', order: { product_items: [{ quantity: 2 }] } },
      {
        type: 'edit',
        edit: { original_message_id: original, message: { text: { body: 'corrected' } } },
      },
      { type: 'revoke', revoke: { original_message_id: original } },
      { type: 'system', system: { type: 'user_changed_number', wa_id: '15550108888' } },
    ])
    expect(valueOf(pair.receiver, 11)).not.toHaveProperty('contacts')
  })

  test('sends a file that can be fetched with the token for five minutes', async () => {
    let now = 1_790_000_000_000
    await using pair = await startPair({ nowMs: () => now })
    const bytes = new TextEncoder().encode('not really a picture')
    await pair.simulator
      .customer()
      .sends({ type: 'image', mime: 'image/png', bytes, caption: 'look' })
    const { image } = messageOf(pair.receiver) as {
      image: { id: string; mime_type: string; sha256: string; caption: string }
    }
    const sha256 = createHash('sha256').update(bytes).digest('base64')
    expect(image).toMatchObject({ mime_type: 'image/png', caption: 'look', sha256 })
    const headers = {
      authorization: `Bearer ${pair.simulator.phone.token}`,
      'user-agent': 'Mozilla/5.0',
    }
    const facts = (await (
      await fetch(`${pair.simulator.url}/v25.0/${image.id}`, { headers })
    ).json()) as { url: string; file_size: number }
    expect(facts).toMatchObject({
      messaging_product: 'whatsapp',
      mime_type: 'image/png',
      sha256,
      file_size: 20,
      id: image.id,
    })
    expect((await fetch(facts.url)).status).toBe(401)
    expect(await (await fetch(facts.url, { headers })).text()).toBe('not really a picture')
    now += 5 * 60 * 1000 + 1
    expect((await fetch(facts.url, { headers })).status).toBe(404)
  })

  test('receives and reads messages', async () => {
    await using pair = await startPair({ statuses: [] })
    const ana = pair.simulator.customer({ waId: SOMEONE })
    const waiting = ana.waitForMessages(1)
    await pair.send(send('text', { body: 'not for Ana' }, { to: '15550108888' }))
    await pair.send(send('text', { body: 'for Ana' }))
    const [got] = await waiting
    expect(got?.body).toMatchObject({ text: { body: 'for Ana' } })
    expect(ana.received()).toHaveLength(1)
    await ana.reads(got?.wamid ?? '')
    expect(valueOf(pair.receiver)).toMatchObject({
      contacts: [{ wa_id: SOMEONE }],
      statuses: [{ id: got?.wamid, status: 'read' }],
    })
  })

  test('cannot write without a callback', async () => {
    await using simulator = await startSimulator()
    expect(await errorOf(simulator.customer().says('hi'))).toContain('No callback is set')
    expect(() => simulator.customer({ phone: 'unknown' })).toThrow('No phone number unknown')
  })
})

test('active customers write on their own, answer messages and stop', async () => {
  await using pair = await startPair({ statuses: [] })
  const customers = [pair.simulator.customer({ waId: SOMEONE }), pair.simulator.customer()]
  const lively = pair.simulator.live({ customers, everyMs: 1, answerMs: 1, atMost: 3, seed: 2 })
  await pair.simulator.waitForDeliveries(3)
  const buttons = [{ type: 'reply', reply: { id: 'yes', title: 'Yes' } }]
  await pair.send(
    send('interactive', { type: 'button', body: { text: 'Confirm?' }, action: { buttons } }),
  )
  await pair.simulator.waitForDeliveries(5)
  lively.stop()
  expect([lively.remarks, lively.answers]).toEqual([3, 1])
  expect(pair.receiver.got.map((item) => item.text).join('')).toContain(
    '"button_reply":{"id":"yes","title":"Yes"}',
  )
})
