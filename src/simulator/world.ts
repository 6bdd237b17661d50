import type { Accounts, Phone } from './accounts'
import type { AdministrationState } from './administration'
import type { Call, CallLog } from './calls'
import { digitsOf } from './checks'
import type { Deliveries, Delivery, Target } from './deliveries'
import type { FlowStore } from './flow-store'
import { openWindowsIn } from './open-windows'
import type { FaultPlan, StatusName } from './faults'
import type { Billing } from './billing'
import type { Limits } from './limits'
import type { MediaStore } from './media-store'
import type { CallPermissions } from './call-permissions'
import type { CallingState } from './calling-settings'
import type { NumberState } from './number-edges'
import type { BusinessNumber, Person, Webhook } from './payloads'
import type { Ids } from './random'
import type { TemplateStore } from './template-store'
import type { KnownTemplate } from './templates'
import type { Threads } from './threads'
import type { Timers } from './timers'

const PEOPLE_LIMIT = 100_000

/** State shared by all parts of a simulator. */
export type World = {
  accounts: Accounts
  log: CallLog
  faults: FaultPlan
  deliveries: Deliveries
  media: MediaStore
  administration: AdministrationState
  flows: FlowStore
  numbers: NumberState
  calling: CallingState
  callPermissions: CallPermissions
  threads: Threads
  limits: Limits
  billing: Billing
  ids: Ids
  timers: Timers
  people: People
  nowMs: () => number
  waIdFor: (number: string) => string
  /** Returns the digits that are dialled for a recipient's number as it is written. */
  dialled: (written: string) => string
  templates: readonly KnownTemplate[] | undefined
  templateStore: TemplateStore
  /** Whether templates must be stored and approved; otherwise unknown templates are accepted. */
  onlyKeptTemplates: boolean
  /** When submitted templates are approved, in milliseconds; undefined if nobody reviews them. */
  approvesAfterMs: number | undefined
  /** Whether files must have been uploaded. */
  onlyUploads: boolean
  /** Status webhooks sent for a message. */
  statuses: readonly StatusName[]
  callback: { url: string | undefined; secret: string }
  /** Number of open calls, and of status webhooks about to be queued. */
  busy: { count: number }
  /** Called for every accepted message. */
  accepted: Set<(call: Call) => void>
  /** Returns the simulator's base URL. */
  origin: () => string
}

/** Notifies waiters that something finished. */
export type Changed = () => void

/** Customers of the simulator by number or user ID. */
export class People {
  readonly #known = new Map<string, Person>()

  /** Adds a customer of a number. */
  add(phoneId: string, person: Person): void {
    for (const key of [person.waId, person.userId]) {
      if (key !== undefined && this.#known.size < PEOPLE_LIMIT)
        this.#known.set(`${phoneId} ${key}`, person)
    }
  }

  /** Returns the customer with this number or user ID. */
  find(phoneId: string, key: string): Person | undefined {
    return this.#known.get(`${phoneId} ${key}`)
  }
}

/** Returns the number as webhooks contain it. */
export function businessNumberOf(phone: Phone): BusinessNumber {
  return {
    wabaId: phone.wabaId,
    phoneNumberId: phone.id,
    displayPhoneNumber: digitsOf(phone.displayPhoneNumber),
  }
}

/** Returns the callback of a number, or undefined if none is set. */
export function targetOf(world: World, phone: Phone): Target | undefined {
  const url = phone.callbackUrl ?? world.callback.url
  return url === undefined ? undefined : { url, secret: phone.appSecret ?? world.callback.secret }
}

/**
 * Queues a webhook for a number. Resolves when it was answered, given up or held. Throws if no
 * callback is set.
 */
export function deliver(world: World, phone: Phone, webhook: Webhook): Promise<Delivery> {
  const target = targetOf(world, phone)
  if (target === undefined)
    throw new Error('No callback is set: give callbackUrl to startSimulator or call setCallback')
  openWindowsIn(world, webhook)
  return world.deliveries.enqueue(webhook, target)
}

/** Returns the simulator's time in Unix seconds, as the platform writes it. */
export function seconds(world: World): number {
  return Math.floor(world.nowMs() / 1000)
}
