import { afterEach, beforeEach, expect, test } from 'bun:test'

import { systemCtx } from '../../../../src/infra/ctx'
import { transact } from '../../../../src/infra/db/transact'
import {
  callProvider,
  reserveAnswer,
  settleAnswer,
} from '../../../../src/modules/automation/ai/answer'
import { AiWorld } from '../../../support/ai'
import type { Loose } from '../../../support/client'
import { entriesOf } from '../../../support/privacy-export'

let own: AiWorld
beforeEach(async () => {
  own = await AiWorld.create()
  own.ai.answers = () => 'Yes.'
})
afterEach(() => own.stop())

/** Lets the AI answer a contact. */
async function answer(contactId: string): Promise<void> {
  const ctx = systemCtx(own.world.program.http, own.world.tenant.id)
  const question = {
    purpose: 'answer' as const,
    accountId: own.world.tenant.accountId,
    contactId,
    text: 'Are you open?',
    isTheirText: true,
    messageIds: [],
  }
  const reserved = transact(ctx.db, (tx) => reserveAnswer(tx, ctx, question))
  if (reserved.kind === 'refused') throw new Error(reserved.reason)
  const { callId } = reserved
  const result = await callProvider(ctx, callId, question)
  transact(ctx.db, (tx) => settleAnswer(tx, ctx, { callId, question, result }))
}

const usage = async (): Promise<Loose> =>
  (await (await own.world.as('admin')).get('/api/chatbot/ai/usage')).data
const contactsOfUsage = (): unknown[] =>
  own.world
    .rows('select contact_id from ai_usage order by rowid')
    .map(({ contact_id }) => contact_id)

test('erasing a contact removes it from its usage, and the sums stay', async () => {
  const [one, two] = [await own.world.contactOf(), await own.world.contactOf()]
  await answer(String(one['id']))
  await answer(String(two['id']))
  const before = await usage()
  await own.admin.post(`/api/contacts/${String(one['id'])}/erase`, { confirm: one['id'] })
  await own.world.settle()
  expect(contactsOfUsage()).toEqual([null, two['id']])
  expect(await usage()).toEqual(before)
})

test('the export of a contact holds its usage, without any text', async () => {
  const contact = await own.world.contactOf()
  await answer(String(contact['id']))
  const { data } = await own.admin.post(`/api/contacts/${String(contact['id'])}/privacy-export`, {})
  await own.world.settle()
  const entries = await entriesOf(own.world, own.admin, String(data['id']))
  const rows = JSON.parse(String(entries.get('ai_usage.json'))) as Loose[]
  expect(rows).toMatchObject([
    { contact_id: contact['id'], provider: 'openai', outcome: 'answered', purpose: 'answer' },
  ])
})

test('usage follows a contact that is merged into another one', async () => {
  const [one, two] = [await own.world.contactOf(), await own.world.contactOf()]
  await answer(String(one['id']))
  const merged = await own.admin.post(`/api/contacts/${String(two['id'])}/merge`, {
    source_id: one['id'],
  })
  expect(merged.status).toBe(200)
  expect(contactsOfUsage()).toEqual([two['id']])
})

test('usage rows are deleted with the messages of their time, and the sums stay', async () => {
  const contact = await own.world.contactOf()
  await answer(String(contact['id']))
  const before = await usage()
  await own.admin.put('/api/retention', { messages_days: 30 })
  own.world.clock.advance({ hours: 29 * 24 })
  await own.world.settle()
  expect(contactsOfUsage()).toHaveLength(1)
  own.world.clock.advance({ hours: 3 * 24 })
  await own.world.settle()
  expect(contactsOfUsage()).toEqual([])
  const { data } = await (
    await own.world.signIn('admin@acme.example.com')
  ).get('/api/chatbot/ai/usage?start_date=2026-11-21&end_date=2026-11-21')
  expect(data['total_tokens']).toBe(before['total_tokens'] as number)
})
