import type { Database } from 'bun:sqlite'
import { expect } from 'bun:test'

import type { Loose } from './client'
import { personWith } from './people'
import { switchOn } from './second-factor'
import { approvedTemplate } from './templates'
import { World } from './world'

/** A number that was erased. */
export const ERASED = '4915112345678'
const OTP = [
  { type: 'BODY', add_security_recommendation: true },
  { type: 'FOOTER', code_expiration_minutes: 5 },
  { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE', text: 'Copy code' }] },
]

const rowsOf = <Row>(sqlite: Database, query: string): Row[] => sqlite.query<Row, []>(query).all()

/** Every encrypted value of the database, in columns and in JSON. */
export function sealedValues(sqlite: Database): string[] {
  const columns = rowsOf<{ table: string; column: string }>(
    sqlite,
    `select m.name as "table", c.name as "column" from sqlite_schema m join pragma_table_info(m.name) c
     where m.type = 'table' and (c.name = 'sealed' or c.name like '%\\_sealed' escape '\\')`,
  )
  const direct = columns.flatMap(({ table, column }) =>
    rowsOf<{ value: string }>(
      sqlite,
      `select "${column}" as value from "${table}" where "${column}" is not null`,
    ),
  )
  const inJson = rowsOf<{ value: string }>(
    sqlite,
    `select json_extract(args, '$.sealed') as value from jobs where args like '%"sealed"%'
     union all select json_extract(send_options, '$.sealed') from messages where send_options like '%"sealed"%'`,
  )
  return [...direct, ...inJson].map(({ value }) => value)
}

/** A world in which something of every kind is encrypted or kept as a keyed digest. */
export async function furnished() {
  const world = await World.create({ env: { SMTP_URL: 'smtp://someone:secret@127.0.0.1:1' } })
  const admin = await world.as('admin')
  await admin.put(`/api/accounts/${world.tenant.accountId}`, {
    app_secret: 'an-app-secret',
    pin: '123456',
  })
  await admin.post(`/api/accounts/${world.tenant.accountId}/flow-key`)
  const call = { url: 'https://shop.example/', headers: { 'X-Key': 'of a bot flow' } }
  const botFlow = await admin.post('/api/chatbot/flows', {
    name: 'Calls',
    enabled: true,
    completion_config: call,
    graph: {
      version: 2,
      entry_node: 'call',
      nodes: [{ id: 'call', type: 'api_call', config: call }],
      edges: [],
    },
  })
  expect(botFlow.status).toBe(201)
  for (const query of ['', `?account_id=${world.tenant.accountId}`])
    await admin.put(`/api/chatbot/settings${query}`, { ai_api_key: 'sk-of-a-provider' })
  await world.contactOf(world.tenant, 'Hello!', ERASED)
  const { data: known } = await admin.get(`/api/contacts?search=${ERASED}`)
  const [contact] = known['items'] as Loose[]
  expect((await admin.delete(`/api/contacts/${contact?.['id']}?purge=true`)).status).toBe(200)
  await world.settle()
  await admin.put('/api/chatbot/settings', { ai_api_key: 'sk-of-the-organization' })
  const source = { url: 'https://stock.example.com/', headers: { 'x-token': 'of the stock' } }
  await admin.post('/api/chatbot/ai-contexts', {
    name: 'Stock',
    context_type: 'api',
    api_config: source,
  })
  const { id: template } = await approvedTemplate(world, {
    components: OTP,
    category: 'AUTHENTICATION',
  })
  await admin.post('/api/outbox/pause', { account_id: world.tenant.accountId })
  const waiting = await admin.post('/api/messages/template', {
    phone_number: '15550700011',
    template_id: template,
    template_params: { '1': '837465' },
  })
  expect(waiting.status).toBe(201)
  await world.settle()
  await world.anyone.post('/api/auth/password/forgot', {
    email: world.emailOf('agent', world.tenant),
  })
  const person = await personWith(world, ['contacts:read'])
  const factor = await switchOn(world, person.client)
  const first = await admin
    .with({ 'idempotency-key': 'only-once' })
    .post('/api/contacts', { phone_number: '15550700012' })
  expect(first.status).toBe(201)
  return { world, person, factor, first, waitingId: waiting.data['id'] as string }
}
