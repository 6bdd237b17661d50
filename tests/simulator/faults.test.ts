import { describe, expect, test } from 'bun:test'
import { send, SOMEONE } from './fixtures'
import { errorOf, startPair, statusNames } from './pair'

const hi = send('text', { body: 'hi' }, { biz_opaque_callback_data: 'msg-1' })

describe('a response can be', () => {
  test('any error of the platform, for the next call only', async () => {
    await using pair = await startPair()
    pair.simulator.fail({
      code: 130429,
      httpStatus: 429,
      retryAfter: 3,
      details: 'slow down',
      subcode: 2494055,
    })
    const refused = await pair.send(hi)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '3'])
    expect(await refused.json()).toMatchObject({
      error: {
        message: '(#130429) Rate limit hit',
        code: 130429,
        error_subcode: 2494055,
        is_transient: true,
        error_data: { messaging_product: 'whatsapp', details: 'slow down' },
      },
    })
    expect((await pair.send(hi)).status).toBe(200)
    expect(pair.simulator.messages).toHaveLength(1)
  })

  test('an error for one recipient or one number, a number of times or until removed', async () => {
    await using pair = await startPair()
    const other = send('text', { body: 'hi' }, { to: '+1 555-010-8888' })
    const handle = pair.simulator.fail({ code: 131056 }, { recipient: '15550108888', times: 2 })
    const statuses: number[] = []
    for (const body of [hi, other, hi, other, other]) statuses.push((await pair.send(body)).status)
    expect(statuses).toEqual([200, 400, 200, 400, 200])
    expect(handle.remaining).toBe(0)
    const lasting = pair.simulator.fail(
      { code: 131057 },
      { phone: pair.simulator.phone.id, times: Infinity },
    )
    expect([(await pair.send(hi)).status, (await pair.send(hi)).status]).toEqual([500, 500])
    lasting.clear()
    pair.simulator.fail({ code: 1 }, { phone: 'another' })
    expect((await pair.send(hi)).status).toBe(200)
  })

  test('an HTML page', async () => {
    await using pair = await startPair()
    pair.simulator.answerHtml()
    const response = await pair.send(hi)
    expect([response.status, response.headers.get('content-type')]).toEqual([
      502,
      'text/html; charset=utf-8',
    ])
    expect(await response.text()).toStartWith('<!DOCTYPE html>')
    expect(pair.simulator.messages).toHaveLength(0)
  })

  test('lost although the message was accepted', async () => {
    await using pair = await startPair()
    pair.simulator.loseAnswer()
    expect(await errorOf(pair.send(hi))).toContain('closed')
    await pair.simulator.idle()
    expect(pair.simulator.messages).toHaveLength(1)
    expect(pair.simulator.messages[0]?.answer).toMatchObject({ status: 200, lost: true })
    expect(statusNames(pair.receiver)).toEqual(['sent', 'delivered'])
    expect(pair.receiver.got[0]?.text).toContain('"biz_opaque_callback_data":"msg-1"')
  })

  test('slow, with the call open until then', async () => {
    await using pair = await startPair()
    pair.simulator.slow(600_000)
    const answer = pair.send(hi)
    const [call] = await pair.simulator.waitForCalls(1)
    expect(call?.answer).toBeUndefined()
    expect(await errorOf(pair.simulator.idle({ deadlineMs: 1 }))).toContain(
      'not idle: 1 calls in hand',
    )
    await pair.simulator.stop()
    await answer.catch(() => undefined)
    expect(await errorOf(pair.send(hi))).not.toBe('')
  })

  test('for another number than the dialed one', async () => {
    await using pair = await startPair({ statuses: ['sent'] })
    pair.simulator.answerWaId('15550107777')
    expect(await (await pair.send(hi)).json()).toMatchObject({
      contacts: [{ input: SOMEONE, wa_id: '15550107777' }],
    })
    await pair.simulator.idle()
    expect(pair.receiver.got[0]?.body.entry[0]?.changes[0]?.value).toMatchObject({
      statuses: [{ recipient_id: '15550107777' }],
    })
  })
})

describe('statuses can', () => {
  test('arrive before the response', async () => {
    await using pair = await startPair()
    pair.simulator.statusBeforeAnswer(['delivered'])
    const response = await pair.send(hi)
    expect(statusNames(pair.receiver)).toContain('delivered')
    expect(response.status).toBe(200)
    await pair.simulator.idle()
    expect(statusNames(pair.receiver)).toEqual(['delivered', 'sent'])
  })

  test('be omitted, replaced, or report a failure', async () => {
    await using pair = await startPair()
    pair.simulator.swallowStatuses()
    await pair.send(hi)
    await pair.simulator.idle()
    expect(pair.receiver.got).toHaveLength(0)
    pair.simulator.followWith(['read'])
    await pair.send(hi)
    await pair.simulator.idle()
    pair.simulator.failLater({ code: 131049 })
    await pair.send(hi)
    await pair.simulator.idle()
    expect(statusNames(pair.receiver)).toEqual(['read', 'failed'])
    expect(pair.receiver.got[1]?.text).toContain('"errors":[{"code":131049')
    expect(pair.receiver.got[1]?.text).not.toContain('"contacts"')
  })

  test('be limited to "sent" for a reaction', async () => {
    await using pair = await startPair({ statuses: ['sent', 'delivered', 'read'] })
    await pair.send(send('reaction', { message_id: 'wamid.QQ==', emoji: '👍' }))
    await pair.simulator.idle()
    expect(statusNames(pair.receiver)).toEqual(['sent'])
  })
})

describe('enforced limits reject', () => {
  test('a non-template message outside the 24-hour window', async () => {
    let now = 1_790_000_000_000
    await using pair = await startPair({ enforceWindow: true, nowMs: () => now })
    const customer = pair.simulator.customer({ waId: SOMEONE })
    expect(await (await pair.send(hi)).json()).toMatchObject({ error: { code: 131047 } })
    await customer.says('hello')
    expect((await pair.send(hi)).status).toBe(200)
    now += 25 * 60 * 60 * 1000
    expect((await pair.send(hi)).status).toBe(400)
    expect(
      (await pair.send(send('template', { name: 'hello_world', language: { code: 'en' } }))).status,
    ).toBe(200)
  })

  test('the 46th message at once to one customer, not to another', async () => {
    let now = 1_790_000_000_000
    await using pair = await startPair({ enforcePairRate: true, statuses: [], nowMs: () => now })
    const codes: number[] = []
    for (let nth = 0; nth < 46; nth += 1) codes.push((await pair.send(hi)).status)
    expect(codes.filter((status) => status === 200)).toHaveLength(45)
    expect((await pair.send(send('text', { body: 'hi' }, { to: '15550108888' }))).status).toBe(200)
    now += 6000
    expect((await pair.send(hi)).status).toBe(200)
    expect(await (await pair.send(hi)).json()).toMatchObject({ error: { code: 131056 } })
  })

  test('messages above the throughput of the number', async () => {
    await using pair = await startPair({ throughputPerSecond: 2, statuses: [] })
    const answers = [await pair.send(hi), await pair.send(hi), await pair.send(hi)]
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 429])
  })
})
