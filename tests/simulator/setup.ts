import { Accounts } from './accounts'
import type { PhoneOptions } from './accounts'
import { AdministrationDesk } from './administration'
import { CallLog } from './calls'
import type { Waits } from './calls'
import { Deliveries } from './deliveries'
import { FlowDesk } from './flows'
import { FaultPlan } from './faults'
import type { StatusName } from './faults'
import { Limits } from './limits'
import { MediaStore } from './media-store'
import { NumberDesk } from './number-edges'
import { seededIds, seededRandom } from './random'
import { TemplateDesk } from './template-desk'
import type { KnownTemplate } from './templates'
import { Timers } from './timers'
import { People } from './world'
import type { World } from './world'

/**
 * How a simulator is set up. Everything has a default: one number, no callback, statuses sent and
 * delivered, and the platform's own strictness about templates, files and windows.
 */
export type SimulatorOptions = {
  /** 0, the default, takes any free port. */
  port?: number
  hostname?: string
  /** Where webhooks go; without one, messages are taken but no status follows. */
  callbackUrl?: string
  /** The app secret webhooks are signed with. */
  appSecret?: string
  phones?: readonly PhoneOptions[]
  templates?: readonly KnownTemplate[]
  /**
   * Whether only templates are sent that were handed in and approved (132001), the default without
   * `templates`; else an unknown one is taken as it is.
   */
  onlyKeptTemplates?: boolean
  /**
   * Whether only files are sent that were uploaded for the number, as the kinds their types allow
   * (131053), the default; else every id is taken.
   */
  onlyUploads?: boolean
  /** The status webhooks that follow each message. */
  statuses?: readonly StatusName[]
  /**
   * Whether only templates are sent to customers who did not write within 24 hours (131047), the
   * default.
   */
  enforceWindow?: boolean
  enforcePairRate?: boolean
  throughputPerSecond?: number
  /** The canonical id of a dialled number (digits only are given). */
  waIdFor?: (number: string) => string
  nowMs?: () => number
  seed?: number
  /** Webhooks posted at the same time. With 1, the default, they arrive in order. */
  concurrency?: number
  /** Waiting times between the tries of a webhook not answered with 200, in milliseconds. */
  retryDelaysMs?: readonly number[]
  /** How long a webhook may take, in milliseconds. */
  webhookTimeoutMs?: number
  /** How many calls and deliveries are kept. */
  keep?: number
}

const DEFAULT_SECRET = 'simulated-app-secret'

/** Everything the parts share, with the defaults filled in. */
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
    desk: new AdministrationDesk(),
    flows: new FlowDesk(),
    numbers: new NumberDesk(),
    limits: new Limits(limits, nowMs),
    ids: seededIds(seed),
    timers: new Timers(),
    people: new People(),
    nowMs,
    waIdFor: options.waIdFor ?? ((number) => number),
    templates: options.templates,
    templateDesk: new TemplateDesk(),
    onlyKeptTemplates: options.onlyKeptTemplates ?? options.templates === undefined,
    onlyUploads: options.onlyUploads ?? true,
    statuses: options.statuses ?? ['sent', 'delivered'],
    callback: { url: options.callbackUrl, secret: options.appSecret ?? DEFAULT_SECRET },
    busy: { count: 0 },
    accepted: new Set(),
    origin,
  }
}
