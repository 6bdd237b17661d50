import { AppError } from '../../../../lib/errors'
import type { Ctx } from '../../../../infra/ctx'
import { transact } from '../../../../infra/db/transact'
import { getAccount } from '../queries'
import { registerAccount } from '../register'
import { subscribeAccount } from '../subscribe'
import { accountView, type AccountRow } from '../view'
import type { SignedUpView } from './model'

/**
 * Subscribes a connected number and registers it, if it is neither registered nor used in the phone
 * app nor to be verified first. Failures become warnings.
 */
export async function finishConnection(ctx: Ctx, id: string): Promise<SignedUpView> {
  const warnings = [
    await orWarning(
      subscribeAccount(ctx, id, { hasOwnCallback: ctx.settings.cells !== null }),
      'Webhooks of the number are not subscribed yet. Subscribe the number.',
    ),
    await registerOrWarn(ctx, id),
  ].filter((warning) => warning !== null)
  return transact(ctx.db, () => ({ account: accountView(getAccount(ctx, id)), warnings }))
}

/** Registers a number if that is needed and possible. Returns a warning if it fails. */
async function registerOrWarn(ctx: Ctx, id: string): Promise<string | null> {
  return canRegister(getAccount(ctx, id))
    ? orWarning(
        registerAccount(ctx, id, {}),
        'The number is not registered for sending yet. Register it.',
      )
    : null
}

/** A number whose state the platform does not report is registered too: it refuses if it must. */
const canRegister = ({ isRegistered, isOnPhoneApp, codeVerification }: AccountRow): boolean =>
  isRegistered !== true &&
  !isOnPhoneApp &&
  (codeVerification === null || codeVerification === 'VERIFIED')

/** Returns `null` if a step succeeded, otherwise a warning with the reason. */
async function orWarning(step: Promise<void>, advice: string): Promise<string | null> {
  try {
    await step
    return null
  } catch (error) {
    if (error instanceof AppError) return `${advice} ${error.message}`
    throw error
  }
}
