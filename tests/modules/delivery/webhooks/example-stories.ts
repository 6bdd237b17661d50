import { DAY_MS } from '../../../../src/lib/clock'
import { echoText } from '../../../../src/simulator/coexistence'
import type { Customer } from '../../../../src/simulator/customers'
import { handover, TO_AGENT } from '../../../../src/simulator/standby'
import { BotWorld } from '../../../support/bots'
import { approvedTemplate, CampaignFixture } from '../../../support/campaigns'
import type { Loose } from '../../../support/client'
import { publishedFlow } from '../../../support/flows'
import { imported } from '../../../support/imports'
import { deliver, lineOf, secondsIn } from '../../../support/lines'
import { Desk, pathOf } from '../../../support/transfers'
import { World, type WorldOptions } from '../../../support/world'

/** A story: happens in a world of its own, with the endpoint that `listen` creates. */
type Story = (options: WorldOptions, listen: (world: World) => Promise<string>) => Promise<void>

/** Part of a story, in a world in which a customer has written. */
interface Scene {
  world: World
  customer: Customer
  /** The path of the customer's contact. */
  contact: string
  conversation: string
}

const itemsOf = async (world: World, path: string): Promise<Loose[]> =>
  (await (await world.as('manager')).get(path)).data['items'] as Loose[]

async function firstWords(world: World): Promise<Scene> {
  const customer = world.simulator.customer({ phone: world.tenant.phoneId })
  await customer.says('Do you have the blue one in my size?')
  await world.settle()
  const [conversation = {}] = await itemsOf(world, '/api/conversations')
  const contact = (conversation['contact'] as Loose)['id'] as string
  return {
    world,
    customer,
    contact: `/api/contacts/${contact}`,
    conversation: `/api/conversations/${conversation['id']}`,
  }
}

/** An answer that is read, one that fails, a file, a reaction, an edit and the phone app. */
async function messages({ world, customer, contact }: Scene): Promise<void> {
  const manager = await world.as('manager')
  await manager.post(`${contact}/messages`, { type: 'text', text: 'Yes, we do.' })
  await world.settle()
  const [sent] = customer.received()
  await customer.reacts(String(sent?.wamid), '👍')
  await customer.sends({ type: 'image', caption: 'This one' })
  const { id } = await customer.says('Thnaks')
  await world.settle()
  await customer.edits(id, 'Thanks')
  await deliver(
    world,
    echoText('Written on the phone', {
      line: lineOf(world.tenant),
      person: customer,
      timestamp: secondsIn(world),
      id: 'wamid.echo',
    }),
  )
  world.simulator.failLater({ code: 131_026 })
  await manager.post(`${contact}/messages`, { type: 'text', text: 'You are welcome.' })
  await world.settle()
}

async function calls({ world, customer, contact }: Scene): Promise<void> {
  const answered = await customer.calls()
  await world.settle()
  world.clock.advance({ seconds: 95 })
  await answered.ends(90)
  await world.settle()
  const missed = await customer.calls()
  world.clock.advance({ seconds: 30 })
  await missed.ends(0)
  await world.settle()
  const manager = await world.as('manager')
  await manager.post(`${contact}/call-permission`, { text: 'May we call you?' })
  await world.settle()
  await customer.permitsCalls(world.clock.nowMs() + 7 * DAY_MS)
  await world.settle()
}

async function orders({ world, customer }: Scene): Promise<void> {
  await customer.orders([
    { product_retailer_id: 'sku-77', quantity: 2, item_price: 30, currency: 'USD' },
  ])
  await world.settle()
  const [order] = await itemsOf(world, '/api/orders')
  await (await world.as('manager')).put(`/api/orders/${order?.['id']}`, { state: 'confirmed' })
  await world.settle()
}

async function forms({ world, customer, contact }: Scene): Promise<void> {
  const manager = await world.as('manager')
  const { id } = await publishedFlow(world, manager, { name: 'Feedback' })
  const { data } = await manager.post(`${contact}/messages`, {
    type: 'interactive',
    interactive: { type: 'flow', body: 'How was it?', button_text: 'Tell us', flow_id: id },
  })
  await world.settle()
  const message = (await manager.get(`/api/messages/${data['id']}`)).data
  const flow_token = String((message['content'] as Loose)['flow_token'])
  await customer.completesFlow(
    { flow_token, words: 'Very good', news: true },
    { replyTo: String(message['wa_message_id']) },
  )
  await world.settle()
}

async function contacts({ world, contact, conversation }: Scene): Promise<void> {
  const manager = await world.as('manager')
  await manager.put(contact, { name: 'Ana Sol' })
  await world.settle()
  await manager.post(`${contact}/consents`, { state: 'opted_in', evidence: 'Form at the counter' })
  await imported(world, manager, { file: 'phone_number,name\n+15550104321,Ben\n' })
  await manager.put(conversation, { state: 'closed' })
  await world.settle()
}

async function settings({ world }: Scene): Promise<void> {
  await approvedTemplate(world, { name: 'order_ready' })
  const admin = await world.as('admin')
  await admin.put(`/api/accounts/${world.tenant.accountId}`, { name: 'Shop' })
  await world.settle()
}

/** The platform's agent takes the thread; then the contact is deleted. */
async function ending({ world, customer, contact }: Scene): Promise<void> {
  world.simulator.shareNumber({ phone: world.tenant.phoneId })
  await deliver(
    world,
    handover(
      { control: TO_AGENT },
      { line: lineOf(world.tenant), person: customer, timestamp: secondsIn(world) },
    ),
  )
  await (await world.as('admin')).delete(contact)
  await world.settle()
}

/** A customer of a shop: messages, calls, orders, forms, settings. */
const shop: Story = async (options, listen) => {
  await using world = await World.create(options)
  const endpoint = await listen(world)
  await (await world.as('admin')).post(`/api/webhooks/${endpoint}/test`, {})
  const scene = await firstWords(world)
  for (const part of [messages, calls, orders, forms, contacts, settings, ending]) {
    world.clock.advance({ seconds: 10 })
    await part(scene)
  }
}

/** Transfers that a person takes, returns and ends, that nobody takes, and a silent customer. */
const helpDesk: Story = async (options, listen) => {
  await using desk = await Desk.create(3, options)
  await listen(desk.world)
  await desk.settings({
    sla_enabled: true,
    sla_response_minutes: 15,
    sla_resolution_minutes: 600,
    sla_escalation_minutes: 30,
    sla_auto_close_hours: 1,
  })
  const agent = await desk.agent()
  const helped = await desk.transfer(0)
  await agent.client.post(pathOf(helped, 'pickup'))
  await desk.inbox.passes({ seconds: 30 })
  await agent.client.put(pathOf(helped, 'assign'), { agent_id: null })
  await desk.inbox.passes({ seconds: 30 })
  await (await desk.world.as('manager')).put(pathOf(helped, 'resume'))
  await desk.transfer(1)
  await desk.transfer(2, { agent_id: agent.userId })
  await agent.client.post(`${await desk.inbox.contactPath(2)}/messages`, {
    type: 'text',
    text: 'What is your order number?',
  })
  for (let round = 0; round < 5; round += 1) await desk.inbox.passes({ minutes: 16 })
}

/** A campaign that is paused and completed, and one that is canceled. */
const sale: Story = async (options, listen) => {
  await using fixture = await CampaignFixture.open(options)
  await listen(fixture.world)
  const id = await fixture.draftFor(1)
  for (const verb of ['start', 'pause', 'resume']) {
    await fixture.do(id, verb)
    fixture.world.program.webhookReader.step() // before anything is sent
  }
  await fixture.run(id)
  const other = await fixture.draftFor(['15550300000'])
  for (const verb of ['start', 'cancel']) {
    await fixture.do(other, verb)
    fixture.world.program.webhookReader.step() // before any job changes the counts
  }
  await fixture.world.settle()
}

/** A customer answers the question of a bot flow. */
const bot: Story = async (options, listen) => {
  await using own = await BotWorld.create({}, options)
  await listen(own.world)
  await own.flow([
    ['ask', 'prompt', { body: 'What is your order number?', store_as: 'order_number' }],
    ['thanks', 'end', { message: 'Thank you. We look it up.' }],
  ])
  await own.say('begin')
  await own.say('A-1001')
}

/** Stories in which every type of event happens. */
export const STORIES: Story[] = [shop, helpDesk, sale, bot]
