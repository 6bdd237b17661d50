import { SAMPLES } from '../../src/simulator/sample-files'
import { importFrom } from '../../src/modules/data/product-imports/cli'
import type { Answer, Loose } from './client'
import { upload } from './files'
import { ASKING, RULES } from './flows'
import { approvedTemplate } from './templates'
import type { World } from './world'

/** A customer who writes to the bot while it is closed, and again while it waits for more. */
const WAITING_CUSTOMER = '4915112340778'

/** Returns the data of an answer. Throws if it is a refusal. */
function must({ status, body, data }: Answer<Loose>): Loose {
  if (status >= 300) throw new Error(`answered ${status}: ${JSON.stringify(body)}`)
  return data
}

/**
 * Adds what few organizations have: files in cards, requests of a Flow to its endpoint, recipients who
 * cannot be reached, costs that are not added up yet, and a bot that is closed and waits. Some of it
 * is gone a day later.
 */
export async function addSeldomRows(world: World): Promise<void> {
  const files = [await pictureIn(world), await pictureIn(world)]
  await cardsOf(world, files)
  await exchange(world)
  await unreachable(world)
  await closedBot(world)
  await tagOfBefore(world)
}

const pictureIn = async (world: World): Promise<string> =>
  String(
    must(
      await upload(await world.as('admin'), {
        bytes: SAMPLES['image/jpeg'],
        type: 'image/jpeg',
        name: 'hat.jpg',
      }),
    )['id'],
  )

/** A message with two files, and a template with two. */
async function cardsOf(world: World, files: string[]): Promise<void> {
  const contact = await world.contactOf()
  const admin = await world.as('admin')
  must(
    await admin.post(`/api/contacts/${contact['id']}/messages`, {
      type: 'interactive',
      interactive: {
        ...{ type: 'media_carousel', body: 'Our top 2' },
        cards: files.map((media_id) => ({
          header: { type: 'image', media_id },
          ...{ body: 'Offer', button_text: 'Buy', url: 'https://example.com' },
        })),
      },
    }),
  )
  const cards = files.map((media_id) => ({
    components: [
      { type: 'HEADER', format: 'IMAGE', media_id },
      { type: 'BODY', text: 'Now with 10 percent off' },
      { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'More' }] },
    ],
  }))
  await approvedTemplate(world, {
    category: 'MARKETING',
    components: [
      { type: 'BODY', text: 'Our offers of this week' },
      { type: 'CAROUSEL', cards },
    ],
  })
  await world.settle()
}

/** A Flow that asks its endpoint for the first screen. */
async function exchange(world: World): Promise<void> {
  const admin = await world.as('admin')
  const contact = await world.contactOf()
  const account = String(world.tenant.accountId)
  must(await admin.post(`/api/accounts/${account}/flow-key`))
  const { id } = must(
    await admin.post('/api/flows', {
      ...{ account_id: account, name: 'Asking', categories: ['OTHER'], json_definition: ASKING },
      ...{ endpoint_mode: 'rules', endpoint_config: RULES },
    }),
  )
  const url = `${world.url}/api/flows/endpoint/${account}`
  const saved = must(await admin.post(`/api/flows/${id}/save-to-meta`))
  const there = world.simulator.flow(String(saved['meta_flow_id']))
  if (there) there.endpointUri = url
  must(await admin.post(`/api/flows/${id}/publish`))
  const sent = must(
    await admin.post(`/api/contacts/${contact['id']}/messages`, {
      type: 'interactive',
      interactive: { type: 'flow', body: 'Fill it in', button_text: 'Open', flow_id: id },
    }),
  )
  const { flow_token } = sent['content'] as Loose
  await world.simulator.askEndpoint({ version: '3.0', action: 'INIT', flow_token }, { url })
  await world.settle()
}

/** Campaigns for a person whom the platform finds, and for one whom it does not. */
async function unreachable(world: World): Promise<void> {
  const admin = await world.as('admin')
  const template = await approvedTemplate(world, {
    components: [{ type: 'BODY', text: 'We have news for you today.' }],
  })
  for (const phone_number of ['+1 555 010 0178', '+1 555 010 0179']) {
    const { id } = must(
      await admin.post('/api/campaigns', {
        ...{ name: phone_number, account_id: world.tenant.accountId, template_id: template['id'] },
      }),
    )
    must(
      await admin.post(`/api/campaigns/${id}/recipients/import`, {
        recipients: [{ phone_number }],
      }),
    )
    if (phone_number.endsWith('9')) world.simulator.fail({ code: 131_026 }, { route: 'messages' })
    must(await admin.post(`/api/campaigns/${id}/start`, {}))
    await world.settle()
  }
}

/** A bot that tells a customer that it is closed, and waits for the rest of a question. */
async function closedBot(world: World): Promise<void> {
  const admin = await world.as('admin')
  const settings = async (changes: Loose): Promise<void> =>
    void must(await admin.put('/api/chatbot/settings', { human_takeover_minutes: 0, ...changes }))
  const customer = world.simulator.customer({
    ...{ phone: world.tenant.phoneId, waId: WAITING_CUSTOMER, name: 'Waiting' },
  })
  await customer.isPassedTo('us') // an example shared the number with the agent of the platform
  const hours = { day: 'monday', start_time: '00:00', end_time: '00:01' }
  for (const business_hours of [[{ ...hours, enabled: false }], [hours]]) {
    await settings({
      ...{ business_hours_enabled: true, out_of_hours_message: 'We are closed.' },
      ...{ allow_automated_outside_hours: false, business_hours },
    })
    await customer.says('And now?')
    await world.settle()
  }
  await settings({ debounce_seconds: 10 })
  await customer.says('A question of several')
  await world.settle()
}

/** What an import from another product leaves for its undo. */
async function tagOfBefore(world: World): Promise<void> {
  const { close } = await importFrom(
    world.program.http,
    world.tenant.id,
    {
      product: 'whatomate',
      origin: 'another server',
      async *entries() {
        yield await Promise.resolve({ kind: 'tag' as const, id: '1', name: 'customer of before' })
      },
      stage: () => Promise.reject(new Error('there are no files')),
      close: () => undefined,
    },
    { isCheck: false, number: null, country: null, inviteAs: null, onProgress: () => undefined },
  )
  close()
}
