import { describe, expect, test } from 'bun:test'
import { send } from './fixtures'
import { errorOf, startPair, statusNames } from './pair'
import { batch, textMessage } from '../../src/simulator/payloads'

const hi = send('text', { body: 'hi' })

describe('webhooks', () => {
  test('follow a message in order, with the platform’s fields', async () => {
    await using pair = await startPair({ statuses: ['sent', 'delivered', 'read'] })
    const answer = (await (await pair.send(hi)).json()) as { messages: { id: string }[] }
    await pair.simulator.idle()
    expect(statusNames(pair.receiver)).toEqual(['sent', 'delivered', 'read'])
    expect(pair.receiver.got[0]?.body).toMatchObject({
      object: 'whatsapp_business_account',
      entry: [
        {
          id: '201000000000001',
          changes: [
            {
              field: 'messages',
              value: {
                metadata: {
                  display_phone_number: '15550100001',
                  phone_number_id: '301000000000001',
                },
                statuses: [
                  {
                    id: answer.messages[0]?.id,
                    timestamp: '1790000000',
                    recipient_id: '15550109999',
                    pricing: { category: 'service' },
                  },
                ],
              },
            },
          ],
        },
      ],
    })
    expect(pair.receiver.got[0]?.headers.get('user-agent')).toBe('facebookexternalua')
  })

  test('are retried until they are answered with 200', async () => {
    await using pair = await startPair(
      { retryDelaysMs: [0, 0, 0] },
      (nth) => [503, 204, 200][nth] ?? 200,
    )
    const delivery = await pair.simulator.deliver(textMessage('hi'))
    expect(delivery.state).toBe('delivered')
    expect(delivery.attempts.map((attempt) => attempt.status)).toEqual([503, 204, 200])
  })

  test('are given up after the last attempt, also without any response', async () => {
    await using pair = await startPair({ retryDelaysMs: [0] }, () => 500)
    expect((await pair.simulator.deliver(textMessage('hi'))).state).toBe('gave-up')
    await pair.receiver.stop()
    const delivery = await pair.simulator.deliver(textMessage('hi'))
    expect(delivery.attempts.map((attempt) => attempt.status)).toEqual([undefined, undefined])
    expect(delivery.attempts[0]?.error).toBeString()
    await pair.simulator.idle()
  })

  test('are duplicated on request', async () => {
    await using pair = await startPair()
    pair.simulator.deliverTwice()
    await pair.simulator.deliver(textMessage('hi'))
    expect(pair.receiver.got).toHaveLength(2)
    expect(pair.receiver.got[0]?.text).toBe(pair.receiver.got[1]?.text ?? '')
  })

  test('are held until released, optionally reversed or shuffled, reproducibly for the same seed', async () => {
    const orders: unknown[][] = []
    for (const order of ['kept', 'reversed', 'shuffled', 'shuffled'] as const) {
      await using pair = await startPair({
        seed: 3,
        statuses: ['sent', 'delivered', 'read', 'played'],
      })
      pair.simulator.hold()
      await pair.send(hi)
      await pair.simulator.idle()
      expect([pair.simulator.held, pair.receiver.got.length]).toEqual([4, 0])
      pair.simulator.release(order)
      await pair.simulator.idle()
      orders.push(statusNames(pair.receiver))
    }
    expect(orders[0]).toEqual(['sent', 'delivered', 'read', 'played'])
    expect(orders[1]).toEqual(['played', 'read', 'delivered', 'sent'])
    expect(orders[2]).not.toEqual(orders[0] ?? [])
    expect(orders[3]).toEqual(orders[2] ?? [])
  })

  test('are sent in random order on request', async () => {
    await using pair = await startPair({
      seed: 5,
      statuses: ['sent', 'delivered', 'read', 'played'],
    })
    pair.simulator.deliverDisordered()
    await pair.send(hi)
    await pair.simulator.idle()
    expect(new Set(statusNames(pair.receiver))).toEqual(
      new Set(['sent', 'delivered', 'read', 'played']),
    )
    expect(statusNames(pair.receiver)).not.toEqual(['sent', 'delivered', 'read', 'played'])
  })

  test('are posted with limited concurrency', async () => {
    let open = 0
    let most = 0
    const gate = Promise.withResolvers<void>()
    await using pair = await startPair({ concurrency: 3 }, async () => {
      open += 1
      most = Math.max(most, open)
      if (open === 3) gate.resolve()
      await gate.promise
      open -= 1
      return 200
    })
    await Promise.all(
      Array.from({ length: 9 }, (_, nth) => pair.simulator.deliver(textMessage(`text ${nth}`))),
    )
    expect(most).toBe(3)
    expect(await pair.simulator.waitForDeliveries(9)).toHaveLength(9)
  })

  test('can carry a thousand messages', async () => {
    await using pair = await startPair()
    await pair.simulator.deliver(batch(1000))
    const value = pair.receiver.got[0]?.body.entry[0]?.changes[0]?.value
    const messages = value?.['messages'] as { id: string }[]
    expect(new Set(messages.map((message) => message.id)).size).toBe(1000)
  })
})

describe('waiting', () => {
  test('fails with a clear message at its deadline', async () => {
    await using pair = await startPair()
    expect(
      await errorOf(pair.simulator.waitForCalls(2, { route: 'messages', deadlineMs: 1 })),
    ).toContain('Waited for 2 calls')
    expect(await errorOf(pair.simulator.waitForDeliveries(1, { deadlineMs: 1 }))).toContain(
      'Waited for 1 webhooks',
    )
  })

  test('resolves when the nth matching call arrives', async () => {
    await using pair = await startPair({ statuses: [] })
    const waiting = pair.simulator.waitForMessages(2)
    pair.simulator.fail({ code: 131016 })
    for (let nth = 0; nth < 3; nth += 1) await pair.send(hi)
    expect((await waiting).map((call) => call.index)).toEqual([1, 2])
  })

  test('ends when the simulator stops', async () => {
    await using pair = await startPair()
    const waiting = pair.simulator.waitForCalls(1)
    await pair.simulator.stop()
    expect(await errorOf(waiting)).toContain('was stopped')
  })

  test('the call log is bounded', async () => {
    await using pair = await startPair({ statuses: [], keep: 5 })
    for (let nth = 0; nth < 23; nth += 1) await pair.send(hi)
    expect(pair.simulator.calls.length).toBeLessThanOrEqual(10)
    expect(pair.simulator.calls.at(-1)?.index).toBe(22)
    pair.simulator.reset()
    expect(pair.simulator.calls).toHaveLength(0)
  })
})
