import { Accounts } from './accounts'
import type { PhoneOptions } from './accounts'
import { AdministrationState } from './administration'
import { Billing } from './billing'
import { CallLog } from './calls'
import type { Waits } from './calls'
import { digitsOf } from './checks'
import { Deliveries } from './deliveries'
import { FlowStore } from './flow-store'
import { FaultPlan } from './faults'
import type { StatusName } from './faults'
import { Limits } from './limits'
import { MediaStore } from './media-store'
import { CallPermissions } from './call-permissions'
import { CallingState } from './calling-settings'
import { NumberState } from './number-edges'
import { seededIds, seededRandom } from './random'
import { TemplateStore } from './template-store'
import type { KnownTemplate } from './templates'
import { Threads } from './threads'
import { Timers } from './timers'
import { People } from './world'
import type { World } from './world'

/**
 * Simulator options. Defaults: one number, no callback, statuses sent and delivered, and the
 * platform's own rules for templates, files and windows.
 */
export type SimulatorOptions = {
  /** Defaults to 0, any free port. */
  port?: number
  hostname?: string
  /** Callback URL for webhooks. Without it, messages are accepted without statuses. */
  callbackUrl?: string
  /** App secret that signs the webhooks. */
  appSecret?: string
  phones?: readonly PhoneOptions[]
  templates?: readonly KnownTemplate[]
  /**
   * Whether templates must be stored and approved (132001). Defaults to true unless `templates` is
   * given; otherwise unknown templates are accepted.
   */
  onlyKeptTemplates?: boolean
  /** When submitted templates are approved, in milliseconds; by default only when a test says so. */
  approvesAfterMs?: number
  /**
   * Whether files must be uploads of the number and fit the message kind (131053). Defaults to
   * true; otherwise every ID is accepted.
   */
  onlyUploads?: boolean
  /** Status webhooks sent for each message. */
  statuses?: readonly StatusName[]
  /**
   * Whether only templates may be sent to customers who did not write within 24 hours (131047).
   * Defaults to true.
   */
  enforceWindow?: boolean
  enforcePairRate?: boolean
  throughputPerSecond?: number
  /** Returns the canonical ID of a dialed number (digits only). */
  waIdFor?: (number: string) => string
  /**
   * Whether a recipient's number without a plus gets the country code of the sender in front, as the
   * platform documents it. Defaults to false, because in practice it mostly does not.
   */
  prependsCountryCode?: boolean
  nowMs?: () => number
  seed?: number
  /** Number of concurrent webhook posts. With 1, the default, webhooks arrive in order. */
  concurrency?: number
  /** Delays between attempts of a webhook without a 200 response, in milliseconds. */
  retryDelaysMs?: readonly number[]
  /** Timeout of a webhook in milliseconds. */
  webhookTimeoutMs?: number
  /** Number of calls and deliveries to keep. */
  keep?: number
}

/** The country code of all numbers of the simulator. */
const COUNTRY_CODE = '1'

const DEFAULT_SECRET = 'simulated-app-secret'

/** Creates the shared state of all parts from the options and defaults. */
export function createWorld(options: SimulatorOptions, waits: Waits, origin: () => string): World {
  const nowMs = options.nowMs ?? Date.now
  const seed = options.seed ?? 1
  const keep = options.keep ?? 10_000
  const accounts = new Accounts()
  for (const phone of options.phones ?? [{}]) accounts.add(phone)
  const limits = {
    enforceWindow: options.enforceWindow ?? true,
    enforcePairRate: options.enforcePairRate ?? false,
    throughputPerSecond: options.throughputPerSecond,
  }
  const delivering = {
    concurrency: options.concurrency ?? 1,
    retryDelaysMs: options.retryDelaysMs ?? [0, 50, 200, 1000],
    timeoutMs: options.webhookTimeoutMs ?? 10_000,
    limit: keep,
    random: seededRandom(seed),
    nowMs,
  }
  return {
    accounts,
    log: new CallLog(waits, keep),
    faults: new FaultPlan(),
    deliveries: new Deliveries(delivering, waits),
    media: new MediaStore(500, nowMs),
    administration: new AdministrationState(),
    flows: new FlowStore(),
    numbers: new NumberState(),
    calling: new CallingState(),
    callPermissions: new CallPermissions(),
    threads: new Threads(),
    limits: new Limits(limits, nowMs),
    billing: new Billing(),
    ids: seededIds(seed),
    timers: new Timers(),
    people: new People(),
    nowMs,
    waIdFor: options.waIdFor ?? ((number) => number),
    dialled: (written) =>
      `${options.prependsCountryCode === true && !written.startsWith('+') ? COUNTRY_CODE : ''}${digitsOf(written)}`,
    templates: options.templates,
    templateStore: new TemplateStore(),
    onlyKeptTemplates: options.onlyKeptTemplates ?? options.templates === undefined,
    approvesAfterMs: options.approvesAfterMs,
    onlyUploads: options.onlyUploads ?? true,
    statuses: options.statuses ?? ['sent', 'delivered'],
    callback: { url: options.callbackUrl, secret: options.appSecret ?? DEFAULT_SECRET },
    busy: { count: 0 },
    accepted: new Set(),
    origin,
  }
}
