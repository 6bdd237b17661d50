import { SAMPLES } from '../../src/simulator/sample-files'
import type { Client, Loose } from './client'
import { draftFlow } from './flows'
import { handIn } from './imports'
import type { Stage } from './scenes'
import { sendForm } from './sending'
import { approvedTemplate } from './templates'
import type { World } from './world'

type Prepare = (world: World) => Promise<Stage> | Stage

const contact = async (world: World): Promise<string> => String((await world.contactOf())['id'])
const ofContact: Prepare = async (world) => ({ id: await contact(world) })

/** Creates a resource with one request. */
const madeAt =
  (path: string, body: Loose): Prepare =>
  async (world) => ({ id: String((await (await world.as('admin')).post(path, body)).data['id']) })

const tag = madeAt('/api/tags', { name: 'vip' })
const attribute = madeAt('/api/contact-attributes', { key: 'plan', label: 'Plan', type: 'text' })
const segment = madeAt('/api/segments', {
  name: 'All',
  filter: { field: 'created_at', op: 'exists' },
})
const view = madeAt('/api/views', {
  name: 'Open',
  resource: 'conversations',
  filter: { state: 'open' },
})
/** A message that is sent the next day. */
const scheduled: Prepare = async (world) => ({
  id: String(
    (
      await (
        await world.as('admin')
      ).post('/api/scheduled-messages', {
        contact_id: await contact(world),
        message: { type: 'text', text: 'Good morning' },
        send_at: new Date(world.clock.nowMs() + 86_400_000).toISOString(),
      })
    ).data['id'],
  ),
})
const canned = madeAt('/api/canned-responses', { name: 'Hello', content: 'Hello {{contact_name}}' })
const keywordRule = madeAt('/api/chatbot/keywords', { keywords: ['open'], response: 'At nine.' })
const template: Prepare = async (world) => ({
  id: String(
    (await (await world.as('admin')).post('/api/templates', greetingOf(world))).data['id'],
  ),
})
const approved = async (world: World): Promise<{ id: string }> => ({
  id: String(
    (
      await approvedTemplate(world, {
        components: [{ type: 'BODY', text: 'Hello, we are here for you.' }],
      })
    )['id'],
  ),
})
const greetingOf = (world: World): Loose => ({
  account_id: world.tenant.accountId,
  name: 'greeting',
  language: 'en',
  category: 'UTILITY',
  components: [{ type: 'BODY', text: 'Hello, we are here for you.' }],
})
const flow = madeFlow()
const publishedFlowOf = madeFlow('save-to-meta', 'publish')

/** Creates a Flow and applies these steps. */
function madeFlow(...steps: string[]): Prepare {
  return async (world) => {
    const admin = await world.as('admin')
    const { id } = await draftFlow(world, admin, { name: 'Staged' })
    for (const step of steps) await admin.post(`/api/flows/${id}/${step}`)
    return { id: String(id) }
  }
}

const account: Prepare = (world) => ({ body: { account_id: world.tenant.accountId } })

const note: Prepare = async (world) => {
  const id = await contact(world)
  const { data } = await (
    await world.as('admin')
  ).post(`/api/contacts/${id}/notes`, { content: 'A note' })
  return { ids: [id, String(data['id'])] }
}

/** Creates an outgoing message that waits to be sent. */
const waiting: Prepare = async (world) => {
  const { data } = await (
    await world.as('admin')
  ).post(`/api/contacts/${await contact(world)}/messages`, { type: 'text', text: 'Hello' })
  return { id: String(data['id']) }
}

/** Creates an outgoing message that the platform rejected. */
const failed: Prepare = async (world) => {
  const id = await contact(world)
  world.simulator.fail({ code: 131_008, message: 'Required parameter is missing' })
  const { data } = await (
    await world.as('admin')
  ).post(`/api/contacts/${id}/messages`, { type: 'text', text: 'Hello' })
  await world.settle()
  return { id: String(data['id']) }
}

/** A customer's message. */
const incoming = async (world: World): Promise<{ contactId: string; messageId: string }> => {
  const contactId = await contact(world)
  const { data } = await (await world.as('admin')).get(`/api/contacts/${contactId}/messages`)
  return { contactId, messageId: String((data['items'] as Loose[])[0]?.['id']) }
}

/** A customer's order. */
const placedOrder: Prepare = async (world) => {
  const customer = world.simulator.customer({ phone: world.tenant.phoneId })
  await customer.orders([
    { product_retailer_id: 'sku-77', quantity: 2, item_price: 30, currency: 'USD' },
  ])
  await world.settle()
  const { data } = await (await world.as('admin')).get('/api/orders')
  return { id: String((data['items'] as Loose[])[0]?.['id']) }
}

const uploaded = async (client: Client): Promise<string> => {
  const file = { name: 'receipt.jpg', type: 'image/jpeg', bytes: SAMPLES['image/jpeg'] }
  return String((await sendForm(client, '/api/media', {}, file)).data['id'])
}
const file: Prepare = async (world) => ({ id: await uploaded(await world.as('admin')) })

/** The logo of the organization. */
const logo: Prepare = async (world) => {
  const form = new FormData()
  form.set('logo', new File([new Uint8Array(SAMPLES['image/jpeg'])], 'logo.jpg'))
  const { headers } = await world.as('admin')
  const answer = await fetch(`${world.url}/api/organizations/branding`, {
    method: 'PUT',
    body: form,
    headers,
  })
  const { data } = (await answer.json()) as { data: { logo_url: string } }
  return { client: world.anyone, id: data.logo_url.split('/').at(-1) ?? '' }
}

/** A customer's file that could not be fetched. */
const lostFile: Prepare = async (world) => {
  const { messageId } = await incoming(world)
  const id = '01900000-0000-7000-8000-00000000f11e'
  world.rows(
    `insert into media (organization_id, id, origin, kind, state, account_id, platform_media_id, last_error, created_at_ms, updated_at_ms)
     values (?, ?, 'inbound', 'image', 'failed', ?, '1003383421387256', '{"code":"media_unavailable","message":"gone"}', ?, ?)`,
    world.tenant.id,
    id,
    world.tenant.accountId ?? '',
    world.clock.nowMs(),
    world.clock.nowMs(),
  )
  world.rows('update messages set media_id = ? where id = ?', id, messageId)
  return { id }
}

/** A completed import. */
const importOf =
  (fields: Record<string, string>): Prepare =>
  async (world) => {
    const { data } = await handIn(await world.as('admin'), {
      file: 'phone_number,name\n15550700009,Ana\n',
      fields,
    })
    await world.settle()
    return { id: String(data['id']) }
  }

const exportDone: Prepare = async (world) => {
  const { data } = await (await world.as('admin')).post('/api/export', { table: 'contacts' })
  await world.settle()
  return { id: String(data['id']) }
}

const ofContacts: Prepare = () => ({ id: 'contacts' })

/** Prepares the data for the documented examples of contacts, notes, files and messages. */
export const INBOX_STAGES: Record<string, Prepare> = {
  'GET /api/import/:table/config': ofContacts,
  'POST /api/import/:table/preview': ofContacts,
  'GET /api/export/:table/config': ofContacts,
  'GET /api/imports/:id': importOf({}),
  'GET /api/imports/:id/columns': importOf({ draft: 'true' }),
  'PUT /api/imports/:id': importOf({ draft: 'true' }),
  'POST /api/imports/:id/check': importOf({ draft: 'true' }),
  'GET /api/imports/:id/rows': importOf({}),
  'GET /api/imports/:id/sample': importOf({ dry_run: 'true' }),
  'GET /api/imports/:id/failed-rows': importOf({ dry_run: 'true' }),
  'POST /api/imports/:id/commit': importOf({ dry_run: 'true' }),
  'POST /api/imports/:id/undo': importOf({}),
  'POST /api/imports/:id/cancel': async (world) => ({
    id: String(
      (await handIn(await world.as('admin'), { file: 'phone_number\n15550700009\n' })).data['id'],
    ),
  }),
  'GET /api/exports/:id': exportDone,
  'GET /api/exports/:id/download': exportDone,
  'GET /api/tags/:id': tag,
  'PUT /api/tags/:id': tag,
  'DELETE /api/tags/:id': tag,
  'PUT /api/contacts/:id': ofContact,
  'DELETE /api/contacts/:id': ofContact,
  'PUT /api/contacts/:id/tags': ofContact,
  'GET /api/contacts/:id/session-data': ofContact,
  'POST /api/contacts/:id/block': ofContact,
  'DELETE /api/contacts/:id/block': ofContact,
  'GET /api/contacts/:id/consents': ofContact,
  'POST /api/contacts/:id/consents': ofContact,
  'POST /api/contacts/:id/merge': async (world) => ({
    id: await contact(world),
    body: { source_id: await contact(world) },
  }),
  'PUT /api/contacts/:id/apart/:other_id': async (world) => ({
    ids: [await contact(world), await contact(world)],
  }),
  'DELETE /api/contacts/:id/apart/:other_id': async (world) => {
    const ids = [await contact(world), await contact(world)]
    await (await world.as('admin')).put(`/api/contacts/${ids.join('/apart/')}`)
    return { ids }
  },
  'POST /api/contacts/merges/:id/undo': async (world) => {
    const admin = await world.as('admin')
    const { data } = await admin.post(`/api/contacts/${await contact(world)}/merge`, {
      source_id: await contact(world),
    })
    return { id: String(data['merge_id']) }
  },
  'POST /api/contacts/bulk': async (world) => {
    await (await world.as('admin')).post('/api/tags', { name: 'fair' })
    return { body: { contact_ids: [await contact(world)] } }
  },
  'GET /api/contact-attributes/:id': attribute,
  'PUT /api/contact-attributes/:id': attribute,
  'DELETE /api/contact-attributes/:id': attribute,
  'GET /api/segments/:id': segment,
  'GET /api/views/counts': async (world) => ({ query: `?ids=${String((await view(world)).id)}` }),
  'PUT /api/views/:id': view,
  'DELETE /api/views/:id': view,
  'POST /api/scheduled-messages': async (world) => ({ body: { contact_id: await contact(world) } }),
  'GET /api/scheduled-messages/:id': scheduled,
  'PUT /api/scheduled-messages/:id': scheduled,
  'DELETE /api/scheduled-messages/:id': scheduled,
  'POST /api/scheduled-messages/:id/send-now': scheduled,
  'PUT /api/segments/:id': segment,
  'DELETE /api/segments/:id': segment,
  'GET /api/segments/:id/contacts': segment,
  'GET /api/contacts/:id/notes': ofContact,
  'POST /api/contacts/:id/notes': ofContact,
  'PUT /api/contacts/:id/notes/:note_id': note,
  'DELETE /api/contacts/:id/notes/:note_id': note,
  'GET /api/chatbot/keywords/:id': keywordRule,
  'PUT /api/chatbot/keywords/:id': keywordRule,
  'DELETE /api/chatbot/keywords/:id': keywordRule,
  'GET /api/canned-responses/:id': canned,
  'PUT /api/canned-responses/:id': canned,
  'DELETE /api/canned-responses/:id': canned,
  'POST /api/canned-responses/:id/use': canned,
  'POST /api/canned-responses/:id/render': async (world) => ({
    ...(await canned(world)),
    body: { contact_id: await contact(world) },
  }),
  'GET /api/messages/search': () => ({ query: '?q=hello' }),
  'GET /api/messages/search/notes': () => ({ query: '?q=hello' }),
  'GET /api/suggest': () => ({ query: '?q=ana' }),
  'GET /api/messages/:id/events': async (world) => ({ id: (await incoming(world)).messageId }),
  'POST /api/messages/:id/cancel': waiting,
  'POST /api/messages/:id/resend': failed,
  'POST /api/contacts/:id/messages/:message_id/reaction': async (world) => {
    const { contactId, messageId } = await incoming(world)
    return { ids: [contactId, messageId] }
  },
  'GET /api/contacts/:id/campaigns': ofContact,
  'GET /api/contacts/:id/call-permission': ofContact,
  'POST /api/contacts/:id/call-permission': ofContact,
  'GET /api/orders/:id': placedOrder,
  'PUT /api/orders/:id': placedOrder,
  'POST /api/prices/import': async (world) => ({ client: await world.as('super') }),
  'POST /api/flows': account,
  ...Object.fromEntries(
    [
      'GET /:id',
      'PUT /:id',
      'DELETE /:id',
      'POST /:id/duplicate',
      'POST /:id/validate',
      'GET /:id/responses',
      'GET /:id/exchanges',
    ].map((label): [string, Prepare] => [label.replace(' /', ' /api/flows/'), flow]),
  ),
  'POST /api/flows/:id/save-to-meta': flow,
  'POST /api/flows/:id/publish': madeFlow('save-to-meta'),
  'POST /api/flows/:id/deprecate': publishedFlowOf,
  'GET /api/flows/:id/preview': publishedFlowOf,
  'POST /api/templates': account,
  'POST /api/templates/upload-media': account,
  'GET /api/templates/:id': template,
  'PUT /api/templates/:id': template,
  'DELETE /api/templates/:id': template,
  'POST /api/templates/:id/archive': approved,
  'POST /api/templates/:id/restore': async (world) => {
    const { id } = await approved(world)
    await (await world.as('admin')).post(`/api/templates/${id}/archive`)
    return { id }
  },
  'POST /api/templates/:id/publish': template,
  'POST /api/templates/:id/preview': template,
  'GET /api/templates/:id/stats': template,
  'POST /api/templates/:id/test': approved,
  'POST /api/templates/:id/duplicate': template,
  'POST /api/messages/template': async (world) => {
    await approvedTemplate(world, {
      name: 'order_shipped',
      components: [
        {
          type: 'BODY',
          text: 'Hello {{1}}, your order {{2}} is on its way to you.',
          example: { body_text: [['Ana', '860198']] },
        },
      ],
    })
    return {}
  },
  'POST /api/outbox/pause': account,
  'POST /api/outbox/resume': account,
  'POST /api/outbox/cancel': account,
  'DELETE /api/media/:id': file,
  'GET /api/logos/:name': logo,
  'GET /api/media/:id/info': file,
  'GET /api/media/:id/thumbnail': file,
  'POST /api/media/:id/link': file,
  'POST /api/media/:id/retry': lostFile,
}
