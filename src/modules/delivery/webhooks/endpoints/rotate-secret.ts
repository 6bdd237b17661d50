import { HOUR_MS, isoTimeOrNull } from '../../../../lib/clock'
import { ConflictError } from '../../../../lib/errors'
import type { Ctx } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import { HIDDEN, recordAudit } from '../../../organization/audit/record'
import type { RotatedSecret, SecretRotation } from '../model'
import { getEndpointRow } from '../queries'
import type { EndpointRow } from '../row'
import { newSigningSecret, sealSecret, signingSecrets } from '../secrets'
import { changeEndpointIn } from './change'
import { requireSecret } from './validate'

const DEFAULT_OVERLAP_HOURS = 24

/**
 * Replaces the signing secret. The previous one signs as well for `overlap_hours`. Only this
 * response contains the new secret. Throws NotFoundError, InvalidError, and ConflictError
 * `rotation_in_progress` while two secrets are valid.
 */
export function rotateSecret(ctx: Ctx, id: string, input: SecretRotation): RotatedSecret {
  requireSecret(input.secret)
  const secret = input.secret ?? newSigningSecret()
  return transact(ctx.db, (tx) => {
    const row = getEndpointRow(ctx, id)
    const nowMs = ctx.clock.nowMs()
    const [current = '', previous] = signingSecrets(ctx, row, nowMs)
    if (previous !== undefined)
      throw new ConflictError(
        'Two secrets are valid already. Wait until the previous one expires, or revoke it.',
        { code: 'rotation_in_progress' },
      )
    const hours = input.overlap_hours ?? DEFAULT_OVERLAP_HOURS
    const previousExpiresAtMs = hours === 0 ? null : nowMs + hours * HOUR_MS
    changeEndpointIn(tx, ctx, id, {
      secretSealed: sealSecret(ctx, row, 'secretSealed', secret),
      previousSecretSealed:
        previousExpiresAtMs === null ? null : sealSecret(ctx, row, 'previousSecretSealed', current),
      previousExpiresAtMs,
      updatedAtMs: nowMs,
    })
    recordIn(tx, ctx, row, 'secret')
    return { secret, previous_expires_at: isoTimeOrNull(previousExpiresAtMs) }
  })
}

/** Ends the validity of the previous secret. Throws NotFoundError and ConflictError `wrong_state`. */
export function revokePreviousSecret(ctx: Ctx, id: string): void {
  transact(ctx.db, (tx) => {
    const row = getEndpointRow(ctx, id)
    const nowMs = ctx.clock.nowMs()
    if (signingSecrets(ctx, row, nowMs).length < 2)
      throw new ConflictError('There is no previous secret to revoke.', { code: 'wrong_state' })
    changeEndpointIn(tx, ctx, id, {
      previousSecretSealed: null,
      previousExpiresAtMs: null,
      updatedAtMs: nowMs,
    })
    recordIn(tx, ctx, row, 'previous_secret')
  })
}

const recordIn = (tx: Tx, ctx: Ctx, row: EndpointRow, field: string): void =>
  recordAudit(tx, ctx, {
    action: 'updated',
    resourceType: 'webhook_endpoint',
    resourceId: row.id,
    resourceName: row.name,
    changes: [{ field, old_value: HIDDEN, new_value: HIDDEN }],
  })
