import { expect, test } from 'bun:test'

import { BotWorld } from '../../../support/bots'
import type { Loose } from '../../../support/client'
import { randomGraph, randomWords, seeded } from '../../../support/random-bots'

/** Random graphs and customers that are compared; `PREVIEW_ROUNDS=400` for a long search. */
const ROUNDS = Number(process.env['PREVIEW_ROUNDS'] ?? 4)

/** What must be the same in a trace of production and of a preview. */
const comparable = (row: Loose, sent: unknown[]): Loose => ({
  seq: row['seq'],
  stage: row['stage'],
  node: row['node'] ?? row['node_id'] ?? null,
  type: row['node_type'],
  input: row['input'],
  outcome: row['outcome'],
  next: row['next_node'],
  error: row['error'],
  sent: sent.length,
})

test(
  'a preview leaves the trace of production, for random flows and customers',
  async () => {
    const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => Response.json({}) })
    const env = { EGRESS_ALLOW: `127.0.0.1:${server.port}` }
    await using bot = await BotWorld.create(
      { greeting_message: 'Welcome!', fallback_message: 'Sorry?', human_takeover_minutes: 0 },
      { env },
    )
    const { world } = bot
    const { data: tag } = await bot.admin.post('/api/tags', { name: 'vip' })
    const known = {
      tagId: String(tag['id']),
      userId: world.tenant.userIds.agent,
      url: `http://127.0.0.1:${server.port}`,
    }
    let compared = 0
    for (let round = 0; round < ROUNDS; round += 1) {
      const random = seeded(round + 1)
      await bot.configure({ coalesce: random() < 0.7 })
      await bot.rule({
        keywords: ['price'],
        response: `Price ${round}`,
        interrupts_flow: random() < 0.5,
        enabled: true,
      })
      const flow = await bot.flow([], { graph: randomGraph(random, known) })
      const customer = world.simulator.customer({ phone: world.tenant.phoneId })
      const contactId = await bot.silently(() => customer.says('First words'))
      const words = [{ text: 'begin' }, ...Array.from({ length: 7 }, () => randomWords(random))]
      const { status, data } = await bot.admin.post('/api/chatbot/preview', {
        messages: words,
        contact_id: contactId,
        account_id: world.tenant.accountId,
        execute_http: true,
      })
      expect(status).toBe(200)
      const expected = (data['trace'] as Loose[]).map((row) =>
        comparable(row, row['sent_message_ids'] as unknown[]),
      )
      for (const word of words) {
        await ('text' in word
          ? customer.says(word.text)
          : customer.taps(word.button_id, word.title))
        await world.settle()
        for (let waits = 0; waits < 20 && bot.isWaitingForTimer(contactId); waits += 1)
          await bot.wait({ seconds: 61 })
        await bot.wait({ seconds: 61 }) // so that it is no loop of two bots
      }
      const actual = bot
        .traceOf(contactId)
        .map((row) => comparable(row, JSON.parse(String(row['sent_message_ids'])) as unknown[]))
      expect({ round, trace: actual }).toEqual({ round, trace: expected })
      compared += actual.length
      await bot.admin.put(`/api/chatbot/flows/${flow}`, { enabled: false })
      for (const rule of (await bot.admin.get('/api/chatbot/keywords')).data['items'] as Loose[])
        await bot.admin.delete(`/api/chatbot/keywords/${rule['id']}`)
    }
    expect(compared).toBeGreaterThan(ROUNDS * 8)
    await server.stop(true)
  },
  Math.max(120_000, ROUNDS * 3_000),
)
