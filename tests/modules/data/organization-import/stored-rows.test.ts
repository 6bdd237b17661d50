import { expect, test } from 'bun:test'

import { systemCtx } from '../../../../src/infra/ctx'
import { transact } from '../../../../src/infra/db/transact'
import { recordSpendWarningIn } from '../../../../src/modules/organization/organizations/spend-warning'
import { BotWorld } from '../../../support/bots'
import { upload } from '../../../support/files'
import { archiveOf, packed, PASSPHRASE } from '../../../support/organization-archive'
import { changeRows } from '../../../support/sql'
import { Desk, pathOf } from '../../../support/transfers'
import { World } from '../../../support/world'

/** Checks the archive of a world's organization in another server, and returns what it says. */
async function checkedElsewhere(world: World): Promise<unknown> {
  await using other = await World.create({ tenants: 1, names: ['Crux'], firstId: 1_000_000 })
  const answer = await upload(await other.as('super'), {
    path: '/api/admin/organizations/import',
    bytes: await packed(await archiveOf(world, world.tenant)),
    ...{ name: 'acme.zip', type: 'application/zip', fields: { passphrase: PASSPHRASE } },
  })
  return answer.status === 202 ? answer.data['state'] : answer.body
}

test('takes the trace of a bot with the reason of a failed step', async () => {
  await using bot = await BotWorld.create({ greeting_message: '\0', coalesce: false })
  await bot.rule({ keywords: ['open'], response: 'We open at nine.' })
  await bot.say('When do you open?')
  expect(bot.trace()[0]).toMatchObject({ error: 'invalid_input' })
  expect(await checkedElsewhere(bot.world)).toBe('checked')
})

test('takes settings of the AI with its confirmed terms, and without', async () => {
  await using world = await World.create()
  const admin = await world.as('admin')
  await admin.put('/api/chatbot/settings', { ai_data_terms_confirmed: true })
  expect(await checkedElsewhere(world)).toBe('checked')
  await admin.put('/api/chatbot/settings', { ai_data_terms_confirmed: false })
  expect(await checkedElsewhere(world)).toBe('checked')
})

test('takes a merge that was undone, and a warning about the budget', async () => {
  await using world = await World.create()
  const admin = await world.as('admin')
  const [target, source] = [await world.contactOf(), await world.contactOf()]
  const merged = await admin.post(`/api/contacts/${target['id']}/merge`, {
    source_id: source['id'],
  })
  const undone = await admin.post(`/api/contacts/merges/${merged.data['merge_id']}/undo`)
  expect(undone.status).toBe(200)
  const { http } = world.program
  transact(http.db, (tx) =>
    recordSpendWarningIn(tx, systemCtx(http, world.tenant.id), { month: 202_611, percent: 80 }),
  )
  expect(await checkedElsewhere(world)).toBe('checked')
})

test('takes the merge of a long thread', async () => {
  await using world = await World.create()
  const admin = await world.as('admin')
  const [target, source] = [await world.contactOf(), await world.contactOf()]
  await admin.post(`/api/contacts/${target['id']}/merge`, { source_id: source['id'] })
  const thread = { row: {}, into: '', messageIds: Array(10_001).fill(target['id']), thread: {} }
  changeRows(
    world.program.http.db.sqlite,
    "update contact_merges set undo = json_set(undo, '$.joined', json(?))",
    [JSON.stringify([thread])],
  )
  expect(await checkedElsewhere(world)).toBe('checked')
})

test('takes sums of times that a clock made negative', async () => {
  await using desk = await Desk.create(1)
  const { world } = desk
  const agent = await desk.agent()
  const transfer = await desk.transfer(0)
  await agent.client.post(pathOf(transfer, 'pickup'))
  world.clock.advance({ minutes: -4 }) // the organization moved to another server meanwhile
  expect((await agent.client.put(pathOf(transfer, 'resume'))).status).toBe(200)
  const admin = await world.as('admin')
  const id = await desk.contactId(0)
  expect((await admin.post(`/api/contacts/${id}/erase`, { confirm: id })).status).toBe(201)
  await world.settle()
  expect(world.rows('select resolution_ms as sum from transfer_counts where part = 0')).toEqual([
    { sum: -240_000 },
  ])
  expect((await admin.get('/api/analytics/agents')).status).toBe(200)
  expect(await checkedElsewhere(world)).toBe('checked')
})

test('takes names that become much longer where they are searched', async () => {
  await using world = await World.create()
  const admin = await world.as('admin')
  const long = (length: number): string => '\u{FDFA}'.repeat(length)
  const role = { name: long(100), description: long(500), permissions: ['tags:read'] }
  expect((await admin.post('/api/roles', role)).status).toBe(201)
  const { status } = await admin.put(`/api/accounts/${world.tenant.accountId}`, { name: long(100) })
  expect(status).toBe(200)
  await admin.put('/api/organizations/settings', { name: long(255) })
  expect(await checkedElsewhere(world)).toBe('checked')
})

test('takes brackets in texts, and refuses lists that are too deep in each other', async () => {
  await using world = await World.create()
  await world.simulator.customer({ phone: world.tenant.phoneId }).says('Hi')
  await world.settle()
  const checkedWith = (raw: string) => {
    changeRows(world.program.http.db.sqlite, 'update messages set raw = ?', [raw])
    return checkedElsewhere(world)
  }
  const nested = (depth: number): string => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`
  expect(await checkedWith(JSON.stringify({ a: `"\\${'['.repeat(300)}` }))).toBe('checked')
  expect(await checkedWith(nested(200))).toBe('checked')
  expect(await checkedWith(nested(201))).toMatchObject({ code: 'archive_invalid' })
})
