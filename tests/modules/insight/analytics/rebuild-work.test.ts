import { expect, test } from 'bun:test'

import { BotWorld } from '../../../support/bots'
import type { Loose } from '../../../support/client'
import { Desk, pathOf } from '../../../support/transfers'
import type { World } from '../../../support/world'
import { COUNT_TABLES } from '../../../../src/modules/insight/analytics/rollups/catalog'
import { startRebuilds } from '../../../../src/modules/insight/analytics/rollups/rebuild'

/** Returns the stored counts of work, by what they count. */
const countsOf = (world: World): unknown =>
  [
    ['agent_message_counts', 'unit, start, user_id', 'messages'],
    ['agent_response_counts', 'unit, start, user_id, bin', 'responses, waited_ms'],
    [
      'transfer_counts',
      'unit, start, user_id, account_id',
      'handled, picked_up, queued_ms, resolution_ms, breached',
    ],
    [
      'bot_session_counts',
      'unit, start, account_id, flow_id, node',
      'sessions, completed, auto_resolved, transferred, abandoned, messages, bot_messages, bot_turns, resolution_ms',
    ],
  ].map(([table, keys, sums]) =>
    world
      .rows<Record<string, unknown>>(
        `select ${keys}, min(part, 1) as is_live, ${sums} from ${table} order by ${keys}, is_live`,
      )
      .filter((row) => (sums ?? '').split(', ').some((sum) => row[sum] !== 0)),
  )

const partsOf = (world: World): unknown[] =>
  world.rows(
    `select distinct part from (select part from agent_message_counts union all select part from agent_response_counts
       union all select part from transfer_counts union all select part from bot_session_counts) where part > 0`,
  )

/** People who handled transfers, one of them after the deadline. */
async function busyDesk(): Promise<Desk> {
  const desk = await Desk.create(3)
  await desk.settings({ sla_enabled: true, sla_response_minutes: 60, sla_resolution_minutes: 2 })
  const agent = await desk.agent()
  for (const nth of [0, 1, 2]) {
    const transfer = await desk.transfer(nth)
    desk.world.clock.advance({ seconds: 100 })
    await agent.client.post(pathOf(transfer, 'pickup'))
    desk.world.clock.advance({ seconds: 100 * nth })
    const path = `/api/contacts/${await desk.contactId(nth)}/messages`
    await agent.client.post(path, { type: 'text', text: 'Hello' })
    await desk.world.settle()
    await agent.client.put(pathOf(transfer, 'resume'))
  }
  return desk
}

/** Returns what the report says, without the times that go on by themselves. */
async function agentsOf(world: World): Promise<Loose> {
  const { rebuilding, summary } = (await (await world.as('admin')).get('/api/analytics/agents'))
    .data
  const { available_seconds: _, ...work } = summary as Loose
  return { rebuilding, summary: work }
}

test('a rebuild corrects the counts of agents, goes on after a failure, and shows the old ones until it is done', async () => {
  await using desk = await busyDesk()
  desk.world.stays('how often figures were added up')
  const { world } = desk
  const { sqlite } = world.program.http.db
  const right = countsOf(world)
  const before = (await agentsOf(world))['summary']
  expect(before).toMatchObject({ messages_sent: 3, transfers_handled: 3 })
  sqlite.run('update agent_message_counts set messages = messages + 7')
  sqlite.run('update agent_response_counts set waited_ms = waited_ms + 9000')
  sqlite.run('update transfer_counts set handled = handled + 5, breached = breached + 1')
  const wrong = (await agentsOf(world))['summary']
  expect(wrong).not.toEqual(before)
  sqlite.run(
    "create temp trigger crash before update of through on rollup_parts when new.through is null begin select raise(abort, 'crash'); end",
  )
  startRebuilds(world.program.http)
  await world.settle()
  const meanwhile = await agentsOf(world)
  expect([meanwhile['rebuilding'], meanwhile['summary']]).toEqual([true, wrong])
  sqlite.run('drop trigger crash')
  world.clock.advance({ hours: 2 })
  await world.settle()
  const after = await agentsOf(world)
  expect([after['rebuilding'], after['summary']]).toEqual([false, before])
  expect(countsOf(world)).toEqual(right)
  expect(partsOf(world)).toEqual([{ part: 2 }])
})

test('what is erased or changed while the agents are counted again counts once', async () => {
  await using desk = await busyDesk()
  desk.world.stays('rows that no server writes')
  const { world } = desk
  const { sqlite } = world.program.http.db
  sqlite.run(
    "create temp trigger crash before update of through on rollup_parts when new.through is null begin select raise(abort, 'crash'); end",
  )
  startRebuilds(world.program.http)
  await world.settle()
  sqlite.run('pragma foreign_keys = off')
  sqlite.run(
    "delete from messages where row = (select max(row) from messages where source = 'agent')",
  )
  sqlite.run('pragma foreign_keys = on')
  sqlite.run(
    'update transfers set transferred_at_ms = transferred_at_ms - 900000, ended_at_ms = ended_at_ms - 900000',
  )
  const { summary } = await agentsOf(world)
  expect(summary).toMatchObject({ messages_sent: 3, transfers_handled: 3 })
  sqlite.run('drop trigger crash')
  world.clock.advance({ hours: 2 })
  await world.settle()
  expect(await agentsOf(world)).toEqual({ rebuilding: false, summary })
  const counts = countsOf(world)
  startRebuilds(world.program.http)
  await world.settle()
  expect(countsOf(world)).toEqual(counts)
})

test('a rebuild corrects the counts of sessions, more of them than one transaction counts', async () => {
  await using bot = await BotWorld.create({ session_timeout_minutes: 10 })
  await bot.rule({ keywords: ['hours'], response: 'From 9 to 5' })
  await bot.say('hours?')
  await bot.wait({ minutes: 11 })
  await bot.say('hours?')
  const { sqlite } = bot.world.program.http.db
  sqlite.run(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < 600)
     insert into bot_sessions (organization_id, id, contact_id, account_id, status, started_at_ms, last_activity_ms, ended_at_ms, messages, bot_messages, bot_turns)
     select organization_id, unhex(printf('0199%028d', i)), contact_id, account_id, iif(i % 3 = 0, 'completed', 'cancelled'), started_at_ms - i * 1000000, last_activity_ms, ended_at_ms, i, i % 7, i % 3
     from (select * from bot_sessions where ended_at_ms is not null limit 1), n`,
  )
  startRebuilds(bot.world.program.http)
  await bot.world.settle() // which moves the counts of past days to their days
  const right = countsOf(bot.world)
  const summaryOf = async (): Promise<unknown> =>
    (await bot.admin.get('/api/analytics/chatbot')).data['summary']
  const before = await summaryOf()
  expect(before).toMatchObject({ total_conversations: 602 })
  sqlite.run('update bot_session_counts set sessions = sessions + 1, transferred = transferred + 1')
  expect(await summaryOf()).not.toEqual(before)
  startRebuilds(bot.world.program.http)
  await bot.world.settle()
  expect(await summaryOf()).toEqual(before)
  expect(countsOf(bot.world)).toEqual(right)
  // One that is counted already and one that is not are erased between two transactions.
  sqlite.run(
    "create temp trigger crash before update of through on rollup_parts when old.through <> zeroblob(16) begin select raise(abort, 'crash'); end",
  )
  startRebuilds(bot.world.program.http)
  await bot.world.settle()
  for (const nth of [100, 500])
    sqlite.run(`delete from bot_sessions where id = unhex(printf('0199%028d', ${nth}))`)
  await bot.say('hours?')
  const meanwhile = await summaryOf()
  sqlite.run('drop trigger crash')
  bot.world.clock.advance({ minutes: 5 })
  await bot.world.settle()
  expect((await bot.admin.get('/api/analytics/chatbot')).data).toMatchObject({ rebuilding: false })
  expect(await summaryOf()).toEqual(meanwhile)
  const counts = countsOf(bot.world)
  startRebuilds(bot.world.program.http)
  await bot.world.settle()
  expect(countsOf(bot.world)).toEqual(counts)
})

/** Returns the sums of every table of counts by unit, and those of hours where they are kept. */
function sumsOf(world: World): Record<string, Record<string, Loose>> {
  return Object.fromEntries(
    COUNT_TABLES.filter(({ table }) => table !== 'cost_changes').map(({ table, sums }) => [
      table,
      Object.fromEntries(
        world
          .rows<Loose & { unit: number }>(
            `select unit, ${sums.map((sum) => `sum(${sum}) as ${sum}`).join(', ')} from ${table}
             where part in (0, (select part from rollup_parts r where r.organization_id = ${table}.organization_id and through is null)) group by unit order by unit`,
          )
          .map(({ unit, ...values }) => [unit, values]),
      ),
    ]),
  )
}

test('all counts follow one rule: folded, rebuilt, and kept when their facts go', async () => {
  await using bot = await BotWorld.create({ session_timeout_minutes: 10 })
  const { world } = bot
  const { sqlite } = world.program.http.db
  await bot.rule({ keywords: ['hours'], response: 'From 9 to 5' })
  await bot.say('hours?')
  const [contact] = world.rows<{ id: string }>('select id from contacts')
  await bot.admin.post(`/api/contacts/${contact?.id}/messages`, { type: 'text', text: 'Hello' })
  sqlite.run(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < 5)
     insert into ai_usage (organization_id, id, account_id, purpose, provider, model, day, reserved_tokens, reserved_micros, input_tokens, output_tokens, cost_micros, outcome, created_at_ms, settled_at_ms)
     select organization_id, unhex(printf('0199%028d', i)), iif(i = 1, null, account_id), 'answer', 'openai', 'gpt', 20261121, 0, 0, 10, 20, 300, iif(i = 2, 'failed', 'answered'), created_at_ms, created_at_ms
     from (select * from conversations limit 1), n`,
  )
  await world.settle()
  const figuresOf = async (): Promise<unknown> => {
    const range = 'start_date=2026-11-20&end_date=2026-11-22'
    const manager = await world.as('manager')
    const { data: chatbot } = await manager.get(`/api/analytics/chatbot?${range}`)
    const { data: costs } = await manager.get(`/api/analytics/costs?${range}`)
    const { data: agents } = await manager.get(`/api/analytics/agents?${range}`)
    const { available_seconds: _, ...work } = agents['summary'] as Loose
    const { summary, top_keywords, ai_usage, timeline } = chatbot
    return {
      summary,
      top_keywords,
      ai_usage,
      timeline,
      work,
      cost: (costs['summary'] as Loose)['ai_cost'],
    }
  }
  const before = await figuresOf()
  expect(before).toMatchObject({
    top_keywords: [{ keyword: 'hours', count: 1 }],
    ai_usage: { total_requests: 5, failed_requests: 1, total_tokens: 150, estimated_cost: 0.0015 },
    cost: '0.0015',
    work: { messages_sent: 1 },
  })
  world.clock.advance({ hours: 24 * 4 })
  await world.settle()
  const folded = sumsOf(world)
  for (const { table, keepsHours } of COUNT_TABLES.filter(({ table: each }) => each in folded)) {
    const units = folded[table] ?? {}
    // Nothing ended a transfer here.
    if (table === 'transfer_counts') continue
    expect([table, Object.keys(units)]).toEqual([table, keepsHours ? ['1', '2'] : ['2']])
    if (keepsHours) expect([table, units[1]]).toEqual([table, units[2]])
  }
  expect(await figuresOf()).toMatchObject({ ai_usage: (before as Loose)['ai_usage'] })
  // Wrong counts are corrected, except those of hits, of which nothing else is stored.
  const counts = await figuresOf()
  sqlite.run('update ai_call_counts set requests = requests + 3, cost_micros = 1')
  sqlite.run('update contacts_seen set contacts = contacts + 3, live = live + 2')
  startRebuilds(world.program.http)
  await world.settle()
  expect(await figuresOf()).toEqual(counts)
  expect(sumsOf(world)).toEqual(folded)
  // Old calls are deleted by the retention; their figures stay.
  sqlite.run('delete from ai_usage')
  expect(await figuresOf()).toEqual(counts)
  startRebuilds(world.program.http)
  await world.settle()
  expect(await figuresOf()).toEqual(counts)
})
