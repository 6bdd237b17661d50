import type { Accounts, Phone } from './accounts'
import type { AdministrationDesk } from './administration'
import type { Call, CallLog } from './calls'
import { digitsOf } from './checks'
import type { Deliveries, Delivery, Target } from './deliveries'
import type { FlowDesk } from './flows'
import { hearIn } from './hearing'
import type { FaultPlan, StatusName } from './faults'
import type { Limits } from './limits'
import type { MediaStore } from './media-store'
import type { NumberDesk } from './number-edges'
import type { Line, Person, Webhook } from './payloads'
import type { Ids } from './random'
import type { TemplateDesk } from './template-desk'
import type { KnownTemplate } from './templates'
import type { Timers } from './timers'

const PEOPLE_LIMIT = 100_000

/** Everything the parts of one simulator share. */
export type World = {
  accounts: Accounts
  log: CallLog
  faults: FaultPlan
  deliveries: Deliveries
  media: MediaStore
  desk: AdministrationDesk
  flows: FlowDesk
  numbers: NumberDesk
  limits: Limits
  ids: Ids
  timers: Timers
  people: People
  nowMs: () => number
  waIdFor: (number: string) => string
  templates: readonly KnownTemplate[] | undefined
  templateDesk: TemplateDesk
  /**
   * Whether only templates are sent that are kept and approved; else one that is not kept is taken
   * as it is.
   */
  onlyKeptTemplates: boolean
  /** Whether only files are sent that were uploaded before. */
  onlyUploads: boolean
  /** The status webhooks that follow a message. */
  statuses: readonly StatusName[]
  callback: { url: string | undefined; secret: string }
  /** Calls not answered yet, and status webhooks decided but not queued yet. */
  busy: { count: number }
  /** Called for every message taken. */
  accepted: Set<(call: Call) => void>
  /** Where the simulator listens. */
  origin: () => string
}

/** Tells those who wait that something ended. */
export type Changed = () => void

/** The customers the simulator plays, found by number or user id. */
export class People {
  readonly #known = new Map<string, Person>()

  /** Makes a customer known to a number. */
  add(phoneId: string, person: Person): void {
    for (const key of [person.waId, person.userId]) {
      if (key !== undefined && this.#known.size < PEOPLE_LIMIT)
        this.#known.set(`${phoneId} ${key}`, person)
    }
  }

  /** The customer with this number or user id. */
  find(phoneId: string, key: string): Person | undefined {
    return this.#known.get(`${phoneId} ${key}`)
  }
}

/** The number as webhooks name it. */
export function lineOf(phone: Phone): Line {
  return {
    wabaId: phone.wabaId,
    phoneNumberId: phone.id,
    displayPhoneNumber: digitsOf(phone.displayPhoneNumber),
  }
}

/** Where the webhooks of a number go, or undefined when no callback is set. */
export function targetOf(world: World, phone: Phone): Target | undefined {
  const url = phone.callbackUrl ?? world.callback.url
  return url === undefined ? undefined : { url, secret: phone.appSecret ?? world.callback.secret }
}

/**
 * Queues a webhook for a number. Resolves when it was answered, given up or held; throws when no
 * callback is set.
 */
export function deliver(world: World, phone: Phone, webhook: Webhook): Promise<Delivery> {
  const target = targetOf(world, phone)
  if (target === undefined)
    throw new Error('No callback is set: give callbackUrl to startSimulator or call setCallback')
  hearIn(world, webhook)
  return world.deliveries.enqueue(webhook, target)
}

/** The simulator's time as the platform writes it: Unix seconds. */
export function seconds(world: World): number {
  return Math.floor(world.nowMs() / 1000)
}
