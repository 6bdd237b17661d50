import type { Account } from '../../../api/shapes'
import { accessState, isUnfinished, needsOnlySubscription } from '../signup/setup-steps'

/** What is wrong with a number. */
export type TroubleKey =
  | 'suspended'
  | 'disconnected'
  | 'pending'
  | 'refused'
  | 'setup'
  | 'receive'
  | 'over'
  | 'ends'
  | 'paused'
  | 'restricted'
  | 'payment'
  | 'silent'
  | 'observes'
  | 'low'
  | 'unproven'
  | 'templates'

/** What a person does about it. */
export type Remedy = 'access' | 'test' | 'setup' | 'receive' | 'manager' | 'billing' | 'templates'

/** Something wrong with a number, and what helps. */
export interface NumberTrouble {
  key: TroubleKey
  remedy: Remedy | null
  /** When it happened or ends. */
  at?: string | null
  /** What the server or WhatsApp said about it. */
  said?: { code: string; message: string } | null
}

const LOST: Partial<Record<Account['status'], readonly [TroubleKey, Remedy]>> = {
  suspended: ['suspended', 'manager'],
  disconnected: ['disconnected', 'access'],
  pending: ['pending', 'test'],
}

/** The state of a number that is not connected, or the last error of one that is. */
function stateTrouble({ status, last_error: error }: Account): NumberTrouble[] {
  const [key, remedy] = LOST[status] ?? ['refused', 'test']
  return key === 'refused' && error === null
    ? []
    : [{ key, remedy, said: error, at: error?.at ?? null }]
}

/** What is missing before a number sends and receives. */
function setupTrouble(account: Account): NumberTrouble[] {
  if (!isUnfinished(account)) return []
  const key = needsOnlySubscription(account) ? 'receive' : 'setup'
  return [{ key, remedy: key }]
}

/** Until when WhatsApp takes less or nothing from a number. */
function pauses(account: Account, nowMs: number): NumberTrouble[] {
  const isAhead = (at: string | null): boolean => at !== null && Date.parse(at) > nowMs
  const { paused_until: paused, restricted_since: since, restricted_until: until } = account
  return [
    ...(isAhead(paused) ? [{ key: 'paused', remedy: null, at: paused } as const] : []),
    ...(since !== null && (until === null || isAhead(until))
      ? [{ key: 'restricted', remedy: 'manager', at: until } as const]
      : []),
  ]
}

/**
 * Returns what is wrong with a number, the worst first; nothing if all is well. `isStandby` says
 * whether this server at least sees what others answer.
 */
export function troublesOf(
  account: Account,
  { nowMs, isStandby = false }: { nowMs: number; isStandby?: boolean },
): NumberTrouble[] {
  const access = accessState(account, nowMs)
  const sync = account.template_sync?.error ?? null
  const when = (is: boolean, key: TroubleKey, remedy: Remedy): NumberTrouble[] =>
    is ? [{ key, remedy }] : []
  return [
    ...stateTrouble(account),
    ...setupTrouble(account),
    ...(access === null
      ? []
      : [{ key: access, remedy: 'access', at: account.token_expires_at } as const]),
    ...pauses(account, nowMs),
    ...when(account.funding.state === 'missing', 'payment', 'billing'),
    ...when(account.routing_roles?.length === 0, isStandby ? 'observes' : 'silent', 'manager'),
    ...when(account.quality_rating === 'RED', 'low', 'manager'),
    ...when(!account.business_proven, 'unproven', 'test'),
    ...(sync === null
      ? []
      : [{ key: 'templates', remedy: 'templates', said: { code: '', message: sync } } as const]),
  ]
}
