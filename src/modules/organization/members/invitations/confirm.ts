import { randomBytes } from 'node:crypto'

import { HOUR_MS } from '../../../../lib/clock'
import { sha256Hex } from '../../../../lib/hash'
import type { Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { queueMail } from '../../../../infra/mail/queue'
import { findMembership } from '../../memberships/find'
import { acceptMembershipIn, updateMembershipIn } from '../../memberships/service'
import { getOrganization } from '../../organizations/service'
import type { UserRow } from '../../users/service'
import { publishMemberIn } from '../../memberships/publish'
import { invitations } from '../table'
import { recordInvitationIn } from './audit'
import { mailOf } from './queries'

const DAYS = 14
const TOKEN_BYTES = 32

/**
 * Asks a person by mail to confirm a suspended membership of the scope's organization, in the
 * caller's transaction. Returns whether a mail is sent.
 */
export function inviteToConfirmIn(
  tx: Tx,
  ctx: Ctx,
  { user, roleId, invitedBy }: { user: UserRow; roleId: string; invitedBy: string },
): boolean {
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  const nowMs = ctx.clock.nowMs()
  const row = tx
    .insert(invitations)
    .values({
      organizationId: ctx.organizationId,
      id: ctx.ids.next(),
      email: user.email,
      tokenHash: sha256Hex(token),
      ...{ roleId, invitedBy },
      expiresAtMs: nowMs + DAYS * 24 * HOUR_MS,
      isConfirmation: true,
      createdAtMs: nowMs,
    })
    .returning()
    .get()
  recordInvitationIn(tx, ctx, 'invited', row)
  const link = `${ctx.settings.baseUrl}/join#token=${token}&organization_id=${ctx.organizationId}`
  return queueMail(
    tx,
    ctx,
    {
      to: user.email,
      kind: 'invitation',
      expiresAtMs: row.expiresAtMs,
      ...{ link, organizationName: getOrganization(ctx).name },
    },
    mailOf(row),
  )
}

/** Whether a person is a suspended member of the scope's organization. */
export const isSuspended = (ctx: Ctx, userId: string): boolean =>
  findMembership(ctx, { organizationId: ctx.organizationId, userId })?.isActive === false

/** Activates the membership that a person confirmed, in the caller's transaction. */
export function confirmMembershipIn(tx: Tx, ctx: Ctx, user: UserRow): void {
  updateMembershipIn(tx, ctx, user.id, { isActive: true })
  acceptMembershipIn(tx, ctx, user.id)
  publishMemberIn(tx, ctx, user.id, 'updated')
}
