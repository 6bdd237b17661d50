import { AppError, ForbiddenError, InvalidError, UnavailableError } from '../../../lib/errors'
import { MINUTE_MS } from '../../../lib/clock'
import { equalInConstantTime } from '../../../lib/hash'
import type { Deps } from '../../../infra/ctx'
import { readChanges } from '../../../platform/webhook/body'
import { isVerifyTokenOfAnyAccount } from '../accounts/queries'
import { tellCallbackChecked } from '../accounts/webhooks/callback-checked'
import { LOGGED_ONCE, type Journal } from './journal/staging-queue'
import { verifyDelivery } from './verify-signature'

const MAX_CHALLENGE_LENGTH = 512

/**
 * Returns the challenge of the platform's verification request (spec 4.5) if the mode is
 * `subscribe` and the token is that of the installation or of an active account. Rejects repeated
 * parameters. Throws ForbiddenError, which counts as a failure of the address, and RateLimitedError
 * after 30 failures.
 */
export function verifyCallback(deps: Deps, request: { search: string; address: string }): string {
  deps.throttle.check('webhook-verification:address', request.address)
  const query = new URLSearchParams(request.search)
  const [mode, token, challenge] = ['hub.mode', 'hub.verify_token', 'hub.challenge'].map((name) =>
    query.getAll(name).length === 1 ? (query.get(name) ?? '') : '',
  )
  const whose = ownersOf(deps, token ?? '')
  const isGood =
    mode === 'subscribe' &&
    challenge !== undefined &&
    challenge !== '' &&
    challenge.length <= MAX_CHALLENGE_LENGTH &&
    whose !== null
  if (isGood) {
    tellCallbackChecked(deps, whose)
    return challenge
  }
  deps.throttle.fail('webhook-verification:address', request.address)
  deps.log.warn({ address: request.address }, 'webhook verification rejected')
  throw new ForbiddenError(
    '`hub.verify_token` is not the configured verify token, `hub.mode` is not `subscribe`, or ' +
      '`hub.challenge` is missing or too long.',
    { code: 'verification_failed' },
  )
}

/** Returns a verify token and whether it is that of the installation; `null` if it is nobody's. */
function ownersOf(deps: Deps, token: string): { token: string; isOfInstallation: boolean } | null {
  if (token === '') return null
  const isOfInstallation =
    deps.settings.webhookVerifyToken !== '' &&
    equalInConstantTime(token, deps.settings.webhookVerifyToken)
  return isVerifyTokenOfAnyAccount(deps, token) || isOfInstallation
    ? { token, isOfInstallation }
    : null
}

/** Maximum number of changes in one delivery: 20 times what the platform batches. */
const MAX_CHANGES = 20_000

/** Accepts webhook deliveries of the platform: verifies the signature, then stores the bytes. */
export interface DeliveryReceiver {
  /**
   * Resolves once the delivery is durable. Throws UnauthorizedError, InvalidError, AppError 413 or
   * UnavailableError; nothing is stored then.
   */
  accept(delivery: {
    bytes: Uint8Array
    signature: string | null
    encoding: string | null
  }): Promise<void>
}

/**
 * Creates the receiver that stores deliveries in the journal. Logs rejections without the body, at
 * most once a minute per reason.
 */
export function createDeliveryReceiver(deps: Deps, journal: Journal): DeliveryReceiver {
  const loggedAtMs = new Map<string, number>()
  const logRefusal = (error: unknown): void => {
    const reason = error instanceof AppError ? error.code : 'error'
    const nowMs = deps.clock.nowMs()
    if (Math.abs(nowMs - (loggedAtMs.get(reason) ?? -Infinity)) < MINUTE_MS) return
    loggedAtMs.set(reason, nowMs)
    deps.log.warn(
      { reason },
      'webhook delivery rejected; further ones with the same reason are not logged for a ' +
        'minute',
    )
  }
  return {
    async accept({ bytes, signature, encoding }) {
      try {
        if (encoding !== null && encoding.toLowerCase() !== 'identity')
          throw new InvalidError('Send the body without `Content-Encoding`.', {
            code: 'content_encoding',
          })
        const delivery = await verifyDelivery(deps, bytes, signature)
        if (readChanges(delivery.body, { from: MAX_CHANGES, most: 1 }).length > 0)
          throw new AppError(413, `The body has more than ${MAX_CHANGES} changes.`, {
            code: 'body_too_large',
          })
        await journal.accept(bytes, delivery)
      } catch (error) {
        deps.metrics.inboundRejected.inc({
          reason: error instanceof AppError ? error.code : 'error',
        })
        if (!(error instanceof UnavailableError && LOGGED_ONCE.includes(error.message)))
          logRefusal(error)
        throw error
      }
    },
  }
}
