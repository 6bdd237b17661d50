import {
  statusChange,
  systemNumberChanged,
  textMessage,
  type About,
  type BusinessNumber,
  type Person,
  type StatusFacts,
  type Webhook,
} from '../../src/simulator/payloads'
import type { Loose } from './client'
import type { Tenant, World } from './world'

/** A tenant's number as webhooks name it. */
export const lineOf = (tenant: Tenant): BusinessNumber => ({
  wabaId: tenant.wabaId,
  phoneNumberId: tenant.phoneId,
  displayPhoneNumber: `1555010000${tenant.phoneId.slice(-1)}`,
})

/** A number that no tenant of a world has connected. */
export const STRANGE_LINE: BusinessNumber = {
  wabaId: '209999999999999',
  phoneNumberId: '309999999999999',
  displayPhoneNumber: '15550109090',
}

/** Returns the world's time in Unix seconds, as in webhooks. */
export const secondsIn = (world: World): number => Math.floor(world.clock.nowMs() / 1_000)

/** A text to the world's first tenant at the current time. */
export const textTo = (world: World, body: string, about: About = {}): Webhook =>
  textMessage(body, { line: lineOf(world.tenant), timestamp: secondsIn(world), ...about })

/** A status of a message of the world's first tenant at the current time. */
export const statusTo = (
  world: World,
  waMessageId: string,
  status: string,
  about: About & { facts?: StatusFacts } = {},
): Webhook =>
  statusChange(waMessageId, status, about.facts ?? {}, {
    line: lineOf(world.tenant),
    timestamp: secondsIn(world),
    ...about,
  })

/** The only change's value of a webhook, to bend it. */
export function valueOf(webhook: Webhook): Loose {
  const value = webhook.entry[0]?.changes[0]?.value
  if (value === undefined) throw new Error('the webhook has no change')
  return value
}

/** Returns a customer with a unique number and user ID. */
export const personOf = (nth: number, name = `Customer ${nth}`): Person => ({
  waId: String(15_550_300_000 + nth),
  userId: `US.93${String(nth).padStart(18, '0')}`,
  name,
})

/** Posts a signed webhook, expects 200 and waits until all work is done. */
export async function deliver(world: World, webhook: Webhook): Promise<void> {
  const { status } = await world.simulator.post(webhook)
  if (status !== 200) throw new Error(`the webhook was answered ${status}`)
  await world.settle()
}

/** The bodies of the messages the platform took, oldest first. */
export const takenBodies = (world: World): Loose[] =>
  world.simulator.messages.map(({ body }) => body as Loose)

/** A message of the platform itself: the customer moved to another number. */
export const systemText = (world: World, person: Person): Webhook =>
  systemNumberChanged('15550399999', {
    line: lineOf(world.tenant),
    person,
    timestamp: secondsIn(world),
  })
