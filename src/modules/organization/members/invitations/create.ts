import { randomBytes } from 'node:crypto'

import { eq } from 'drizzle-orm'

import { HOUR_MS } from '../../../../lib/clock'
import { ConflictError, UnauthorizedError } from '../../../../lib/errors'
import { normalEmail } from '../../../../lib/fields'
import { sha256Hex } from '../../../../lib/hash'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import type { LinkMail } from '../../../../infra/mail/link-mail'
import { queueMail } from '../../../../infra/mail/queue'
import { mailLogo } from '../../organizations/logo'
import { getOrganization } from '../../organizations/service'
import { requireCoversRole } from '../../roles/require-covers'
import { findUserByEmail } from '../../users/service'
import { chosenRole } from '../queries'
import { invitations } from '../table'
import { requireNoMember } from '../add'
import { getInvitation, isPending, mailOf, type InvitationRow } from './queries'
import { requireCoversInvitation, revokeIn } from './revoke'
import { recordInvitationIn } from './audit'
import type { InvitationLink, NewInvitation } from './model'

const DEFAULT_HOURS = 168

const TOKEN_BYTES = 32

/**
 * Creates an invitation for an email, or for anyone with the link. Only this response contains the
 * link. Replaces a pending invitation for the same email. Throws InvalidError, ForbiddenError
 * `escalation`, and ConflictError `already_member` or `registration_closed`.
 */
export const createInvitation = (ctx: Ctx, input: NewInvitation): InvitationLink =>
  transact(ctx.db, (tx) => createInvitationIn(tx, ctx, input))

/** The same inside the caller's transaction. */
export function createInvitationIn(tx: Tx, ctx: Ctx, input: NewInvitation): InvitationLink {
  const email = typeof input.email === 'string' ? normalEmail(input.email) : null
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  const { userId } = ctx.actor
  if (userId === null) throw new UnauthorizedError()
  const role = chosenRole(ctx, input.role_id)
  requireCoversRole(ctx, role.id)
  const organization = getOrganization(ctx)
  if (organization.registrationPolicy === 'closed')
    throw new ConflictError('The organization does not accept new members.', {
      code: 'registration_closed',
    })
  const known = email === null ? null : findUserByEmail(ctx, email)
  if (known) requireNoMember(ctx, known.id)
  if (email !== null) revokePendingIn(tx, ctx, email)
  const nowMs = ctx.clock.nowMs()
  const row = tx
    .insert(invitations)
    .values({
      organizationId: ctx.organizationId,
      id: ctx.ids.next(),
      email,
      roleId: role.id,
      tokenHash: sha256Hex(token),
      invitedBy: userId,
      expiresAtMs: nowMs + (input.expires_in_hours ?? DEFAULT_HOURS) * HOUR_MS,
      createdAtMs: nowMs,
    })
    .returning()
    .get()
  recordInvitationIn(tx, ctx, 'invited', row)
  const invite_url = `${ctx.settings.baseUrl}/join#token=${token}&organization_id=${ctx.organizationId}`
  const isMailed = mailInvitationIn(tx, ctx, row, {
    link: invite_url,
    organizationName: organization.name,
    ...mailLogo(ctx, organization.name),
  })
  return {
    ...getInvitation(ctx, row.id),
    token,
    invite_url,
    mail: isMailed ? 'queued' : 'not_configured',
  }
}

/** Revokes the pending invitations for an email. Throws ForbiddenError `escalation`. */
function revokePendingIn(tx: Tx, ctx: Ctx, email: string): void {
  for (const former of pendingOf(ctx, email)) {
    requireCoversInvitation(ctx, former)
    revokeIn(tx, ctx, former)
  }
}

/** Queues the mail of an invitation for an email. Returns whether there is one to send. */
const mailInvitationIn = (
  tx: Tx,
  ctx: Ctx,
  row: InvitationRow,
  facts: Pick<LinkMail, 'link' | 'organizationName' | 'logo'>,
): boolean =>
  row.email !== null &&
  queueMail(
    tx,
    ctx,
    { to: row.email, kind: 'invitation', expiresAtMs: row.expiresAtMs, ...facts },
    mailOf(row),
  )

const pendingOf = (ctx: Ctx, email: string): InvitationRow[] =>
  ctx.db.orm
    .select()
    .from(invitations)
    .where(
      inOrganization(ctx, invitations, eq(invitations.email, email), isPending(ctx.clock.nowMs())),
    )
    .all()
