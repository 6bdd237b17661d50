import { statSync } from 'node:fs'

import { and, eq, gt, isNotNull, isNull, type SQL } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'

import { DAY_MS } from '../../../../lib/clock'
import { hasPermission, inOrganization, type Ctx } from '../../../../infra/ctx'
import type { Permission } from '../../../../infra/permissions'
import { accounts } from '../../../channel/accounts/table'
import { auditLogs } from '../../../organization/audit/table'
import { invitations } from '../../../organization/members/table'
import { memberships } from '../../../organization/memberships/table'
import { messages } from '../../../inbox/messages/table'
import { getOrganization } from '../../../organization/organizations/service'
import { templates } from '../../../channel/templates/table'
import { findUser } from '../../../organization/users/service'
import type { SetupStep, SetupView } from './model'

/** A downloaded backup counts as kept elsewhere for this long. */
const DOWNLOAD_COUNTS_MS = 30 * DAY_MS

/** Facts about the request and the process that decide steps of the installation. */
interface Place {
  /** The `Host` of the request. */
  host: string | null
  dataDir: string | null
}

/**
 * Returns the first steps of the organization that the caller can do, and whether each is done.
 * Super admins also get those of the installation.
 */
export function setupOf(ctx: Ctx, place: Place): SetupView {
  const steps = [
    ...stepsOfOrganization(ctx).filter(
      ({ key }) => hasPermission(ctx.actor, 'settings:update') || isOwnStep(ctx, key),
    ),
    ...stepsOfInstallation(ctx, place),
  ]
  return { steps, dismissed: getOrganization(ctx).setupDismissedAtMs !== null }
}

/** What a step needs, for those who do not own the organization. */
const NEEDED: Partial<Record<SetupStep, Permission>> = {
  number_connected: 'accounts:create',
  webhook_seen: 'accounts:update',
  first_message: 'messages:read',
  colleague_invited: 'organizations:assign',
  template_synced: 'templates:sync',
}

const isOwnStep = (ctx: Ctx, key: string): boolean => {
  const needed = NEEDED[key as SetupStep]
  return needed === undefined || hasPermission(ctx.actor, needed)
}

type Step = SetupView['steps'][number]

const step = (key: SetupStep, done: boolean, more: Pick<Step, 'why' | 'link'>): Step => ({
  key,
  done,
  ...more,
})

/** Reports whether the organization has a row. */
const has = (
  ctx: Ctx,
  table: SQLiteTable & { organizationId: SQLiteColumn },
  condition?: SQL,
): boolean =>
  ctx.db.orm
    .select({ one: table.organizationId })
    .from(table)
    .where(inOrganization(ctx, table, condition))
    .limit(1)
    .get() !== undefined

function stepsOfOrganization(ctx: Ctx): Step[] {
  const { type, userId } = ctx.actor
  const user = type === 'user' && userId !== null ? findUser(ctx, userId) : null
  return [
    ...(user
      ? [
          step('own_password', !user.mustChangePassword, {
            why: 'Your first password was chosen by somebody else, who may still know it.',
            link: '/settings/profile',
          }),
        ]
      : []),
    step(
      'number_connected',
      has(ctx, accounts, and(isNull(accounts.deletedAtMs), eq(accounts.status, 'active'))),
      { why: 'Customers reach you on a connected phone number.', link: '/settings/numbers' },
    ),
    step('webhook_seen', has(ctx, accounts, isNotNull(accounts.lastInboundAtMs)), {
      why: 'The platform reports messages and statuses to the webhook of this server.',
      link: '/settings/numbers',
    }),
    step('first_message', has(ctx, messages), {
      why: 'A message shows that the number works. Write to it from your own phone.',
      link: '/inbox',
    }),
    step('colleague_invited', hasColleague(ctx), {
      why:
        'Conversations can be shared with colleagues. Let people join by invitation only: set ' +
        '`registration_policy` to `invitation`.',
      link: '/settings/people',
    }),
    step('template_synced', has(ctx, templates, isNull(templates.deletedAtMs)), {
      why: 'Only templates reach customers who have not written for 24 hours.',
      link: '/templates',
    }),
  ]
}

/**
 * Reports whether the organization has ever invited somebody or has a second member for whom somebody
 * vouches. A stranger who registered is nobody's colleague yet.
 */
const hasColleague = (ctx: Ctx): boolean =>
  has(ctx, invitations) ||
  ctx.db.orm
    .select({ id: memberships.id })
    .from(memberships)
    .where(inOrganization(ctx, memberships, eq(memberships.isConfirmed, true)))
    .limit(2)
    .all().length > 1

function stepsOfInstallation(ctx: Ctx, { host, dataDir }: Place): Step[] {
  if (!ctx.actor.isSuperAdmin) return []
  const base = new URL(ctx.settings.baseUrl)
  const address = host === null ? null : URL.parse(`${base.protocol}//${host}`)?.host
  return [
    step('base_url_matches', address === base.host && !isLocal(base), {
      why:
        `Links in mails and the webhook lead to ${base.origin}, which is BASE_URL. ` +
        'WhatsApp must be able to reach it.',
      link: '/docs/configure',
    }),
    step('mail_configured', ctx.settings.smtpUrl !== null, {
      why: 'Without a mail server, people must be given invitations and new passwords by hand.',
      link: '/docs/configure',
    }),
    step('backup_elsewhere', isBackedUpElsewhere(ctx, dataDir), {
      why:
        'Backups on the disk of the data are lost with it. Set BACKUP_DIR to another disk, or ' +
        'download a backup once a month.',
      link: '/docs/backup-and-restore',
    }),
  ]
}

/** Reports whether an address leads only to the computer on which it is opened. */
const isLocal = ({ hostname }: URL): boolean =>
  /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\]|0\.0\.0\.0)$/.test(hostname)

/** Reports whether backups are on another device, or one was downloaded in the last 30 days. */
function isBackedUpElsewhere(ctx: Ctx, dataDir: string | null): boolean {
  const devices = [deviceOf(ctx.backups.folder), deviceOf(dataDir)]
  if (devices.every((device) => device !== null) && devices[0] !== devices[1]) return true
  return (
    ctx.db.orm
      .select({ id: auditLogs.id })
      .from(auditLogs)
      .where(
        inOrganization(
          ctx,
          auditLogs,
          eq(auditLogs.action, 'downloaded'),
          gt(auditLogs.createdAtMs, ctx.clock.nowMs() - DOWNLOAD_COUNTS_MS),
          eq(auditLogs.resourceType, 'backup'),
        ),
      )
      .limit(1)
      .get() !== undefined
  )
}

/** Returns the device of a folder, or `null` if there is no such folder. */
function deviceOf(folder: string | null): number | null {
  return folder === null ? null : (statSync(folder, { throwIfNoEntry: false })?.dev ?? null)
}
