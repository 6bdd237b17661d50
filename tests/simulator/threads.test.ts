import { describe, expect, test } from 'bun:test'
import { send } from './fixtures'
import { startPair } from './pair'
import type { Pair } from './pair'

async function control(pair: Pair, body: Record<string, unknown>) {
  const { id, token } = pair.simulator.phone
  const response = await fetch(`${pair.simulator.url}/v25.0/${id}/thread_control`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

const fieldsOf = (pair: Pair): string[] =>
  pair.receiver.got.flatMap(({ body }) =>
    body.entry.flatMap(({ changes }) => changes.map(({ field }) => field)),
  )

const TAKE = { messaging_product: 'whatsapp', to: '15550109999', action: 'take' }
const PASS = { ...TAKE, action: 'pass', control_pass: { target_role: 'ai_agent' } }

describe('a shared number', () => {
  test('delivers what customers write in the field of the thread’s owner', async () => {
    await using pair = await startPair()
    pair.simulator.shareNumber()
    const ana = pair.simulator.customer()
    await ana.says('Hi')
    await ana.isAnsweredByAgent('Hello!')
    await ana.isPassedTo('us')
    await ana.says('A person, please')
    expect(fieldsOf(pair)).toEqual([
      'standby',
      'standby',
      'standby',
      'standby',
      'messaging_handovers',
      'messages',
    ])
  })

  test('gives the thread to whoever sends', async () => {
    await using pair = await startPair()
    pair.simulator.shareNumber()
    const ana = pair.simulator.customer()
    await ana.says('Hi')
    const { id, token } = pair.simulator.phone
    const sent = await fetch(`${pair.simulator.url}/v25.0/${id}/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...send('text', { body: 'hi' }), to: ana.waId }),
    })
    expect(sent.status).toBe(200)
    await pair.simulator.idle()
    await ana.says('Hi again')
    expect(fieldsOf(pair).at(-1)).toBe('messages')
  })

  test('lets only the escalation app take a thread, and tells of a pass only', async () => {
    await using pair = await startPair()
    pair.simulator.shareNumber({ isEscalation: false })
    expect(await control(pair, TAKE)).toMatchObject({
      status: 400,
      body: { error: { code: 2_494_191 } },
    })
    pair.simulator.shareNumber()
    for (const body of [{ ...TAKE, action: 'release' }, TAKE, { ...PASS, metadata: 'mark' }])
      expect((await control(pair, body)).status).toBe(200)
    expect((await control(pair, PASS)).status).toBe(400) // not ours any more
    await pair.simulator.idle()
    expect(fieldsOf(pair)).toEqual(['messaging_handovers'])
  })

  test.each<[string, Record<string, unknown>]>([
    ['no product', { to: '15550109999', action: 'take' }],
    ['an unknown action', { ...TAKE, action: 'steal' }],
    ['two recipients', { ...TAKE, recipient: 'US.1' }],
    ['no recipient', { messaging_product: 'whatsapp', action: 'take' }],
    ['an unknown key', { ...TAKE, force: true }],
    ['a pass of a thread that is not ours', { ...TAKE, action: 'pass' }],
    ['a pass to calls', { ...PASS, control_pass: { target_role: 'calls' } }],
    ['a pass without a role', { ...PASS, control_pass: {} }],
    ['a target without a pass', { ...TAKE, control_pass: { target_role: 'ai_agent' } }],
    ['too much metadata', { ...TAKE, metadata: 'x'.repeat(2_001) }],
  ])('rejects %s', async (_, body) => {
    await using pair = await startPair()
    pair.simulator.shareNumber()
    expect(await control(pair, body)).toMatchObject({ status: 400, body: { error: { code: 100 } } })
  })

  test('is needed for any control of threads', async () => {
    await using pair = await startPair()
    expect((await control(pair, TAKE)).status).toBe(400)
  })
})
