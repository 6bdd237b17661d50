import type { Client, Loose } from '../../support/client'
import type { World } from '../../support/world'

/** Sends a request that has to succeed. */
async function send(client: Client, path: string, body: unknown): Promise<Loose> {
  const { status, data } = await client.post(path, body)
  if (status >= 300) throw new Error(`POST ${path} answered ${status}`)
  return data
}

/** Custom fields of every type, and custom actions. */
export async function furnishContent(world: World): Promise<void> {
  const admin = await world.as('admin')
  for (const body of [
    { key: 'plan', label: 'Contract', type: 'select', options: ['Free', 'Pro', 'For large teams'] },
    { key: 'birthday', label: 'Birthday', type: 'date' },
    { key: 'newsletter', label: 'Wants the newsletter of the shop on paper', type: 'boolean' },
    { key: 'homepage', label: 'Homepage', type: 'url' },
  ])
    await send(admin, '/api/contact-attributes', body)
  await send(admin, '/api/custom-actions', {
    name: 'Create a ticket',
    action_type: 'webhook',
    config: {
      url: 'https://desk.invalid/tickets?from={{contact.phone_number}}',
      headers: { Authorization: 'Bearer 4711' },
      body: '{\n  "subject": "Question of {{contact.name}}",\n  "by": "{{user.email}}"\n}',
    },
  })
  await send(admin, '/api/custom-actions', {
    name: 'Open in the shop',
    action_type: 'url',
    is_active: false,
    config: { url: 'https://shop.example.com/customers?phone={{contact.phone_number}}' },
  })
}

/** Limits of what is kept, requests of customers, and files of everything. */
export async function furnishData(world: World): Promise<void> {
  const admin = await world.as('admin')
  const { data } = await admin.get('/api/contacts?limit=2')
  const [one] = (data['items'] as Loose[]).map(({ id }) => String(id))
  await send(admin, `/api/contacts/${one}/privacy-export`, { reason: 'Asked for it by email' })
  const gone = await send(admin, '/api/contacts', { name: 'Gone', phone_number: '+4915559990001' })
  await send(admin, `/api/contacts/${gone['id']}/erase`, { confirm: gone['id'] })
  await world.settle() // an erasure ends files that may have the person
  await send(admin, '/api/export', { table: 'contacts' })
  await send(admin, '/api/export', { table: 'messages', format: 'jsonl' })
  await send(admin, `/api/organizations/${world.tenant.id}/archive`, { include_media: false })
  const limits = { messages_days: 730, contacts_inactive_days: 365 }
  const { status } = await admin.put('/api/retention', limits)
  if (status !== 200) throw new Error(`PUT /api/retention answered ${status}`)
  await world.settle()
}

/** The address of the receipt of an erasure. */
export async function receiptOf(world: World): Promise<string> {
  const { data } = await (await world.as('admin')).get('/api/privacy/requests?kind=erase')
  return `/settings/privacy/${String((data['items'] as Loose[])[0]?.['id'])}`
}

/** The address of the action that calls a program. */
export async function actionOf(world: World): Promise<string> {
  const { data } = await (await world.as('admin')).get('/api/custom-actions?search=ticket')
  return `/settings/actions/${String((data['items'] as Loose[])[0]?.['id'])}`
}
