import { accountNews } from '../../src/simulator/coexistence'
import { graphOf } from './bots'
import type { Client, Loose } from './client'
import { upload } from './files'
import { publishedFlow } from './flows'
import { fillOrganization } from './full-organization'
import { deliver, lineOf, secondsIn } from './lines'
import { stageIn } from './scenes'
import { addSeldomRows } from './seldom-rows'
import type { World } from './world'

/** The number of the customer who uses the bot, calls and completes a Flow. */
const LIVELY_CUSTOMER = '4915112340777'

/**
 * Fills the first tenant as `fillOrganization` does, and adds what comes of a day's work: campaigns,
 * an import, a bot that answers, calls, edits, Flows, and news about the number. `receiver` is the
 * address of a webhook endpoint.
 */
export async function enliven(world: World, receiver: string): Promise<void> {
  await fillOrganization(world)
  await campaignAndImport(world)
  await bot(world)
  await customer(world)
  await accountNewsOf(world)
  await people(world, await world.as('admin'))
  await webhook(world, receiver)
  world.clock.advance({ hours: 49 }) // counts of quarter hours become days
  await world.settle()
  await addSeldomRows(world)
}

/** Returns the data of an answer, which throws if it is a refusal. */
const must = ({ data }: { data: Loose }): Loose => data

async function campaignAndImport(world: World): Promise<void> {
  for (const [label, path] of [
    ['POST /api/imports/:id/commit', '/api/imports/:id/commit'],
    ['POST /api/campaigns/:id/start', '/api/campaigns/:id/start'],
  ] as const) {
    const { id, body } = await stageIn(world, label)
    must(await (await world.as('admin')).post(path.replace(':id', id ?? ''), body ?? {}))
    await world.settle()
  }
}

/** A rule and two flows of the bot, used by a customer. */
async function bot(world: World): Promise<void> {
  const admin = await world.as('admin')
  must(
    await admin.put('/api/chatbot/settings', {
      ...{ chatbot_enabled: true, debounce_seconds: 0, business_hours_enabled: false },
      human_takeover_minutes: 0,
    }),
  )
  must(
    await admin.post('/api/chatbot/keywords', {
      keywords: ['price'],
      response: 'It costs 5.',
      enabled: true,
    }),
  )
  const { id } = must(
    await admin.post('/api/chatbot/flows', {
      ...{ name: 'Second', trigger_keywords: ['second'], enabled: true },
      graph: graphOf([['a', 'end', { message: 'The second flow.' }]]),
    }),
  )
  const { team } = must(await admin.post('/api/teams', { name: 'Team of the bot' }))
  must(
    await admin.post('/api/chatbot/flows', {
      ...{ name: 'First', trigger_keywords: ['begin'], enabled: true },
      graph: graphOf([
        ['a', 'assign', { team_id: (team as Loose)['id'] }],
        ['b', 'goto_flow', { flow_id: id }],
      ]),
    }),
  )
  const ana = livelyCustomer(world)
  await ana.isPassedTo('us') // an example shared the number with the agent of the platform
  for (const text of ['hello', 'price', 'begin']) {
    await ana.says(text)
    await world.settle()
    world.clock.advance({ seconds: 20 }) // the bot waits for further texts
    await world.settle()
  }
}

/** The customer who writes to a tenant of a world. */
export const livelyCustomer = (world: World, tenant = world.tenant) =>
  world.simulator.customer({
    phone: tenant.phoneId,
    waId: LIVELY_CUSTOMER,
    name: 'Lively',
  })

/** A corrected text, a call, and a completed Flow. */
async function customer(world: World): Promise<void> {
  const ana = livelyCustomer(world)
  await ana.says('A text with a mistale')
  await world.settle()
  const [last] = world.rows<{ id: string }>(
    "select wa_message_id as id from messages where preview like '%mistale' limit 1",
  )
  await ana.edits(last?.id ?? '', 'A text with a mistake')
  const call = await ana.calls()
  await call.ends(0)
  await world.settle()
  const manager = await world.as('manager')
  const flow = await publishedFlow(world, manager, { name: 'Lively feedback' })
  const { data } = await manager.get(`/api/contacts?search=${LIVELY_CUSTOMER}`)
  const [contact] = data['items'] as Loose[]
  const sent = must(
    await manager.post(`/api/contacts/${contact?.['id']}/messages`, {
      type: 'interactive',
      interactive: { type: 'flow', body: 'How?', button_text: 'Tell us', flow_id: flow['id'] },
    }),
  )
  await world.settle()
  const { data: message } = await manager.get(`/api/messages/${sent['id']}`)
  await ana.completesFlow(
    { flow_token: (message['content'] as Loose)['flow_token'], words: 'Well' },
    { replyTo: String(message['wa_message_id']) },
  )
  const media = await upload(manager, {
    bytes: new TextEncoder().encode('for later '.repeat(10)),
    type: 'text/plain',
  })
  must(
    await manager.post('/api/scheduled-messages', {
      contact_id: contact?.['id'],
      message: { type: 'document', media_id: media.data['id'] },
      send_at: new Date(world.clock.nowMs() + 30 * 24 * 3_600_000).toISOString(),
    }),
  )
  await world.settle()
}

async function accountNewsOf(world: World): Promise<void> {
  const line = lineOf(world.tenant)
  for (const [field, value] of [
    ['phone_number_quality_update', { event: 'UPGRADE', current_limit: 'TIER_10K' }],
    ['a_field_of_the_future', { news: 1 }],
  ] as const)
    await deliver(
      world,
      accountNews(
        field,
        { display_phone_number: line.displayPhoneNumber, ...value },
        { line, time: secondsIn(world) },
      ),
    )
}

/** A break, a member of a team, and a transfer that a person handled. */
async function people(world: World, admin: Client): Promise<void> {
  const agent = await world.as('agent')
  must(await agent.put('/api/me/availability', { is_available: false }))
  must(await agent.put('/api/me/availability', { is_available: true }))
  const { team } = must(await admin.post('/api/teams', { name: 'Lively team' }))
  const user_id = world.tenant.userIds.agent
  must(await admin.post(`/api/teams/${(team as Loose)['id']}/members`, { user_id }))
  const { data } = await admin.get(`/api/contacts?search=${LIVELY_CUSTOMER}`)
  const [contact] = data['items'] as Loose[]
  const transfer = must(await admin.post('/api/chatbot/transfers', { contact_id: contact?.['id'] }))
  const id = String((transfer['transfer'] as Loose | undefined)?.['id'] ?? transfer['id'])
  must(await admin.put(`/api/chatbot/transfers/${id}/assign`, { agent_id: user_id }))
  must(await admin.put(`/api/chatbot/transfers/${id}/resume`, {}))
  await world.settle()
}

/** An endpoint that gets what happens. */
async function webhook(world: World, url: string): Promise<void> {
  const admin = await world.as('admin')
  must(await admin.post('/api/webhooks', { name: 'Shop', url, events: ['message.received'] }))
  await livelyCustomer(world).says('For the shop')
  await world.settle()
}
