import type { Phone } from './accounts'
import type { Call } from './calls'
import type { Delivery } from './deliveries'
import { refusal } from './errors'
import type { Answer } from './messages'
import { rejected } from './messages'
import { parametersOf } from './parameters'
import { statusChange, type Person, type Webhook } from './payloads'
import { isObject } from './rules'
import { asStandby, FROM_AGENT, handover, standbyEcho, TO_AGENT } from './standby'
import { businessNumberOf, deliver, seconds, type Changed, type World } from './world'

/** Who owns a thread on a shared number, from the point of view of the tested app. */
export type SimulatedOwner = 'us' | 'agent' | 'idle'

const NOT_ESCALATION_APP = 2_494_191
const MAX_METADATA = 2_000
const ACTIONS = ['pass', 'release', 'take']
const KEYS = ['messaging_product', 'to', 'recipient', 'action', 'metadata', 'control_pass']

/** Owners of the threads of numbers that are shared with the platform's agent. */
export class Threads {
  readonly #shared = new Map<
    string,
    { isEscalation: boolean; owners: Map<string, SimulatedOwner> }
  >()

  /** Shares a number: the agent owns every thread that is not given to the app. */
  share(phoneId: string, isEscalation: boolean): void {
    this.#shared.set(phoneId, { isEscalation, owners: new Map() })
  }

  /** Whether the number is shared. */
  isShared(phoneId: string): boolean {
    return this.#shared.has(phoneId)
  }

  /** Whether the app may take threads of the number. */
  isEscalation(phoneId: string): boolean {
    return this.#shared.get(phoneId)?.isEscalation === true
  }

  /** Returns the owner of a thread. Without sharing it is always the app. */
  ownerOf(phoneId: string, person: string): SimulatedOwner {
    const shared = this.#shared.get(phoneId)
    return shared === undefined ? 'us' : (shared.owners.get(person) ?? 'agent')
  }

  /** Sets the owner of a thread. Does nothing for a number that is not shared. */
  give(phoneId: string, person: string, owner: SimulatedOwner): void {
    this.#shared.get(phoneId)?.owners.set(person, owner)
  }
}

const keyOf = ({ waId, userId }: Person): string => waId ?? userId ?? ''

/** Delivers what a customer sent, in the field of the thread's owner. */
export function deliverToOwner(
  world: World,
  phone: Phone,
  person: Person,
  webhook: Webhook,
): Promise<Delivery> {
  const isAgents = world.threads.ownerOf(phone.id, keyOf(person)) === 'agent'
  return deliver(world, phone, isAgents ? asStandby(webhook) : webhook)
}

/** Lets the platform's agent answer a customer: an echo and the statuses of the answer. */
export async function agentAnswers(
  world: World,
  phone: Phone,
  person: Person,
  body: string,
): Promise<string> {
  const id = world.ids.wamid()
  const about = { line: businessNumberOf(phone), person, timestamp: seconds(world), id }
  await deliver(world, phone, standbyEcho(body, about))
  for (const status of ['sent', 'delivered'])
    await deliver(world, phone, asStandby(statusChange(id, status, {}, about)))
  return id
}

/** Passes the thread of a customer between the platform's agent and the app, with the webhook. */
export async function passThread(
  world: World,
  phone: Phone,
  person: Person,
  to: { owner: 'us' | 'agent'; metadata?: string | undefined },
): Promise<void> {
  world.threads.give(phone.id, keyOf(person), to.owner)
  const control = {
    ...(to.owner === 'us' ? FROM_AGENT : TO_AGENT),
    ...(to.metadata === undefined ? {} : { metadata: to.metadata }),
  }
  const about = { line: businessNumberOf(phone), person, timestamp: seconds(world) }
  await deliver(world, phone, handover({ control }, about))
}

const invalid = (world: World, message: string): Answer =>
  rejected(world, refusal({ code: 100, message: `(#100) ${message}` }))

/** `/{phone}/thread_control`: passes, releases or takes the thread of a customer. */
export function controlThread(world: World, call: Call, phone: Phone, changed: Changed): Answer {
  const asked = parametersOf(call)
  const { messaging_product, to, recipient, action, metadata, control_pass } = asked
  const unknownKey = Object.keys(asked).find((key) => !KEYS.includes(key))
  if (unknownKey !== undefined) return invalid(world, `Unexpected key "${unknownKey}" on param.`)
  if (messaging_product !== 'whatsapp')
    return invalid(world, 'The parameter messaging_product is required.')
  const address = to ?? recipient
  if (
    typeof address !== 'string' ||
    address === '' ||
    (to === undefined) === (recipient === undefined)
  )
    return invalid(world, 'Exactly one of the parameters to and recipient is required.')
  if (typeof action !== 'string' || !ACTIONS.includes(action))
    return invalid(world, 'Param action must be one of {pass, release, take}.')
  if (metadata !== undefined && (typeof metadata !== 'string' || metadata.length > MAX_METADATA))
    return invalid(world, `Param metadata must be a text of at most ${MAX_METADATA} characters.`)
  const target = isObject(control_pass) ? control_pass['target_role'] : undefined
  if ((action === 'pass') !== (target === 'ai_agent'))
    return invalid(world, 'Param control_pass.target_role must be ai_agent, for a pass only.')
  if (!world.threads.isShared(phone.id))
    return invalid(world, 'Conversation routing is not enabled for this phone number.')
  if (action === 'take' && !world.threads.isEscalation(phone.id))
    return rejected(world, refusal({ code: NOT_ESCALATION_APP }))
  const key = to === undefined ? address : world.waIdFor(world.dialled(address))
  const person =
    world.people.find(phone.id, key) ?? (to === undefined ? { userId: key } : { waId: key })
  applyControl(world, phone, person, { action, metadata, changed })
  return { status: 200, body: { messaging_product: 'whatsapp', success: true } }
}

/** Only a pass is told by webhook. */
function applyControl(
  world: World,
  phone: Phone,
  person: Person,
  { action, metadata, changed }: { action: string; metadata: unknown; changed: Changed },
): void {
  const note = typeof metadata === 'string' ? metadata : undefined
  if (action !== 'pass')
    return world.threads.give(phone.id, keyOf(person), action === 'take' ? 'us' : 'idle')
  world.busy.count += 1
  setImmediate(() => {
    world.busy.count -= 1
    passThread(world, phone, person, { owner: 'agent', metadata: note }).catch(changed)
    changed()
  })
  return undefined
}
