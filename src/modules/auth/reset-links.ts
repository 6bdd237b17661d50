import { randomBytes } from 'node:crypto'

import { and, eq, gt, isNull } from 'drizzle-orm'

import { sha256Hex } from '../../lib/hash'
import type { Deps } from '../../infra/ctx'
import type { Tx } from '../../infra/db'
import { passwordResets } from './table'

/** A link by which its holder chooses a new password, once. */
export interface ResetLink {
  url: string
  expiresAtMs: number
}

/** Who made a link for somebody else, and in which organization. */
export interface Issuer {
  userId: string | null
  organizationId: string
}

/** Makes the link by which a person chooses a new password, in the caller's transaction; the former one stops working. */
export function newResetLinkIn(tx: Tx, deps: Deps, input: { userId: string; livesMs: number; issuer?: Issuer }): ResetLink {
  const nowMs = deps.clock.nowMs()
  const token = randomBytes(32).toString('base64url')
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
  // What stands behind # is not sent to any server, so it reaches no log.
  return { url: `${deps.settings.baseUrl}/reset-password#token=${token}`, expiresAtMs }
}

/** Ends every such link of a person, in the caller's transaction: after a new password or e-mail it must not work any more. */
export function dropResetLinksIn(tx: Tx, userId: string): void {
  tx.delete(passwordResets).where(eq(passwordResets.userId, userId)).run()
}

/** Whose link this is the token of and who made it, while it works; `null` when it is unknown, used or expired. */
export const findResetLink = (deps: Deps, token: string): { userId: string; issuedBy: string | null; issuedIn: string | null } | null =>
  deps.db.orm
    .select({ userId: passwordResets.userId, issuedBy: passwordResets.issuedBy, issuedIn: passwordResets.issuedIn })
    .from(passwordResets)
    .where(isGood(deps, token))
    .get() ?? null

/** Uses up the token of a link, in the caller's transaction. Returns whether it still worked. */
export const useResetTokenIn = (tx: Tx, deps: Deps, token: string): boolean =>
  tx.update(passwordResets).set({ usedAtMs: deps.clock.nowMs() }).where(isGood(deps, token)).returning({ id: passwordResets.id }).all()
    .length > 0

const isGood = (deps: Deps, token: string) =>
  and(eq(passwordResets.tokenHash, sha256Hex(token)), isNull(passwordResets.usedAtMs), gt(passwordResets.expiresAtMs, deps.clock.nowMs()))
