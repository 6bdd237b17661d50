import type { Client, Loose } from '../../support/client'
import { ASKING, draftFlow, publishedFlow, RULES } from '../../support/flows'
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

/** Forms in every state: one that asks, one with responses, one with a problem. */
export async function furnishForms(world: World): Promise<void> {
  const admin = await world.as('admin')
  await draftFlow(world, admin, {
    ...{ name: 'Book a repair in the shop of the northern district', json_definition: ASKING },
    ...{ endpoint_mode: 'rules', endpoint_config: RULES, categories: ['APPOINTMENT_BOOKING'] },
  })
  const form = await publishedFlow(world, admin, { name: 'Feedback after a purchase' })
  const ivy = world.simulator.customer({ phone: world.tenant.phoneId, name: 'Ivy Quinn' })
  await ivy.says('Here I am')
  await world.settle()
  const { data } = await admin.get('/api/contacts?sort=created_at&order=desc&limit=1')
  const contactId = String((data['items'] as Loose[])[0]?.['id'])
  for (const words of ['Quick and friendly.', 'لا بأس', 'A long story. '.repeat(20)]) {
    const interactive = { type: 'flow', body: 'How was it?', button_text: 'Tell us' }
    const sent = await send(admin, `/api/contacts/${contactId}/messages`, {
      ...{ type: 'interactive', interactive: { ...interactive, flow_id: form['id'] } },
    })
    await world.settle()
    const { data: message } = await admin.get(`/api/messages/${sent['id']}`)
    const replyTo = String(message['wa_message_id'])
    await ivy.completesFlow({ words, news: true }, { replyTo })
    await world.settle()
  }
}

/** Returns the address of a form by its name, or of a part of its screen. */
export const formOf =
  (name: string, part = '') =>
  async (world: World): Promise<string> => {
    const { data } = await (await world.as('admin')).get(`/api/flows?search=${name}`)
    return `/forms/${String((data['items'] as Loose[])[0]?.['id'])}${part}`
  }

/** The address of the action that calls a program. */
export async function actionOf(world: World): Promise<string> {
  const { data } = await (await world.as('admin')).get('/api/custom-actions?search=ticket')
  return `/settings/actions/${String((data['items'] as Loose[])[0]?.['id'])}`
}
