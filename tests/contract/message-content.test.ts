import { expect, test } from 'bun:test'

import { MESSAGE_TYPES } from '../../src/platform/message-types'
import { CONTENTS } from '../../src/modules/inbox/messages/content/model'
import {
  contacts,
  interactiveReply,
  location,
  mediaMessage,
  order,
  revoke,
  systemNumberChanged,
  templateButton,
  unsupported,
  type About,
  type Webhook,
} from '../../src/simulator/payloads'
import type { Loose } from '../support/client'
import { exactCheck } from '../support/exact-schema'
import { deliver, lineOf, personOf, secondsIn, textTo } from '../support/lines'
import { approvedTemplate } from '../support/templates'
import { World } from '../support/world'

const FILE = { id: '1', mime_type: 'image/jpeg', sha256: 'x', caption: 'Look' }

/** A message of every kind that a customer can send. */
const INCOMING: ((about: About) => Webhook)[] = [
  ...['image', 'video', 'document', 'sticker'].map(
    (kind) => (about: About) => mediaMessage(kind, FILE, about),
  ),
  (about) => mediaMessage('audio', { ...FILE, voice: true }, about),
  (about) => location({ latitude: 1.5, longitude: 2.5, name: 'Shop' }, about),
  (about) => contacts([{ name: { formatted_name: 'Bo Lin', first_name: 'Bo' } }], about),
  (about) => interactiveReply('button_reply', { id: 'a', title: 'Yes' }, about),
  (about) => interactiveReply('list_reply', { id: 'a', title: 'Yes', description: 'Sure' }, about),
  (about) => interactiveReply('nfm_reply', { name: 'flow', response_json: '{"a":1}' }, about),
  (about) => interactiveReply('nfm_reply', { name: 'address_message', response_json: '{}' }, about),
  (about) => interactiveReply('call_permission_reply', { response: 'accept' }, about),
  (about) => interactiveReply('new_kind', { id: 'a' }, about),
  (about) => templateButton('yes', 'Yes', about),
  (about) =>
    order([{ product_retailer_id: 'A', quantity: 1, item_price: 2, currency: 'EUR' }], about),
  (about) => systemNumberChanged('15550709999', about),
  (about) => unsupported('poll', about),
]

const isExact = Object.fromEntries(
  Object.entries(CONTENTS).map(([type, schema]) => [type, exactCheck(schema)]),
)

/** Every message of the world's only contact, its content checked against its type. */
async function checkedMessages(world: World): Promise<Loose[]> {
  const manager = await world.as('manager')
  const { data: found } = await manager.get('/api/contacts')
  const [contact] = found['items'] as Loose[]
  const { data } = await manager.get(`/api/contacts/${contact?.['id']}/messages?limit=100`)
  const items = data['items'] as Loose[]
  for (const { type, content } of items)
    expect({ type, content, isExact: isExact[String(type)]?.(content) }).toEqual({
      ...{ type, content, isExact: true },
    })
  return items
}

test('the content of a message of every type fits its published schema, deleted or not', async () => {
  await using world = await World.create()
  const person = personOf(1, 'Ana')
  const ids: string[] = []
  await deliver(world, textTo(world, 'Hello', { person, id: 'wamid.text' }))
  for (const [nth, webhookOf] of INCOMING.entries()) {
    const id = `wamid.kind${nth}`
    ids.push(id)
    const about = { line: lineOf(world.tenant), person, id, timestamp: secondsIn(world) + nth }
    await deliver(world, webhookOf(about))
  }
  const template = await approvedTemplate(world, {
    components: [{ type: 'BODY', text: 'We are open again today' }],
  })
  const manager = await world.as('manager')
  const { data: page } = await manager.get('/api/contacts')
  const [contact] = page['items'] as Loose[]
  const sent = await manager.post(`/api/contacts/${contact?.['id']}/messages`, {
    ...{ type: 'template', template_id: template['id'] },
  })
  expect(sent.status).toBe(201)
  await world.settle()
  const types = new Set((await checkedMessages(world)).map(({ type }) => String(type)))
  expect([...types].toSorted()).toEqual([...MESSAGE_TYPES].toSorted())

  for (const id of ['wamid.text', ...ids]) {
    const about = { line: lineOf(world.tenant), person, timestamp: secondsIn(world) + 100 }
    await deliver(world, revoke(id, about))
  }
  const deleted = (await checkedMessages(world)).filter(({ revoked_at }) => revoked_at !== null)
  expect(deleted.length).toBe(INCOMING.length + 1)
})
