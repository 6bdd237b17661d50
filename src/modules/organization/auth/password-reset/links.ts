import { randomBytes } from 'node:crypto'

import { and, eq, gt, isNull } from 'drizzle-orm'

import { sha256Hex } from '../../../../lib/hash'
import type { Deps } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { passwordResets } from '../table'

/** A one-time password reset link. */
export interface ResetLink {
  url: string
  expiresAtMs: number
}

/** The creator of a link for another user, the organization, and the API key if one was used. */
export interface Issuer {
  userId: string
  organizationId: string
  apiKeyId: string | null
}

/**
 * Separates the random part of a token from the ID of the API key that created it. The stored hash
 * covers both.
 */
const KEY_SEPARATOR = '.'

/**
 * Creates a password reset link for a user, in the caller's transaction. Earlier links stop
 * working.
 */
export function newResetLinkIn(
  tx: Tx,
  deps: Deps,
  input: { userId: string; livesMs: number; issuer?: Issuer },
): ResetLink {
  const nowMs = deps.clock.nowMs()
  const apiKeyId = input.issuer?.apiKeyId ?? null
  const token =
    randomBytes(32).toString('base64url') + (apiKeyId === null ? '' : KEY_SEPARATOR + apiKeyId)
  const expiresAtMs = nowMs + input.livesMs
  dropResetLinksIn(tx, input.userId)
  tx.insert(passwordResets)
    .values({
      id: deps.ids.next(),
      userId: input.userId,
      tokenHash: sha256Hex(token),
      issuedBy: input.issuer?.userId ?? null,
      issuedIn: input.issuer?.organizationId ?? null,
      expiresAtMs,
      createdAtMs: nowMs,
    })
    .run()
  // Browsers do not send the fragment to servers, so the token reaches no log.
  return { url: `${deps.settings.baseUrl}/reset-password#token=${token}`, expiresAtMs }
}

/**
 * Revokes all password reset links of a user, in the caller's transaction. Used after a change of
 * password or email.
 */
export function dropResetLinksIn(tx: Tx, userId: string): void {
  tx.delete(passwordResets).where(eq(passwordResets.userId, userId)).run()
}

/**
 * Returns the user and creator of a link's token, or `null` if the token is unknown, used or
 * expired.
 */
export function findResetLink(
  deps: Deps,
  token: string,
): { userId: string; issuer: Issuer | null } | null {
  const row = deps.db.orm
    .select({
      userId: passwordResets.userId,
      issuedBy: passwordResets.issuedBy,
      issuedIn: passwordResets.issuedIn,
    })
    .from(passwordResets)
    .where(isGood(deps, token))
    .get()
  if (!row) return null
  const { userId, issuedBy, issuedIn } = row
  if (issuedBy === null || issuedIn === null) return { userId, issuer: null }
  return {
    userId,
    issuer: {
      userId: issuedBy,
      organizationId: issuedIn,
      apiKeyId: token.split(KEY_SEPARATOR)[1] ?? null,
    },
  }
}

/** Redeems the token of a link, in the caller's transaction. Returns whether it was still valid. */
export const redeemResetTokenIn = (tx: Tx, deps: Deps, token: string): boolean =>
  tx
    .update(passwordResets)
    .set({ usedAtMs: deps.clock.nowMs() })
    .where(isGood(deps, token))
    .returning({ id: passwordResets.id })
    .all().length > 0

const isGood = (deps: Deps, token: string) =>
  and(
    eq(passwordResets.tokenHash, sha256Hex(token)),
    isNull(passwordResets.usedAtMs),
    gt(passwordResets.expiresAtMs, deps.clock.nowMs()),
  )

/** Deletes all links that were issued in an organization, in the caller's transaction. */
export const deleteResetLinksOfIn = (tx: Tx, organizationId: string): void =>
  tx.delete(passwordResets).where(eq(passwordResets.issuedIn, organizationId)).run()
