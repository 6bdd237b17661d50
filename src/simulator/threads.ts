import type { Phone } from './accounts'
import type { Call } from './calls'
import type { Delivery } from './deliveries'
import { refusal } from './errors'
import type { Answer } from './messages'
import { rejected } from './messages'
import { parametersOf } from './parameters'
import { statusChange, type Person, type Webhook } from './payloads'
import { isObject } from './rules'
import { asStandby, FROM_AGENT, handover, standbyEcho, summaryOf, TO_AGENT } from './standby'
import { businessNumberOf, deliver, seconds, type Changed, type World } from './world'

/**
 * Who owns a thread on a shared number, from the point of view of the tested app. `other` is the
 * responder of another app.
 */
export type SimulatedOwner = 'us' | 'agent' | 'other' | 'idle'

/** The five entry points of a number that each have one primary responder. */
const ENTRY_POINTS = ['customer_service', 'marketing', 'utility', 'ctwa', 'calls']

/** What the business of the tested app does on a number: its roles, and whether it sees standby. */
export interface Sharing {
  roles: readonly string[]
  isStandby: boolean
}

/** The roles of the business of the tested app where nobody else has one. */
export const ownRoles = (isEscalation: boolean): string[] =>
  isEscalation ? [...ENTRY_POINTS, 'escalation'] : ENTRY_POINTS

const NOT_ESCALATION_PARTNER = 2_494_191
const MAX_METADATA = 2_000
const ACTIONS = ['pass', 'release', 'take']
const TARGETS = ['ai_agent', 'ctwa', 'customer_service', 'escalation', 'marketing', 'utility']
const KEYS = ['messaging_product', 'to', 'recipient', 'action', 'metadata', 'control_pass']

/** Owners of the threads of numbers that are shared with the platform's agent and another app. */
export class Threads {
  readonly #shared = new Map<string, Sharing & { owners: Map<string, SimulatedOwner> }>()

  /**
   * Shares a number: the agent owns every thread that is not given to the app, and another app has
   * the roles that the business of the app has not.
   */
  share(phoneId: string, sharing: Sharing): void {
    this.#shared.set(phoneId, { ...sharing, owners: new Map() })
  }

  /** Whether the number is shared. */
  isShared(phoneId: string): boolean {
    return this.#shared.has(phoneId)
  }

  /** What the business of the app does on the number. Without sharing it answers everything. */
  sharing(phoneId: string): Sharing {
    return this.#shared.get(phoneId) ?? { roles: ownRoles(false), isStandby: false }
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
  const owner = world.threads.ownerOf(phone.id, keyOf(person))
  const isOthers = owner === 'agent' || owner === 'other'
  return deliver(world, phone, isOthers ? asStandby(webhook) : webhook)
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

/** A handover: the new owner, its role if it is another app, and what comes along. */
export interface Passing {
  owner: 'us' | 'agent' | 'other'
  role?: string | undefined
  metadata?: string | undefined
  /** What the former owner says about the conversation so far. */
  summary?: string | undefined
}

const rolesOf = ({ owner, role }: Passing): Record<string, string> => {
  if (role !== undefined)
    return {
      previous_owner_role: owner === 'us' ? 'ai_agent' : 'customer_service',
      new_owner_role: role,
    }
  if (owner === 'other')
    return { previous_owner_role: 'customer_service', new_owner_role: 'escalation' }
  return owner === 'us' ? FROM_AGENT : TO_AGENT
}

/** Passes the thread of a customer between the platform's agent and the apps, with the webhook. */
export async function passThread(
  world: World,
  phone: Phone,
  person: Person,
  to: Passing,
): Promise<void> {
  world.threads.give(phone.id, keyOf(person), to.owner)
  const control = {
    ...rolesOf(to),
    ...(to.metadata === undefined ? {} : { metadata: to.metadata }),
    ...(to.summary === undefined ? {} : { conversation_context: summaryOf(to.summary) }),
  }
  const about = { line: businessNumberOf(phone), person, timestamp: seconds(world) }
  // The app hears of a pass if it gets the thread or gave it away; others take it.
  const isTaken = to.owner === 'other' && to.metadata === undefined
  const type = isTaken ? 'control_taken' : 'control_passed'
  await deliver(world, phone, handover({ type, control }, about))
}

/** `/{phone}/routing_roles`: what the business of the app does on a number. */
export function routingRoles(world: World, phone: Phone): Answer {
  const { roles, isStandby } = world.threads.sharing(phone.id)
  return { status: 200, body: { roles, is_standby: isStandby } }
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
  if (control_pass !== undefined && (action !== 'pass' || !TARGETS.includes(String(target))))
    return invalid(
      world,
      `Param control_pass.target_role must be one of {${TARGETS.join(', ')}}, for a pass only.`,
    )
  if (!world.threads.isShared(phone.id))
    return invalid(world, 'Conversation routing is not enabled for this phone number.')
  const { roles } = world.threads.sharing(phone.id)
  if (action === 'take' && !roles.includes('escalation'))
    return rejected(world, refusal({ code: NOT_ESCALATION_PARTNER }))
  const key = to === undefined ? address : world.waIdFor(world.dialled(address))
  const person =
    world.people.find(phone.id, key) ?? (to === undefined ? { userId: key } : { waId: key })
  const role = typeof target === 'string' ? target : 'escalation'
  if (action === 'pass' && world.threads.ownerOf(phone.id, keyOf(person)) !== 'us')
    return invalid(world, 'Only the owner of a thread can pass it.')
  if (action === 'pass' && roles.includes(role))
    return invalid(world, 'The target is the owner of this thread already.')
  applyControl(world, phone, person, { action, role, metadata, changed })
  const request_id = world.ids.wamid()
  return { status: 200, body: { messaging_product: 'whatsapp', success: true, request_id } }
}

/** Only a pass is told by webhook. */
function applyControl(
  world: World,
  phone: Phone,
  person: Person,
  {
    action,
    role,
    metadata,
    changed,
  }: { action: string; role: string; metadata: unknown; changed: Changed },
): void {
  const note = typeof metadata === 'string' ? metadata : undefined
  if (action !== 'pass')
    return world.threads.give(phone.id, keyOf(person), action === 'take' ? 'us' : 'idle')
  const owner = role === 'ai_agent' ? 'agent' : 'other'
  world.busy.count += 1
  setImmediate(() => {
    world.busy.count -= 1
    passThread(world, phone, person, { owner, role, metadata: note }).catch(changed)
    changed()
  })
  return undefined
}
