import { ConflictError } from '../../../../lib/errors'
import type { Ctx } from '../../../../infra/ctx'
import { findUserByEmail } from '../../users/service'

/** Requires that no other account has the email. Throws ConflictError `email_taken`. */
export function requireFreeEmail(ctx: Ctx, email: string, exceptId: string | null): void {
  const existing = findUserByEmail(ctx, email)
  if (existing && existing.id !== exceptId)
    throw new ConflictError(
      'An account with this email already exists. Add it with `POST ' +
        '/api/organizations/members`.',
      { code: 'email_taken' },
    )
}
