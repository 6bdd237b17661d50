import type { Account } from '../../../api/shapes'

/** A step of setting up a number. */
export type SetupKey =
  | 'verify'
  | 'register'
  | 'subscribe'
  | 'contacts'
  | 'history'
  | 'business'
  | 'payment'
  | 'token'

/**
 * How it stands with a step: done; to be done by a person; under way; not possible any more; or
 * advised, without anybody knowing whether it is done.
 */
export type SetupState = 'done' | 'open' | 'running' | 'failed' | 'advised'

/** A step and how it stands with it. */
export interface SetupStep {
  key: SetupKey
  state: SetupState
}

/** Time before the end of the access from which on it is to be renewed, milliseconds. */
const ENDING_MS = 14 * 86_400_000

/** Returns how long the platform's access still lasts, milliseconds; Infinity if it does not end. */
const accessLeftMs = ({ token_expires_at: end }: Account, nowMs: number): number =>
  end === null ? Infinity : Date.parse(end) - nowMs

/** Returns whether the platform's access ends soon or has ended, or `null`. */
export function accessState(account: Account, nowMs: number): 'ends' | 'over' | null {
  const leftMs = accessLeftMs(account, nowMs)
  return leftMs <= 0 ? 'over' : leftMs <= ENDING_MS ? 'ends' : null
}

/** Steps without which a number neither sends nor receives. */
const NEEDED: ReadonlySet<SetupKey> = new Set(['verify', 'register', 'subscribe'])

const COPY_STATES = {
  waiting: 'running',
  requested: 'running',
  done: 'done',
  declined: 'failed',
  missed: 'failed',
} as const

const PAYMENT_STATES = { attached: 'done', missing: 'open', unknown: 'advised' } as const

/** Returns the steps of setting up a number, in the order in which they are done. */
export function setupSteps(account: Account, nowMs: number): SetupStep[] {
  const { registered, phone_app_sync: copy, business_verification_status: business } = account
  const done = (isDone: boolean): SetupState => (isDone ? 'done' : 'open')
  const steps: SetupStep[] = []
  const add = (key: SetupKey, state: SetupState): number => steps.push({ key, state })
  const isVerified = registered === true || account.code_verification_status === 'VERIFIED'
  if (!account.is_on_phone_app && account.code_verification_status !== null)
    add('verify', done(isVerified))
  if (!account.is_on_phone_app && registered !== null) add('register', done(registered))
  add('subscribe', done(account.subscribed))
  if (copy) {
    // contacts come one by one, so nobody knows when all have arrived
    add('contacts', copy.contacts === 'requested' ? 'done' : COPY_STATES[copy.contacts])
    add('history', COPY_STATES[copy.history])
  }
  if (business !== null) add('business', done(business === 'verified'))
  add('payment', PAYMENT_STATES[account.funding.state])
  const accessMs = accessLeftMs(account, nowMs)
  if (accessMs < Infinity) add('token', accessMs <= ENDING_MS ? 'open' : 'advised')
  return steps
}

/** Returns the steps without which a number neither sends nor receives, and that are not done. */
const neededOf = (account: Account): SetupKey[] =>
  setupSteps(account, 0)
    .filter(({ key, state }) => NEEDED.has(key) && state === 'open')
    .map(({ key }) => key)

/** Whether a number needs a person before it can send and receive. */
export const isUnfinished = (account: Account): boolean => neededOf(account).length > 0

/** Whether all that is missing is that messages are received here. */
export const needsOnlySubscription = (account: Account): boolean =>
  neededOf(account).join() === 'subscribe'

/** Whether a number must be verified with a code. */
export const needsVerification = (account: Account): boolean => neededOf(account).includes('verify')

/** A registration makes sense only once the number is verified. */
export const canRegister = ({ code_verification_status: status }: Account): boolean =>
  status === null || status === 'VERIFIED'
