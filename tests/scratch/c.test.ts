import { test } from 'bun:test'
import { callConnect, callTerminate, callFile } from '../simulator/call-payloads'
import type { Loose } from '../support/client'
import { deliver, lineOf, personOf, secondsIn, textTo, valueOf, statusTo } from '../support/lines'
import { asStandby, handover, standbyEcho, TO_AGENT } from '../simulator/standby'
import { message, order } from '../simulator/payloads'
import { World } from '../support/world'
const ANA = personOf(1, 'Ana')
const N = ANA.waId!

test('masked agent', async () => {
  await using world = await World.create()
  const admin = await world.as('admin')
  console.log((await admin.get('/api/organization')).status)
  const set = await admin.put('/api/organization/settings', { mask_phone_numbers: true })
  console.log('mask', set.status, JSON.stringify(set.body ?? set).slice(0, 200))
})
test('agents read', async () => {
  await using world = await World.create()
  const about = { line: lineOf(world.tenant), person: ANA, timestamp: secondsIn(world) }
  await deliver(world, callConnect({ ...about, id: 'w1' }))
  await deliver(world, order([{ product_retailer_id: 's', quantity: 1, item_price: 1, currency: 'USD' }], about))
  const manager = await world.as('manager')
  const agent = await world.as('agent')
  const [c] = (await manager.get('/api/contacts')).data['items'] as Loose[]
  const see = async () => {
    const o = (await manager.get('/api/orders')).data['items'] as Loose[]
    return [((await agent.get('/api/calls')).data['items'] as Loose[]).length, ((await agent.get('/api/orders')).data['items'] as Loose[]).length,
    (await agent.get(`/api/orders/${o[0]!['id']}`)).status,
    (await agent.get(`/api/contacts/${c!['id']}/call-permission`)).status,
    (await agent.put(`/api/orders/${o[0]!['id']}`, { state: 'confirmed' })).status,
    (await agent.get(`/api/accounts/${world.tenant.accountId}/calling`)).status,
    (await agent.put(`/api/accounts/${world.tenant.accountId}/calling`, {status:'disabled'})).status]
  }
  console.log(await see())
  await manager.put(`/api/contacts/${c!['id']}/assign`, { user_id: world.tenant.userIds.agent })
  console.log(await see())
  for (const who of ['agent','manager','admin'] as const) {
    const cl = await world.as(who)
    const [conv] = (await cl.get('/api/conversations')).data['items'] as Loose[]
    const r = await cl.post(`/api/conversations/${conv!['id']}/thread`, { action: 'pass' })
    console.log(who, r.status, JSON.stringify((r as unknown as Loose)['body'] ?? r.data).slice(0, 200))
  }
})
test('sending in others thread', async () => {
  await using world = await World.create()
  const about = { line: lineOf(world.tenant), person: ANA, timestamp: secondsIn(world) }
  await deliver(world, asStandby(textTo(world, 'Hi', about)))
  await deliver(world, handover({ control: TO_AGENT }, about))
  const manager = await world.as('manager')
  const [conv] = (await manager.get('/api/conversations')).data['items'] as Loose[]
  const cid = ((conv!['contact']) as Loose)['id']
  for (const path of [`/api/conversations/${conv!['id']}/messages`, `/api/contacts/${cid}/messages`]) {
    const r = await manager.post(path, { type: 'text', text: 'a' })
    console.log(path.slice(0, 12), r.status, JSON.stringify(r).slice(0, 300))
  }
  const react = (await manager.get(`/api/contacts/${cid}/messages`)).data['items'] as Loose[]
  const rr = await manager.post(`/api/messages/${react[0]!['id']}/reaction`, { emoji: '👍' })
  console.log('react', rr.status, JSON.stringify(rr).slice(0, 300))
  const sch = await manager.post(`/api/conversations/${conv!['id']}/messages`, { type: 'text', text: 'a', scheduled_at: new Date(world.clock.nowMs() + 3600_000).toISOString() })
  console.log('sched', sch.status, JSON.stringify(sch).slice(0, 300))
  const sch2 = await manager.post(`/api/conversations/${conv!['id']}/messages`, { type: 'text', text: 'a', take: true })
  await world.settle()
  console.log('take', sch2.status, world.rows('select thread_owner from conversations'))
  const typing = await manager.post(`/api/conversations/${conv!['id']}/typing`)
  console.log('typing', typing.status)
})
test('duplicate calls values and block of late', async () => {
  await using world = await World.create()
  const about = { line: lineOf(world.tenant), person: ANA, timestamp: secondsIn(world) }
  // same call id on two numbers of two tenants
  await deliver(world, callConnect({ ...about, id: 'w1' }))
  await deliver(world, callConnect({ ...about, id: 'w1', line: lineOf(world.other) }))
  console.log(world.rows('select count(*) n, count(distinct organization_id) o from calls'))
  // message id equals call id; statuses of calls with id of a message
  await deliver(world, textTo(world, 'x', { ...about, id: 'wamid.same' }))
  const w = callConnect({ ...about, id: 'wamid.same' })
  const v = valueOf(w); delete v['calls']; v['statuses'] = [{ id: 'wamid.same', type: 'call', status: 'RINGING', timestamp: String(about.timestamp), recipient_id: N }]
  await deliver(world, w)
  // a call status arriving in messages field
  const m = statusTo(world, 'wacid.zzz', 'RINGING', { person: ANA })
  ;((valueOf(m)['statuses'] as Loose[])[0] as Loose)['type'] = 'call'
  await deliver(world, m)
  console.log(world.rows('select wa_message_id, status from messages'), world.rows('select state, direction from calls'), world.rows('select field, state, outcomes from inbound_events'))
})
