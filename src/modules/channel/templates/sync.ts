import { and, eq, isNotNull, isNull, ne } from 'drizzle-orm'

import { inOrganization, type Ctx, type Deps } from '../../../infra/ctx'
import { inWorkingOrganizations } from '../../../infra/working-organizations'
import { transact, type Tx } from '../../../infra/db/transact'
import { PlatformError } from '../../../platform/client/errors'
import type { PlatformTemplate } from '../../../platform/client/templates'
import { businessCallOf } from '../accounts/platform-calls'
import { notifyAboutAccountIn } from '../accounts/notify'
import { platformErrorOf } from '../accounts/platform-errors'
import { getAccount } from '../accounts/queries'
import { findAccount, liveAccounts } from '../accounts/queries'
import { accounts } from '../accounts/table'
import {
  recordTemplateSyncStartIn,
  recordTemplateSyncIn,
  templateSyncOf,
} from '../accounts/template-sync'
import type { AccountRow } from '../accounts/view'
import { recordAudit } from '../../organization/audit/record'
import { flowIdsOf } from './flow-ids'
import { isGenerated } from './generated'
import type { TemplateSyncResult } from './model'
import { changeTemplateIn } from './change'
import { archiveEndMs } from './archive-columns'
import { minEventTimeMs } from './status'
import { templates } from './table'
import { yieldToEventLoop } from '../../../infra/event-loop'
import type { TemplateRow } from './view'
import { applyPlatformTemplateIn } from './sync-template'
import { noticeText } from '../../organization/notifications/catalog'

type Counts = Pick<TemplateSyncResult, 'synced' | 'new' | 'updated' | 'removed' | 'unchanged'>

const NO_COUNTS: Counts = { synced: 0, new: 0, updated: 0, removed: 0, unchanged: 0 }

const COUNTED = ['synced', 'new', 'updated', 'removed', 'unchanged'] as const

/** Templates per transaction. */
const BATCH_SIZE = 25

/**
 * Syncs the templates of the business account of a phone number, or of every active one: all pages,
 * each business account once (templates contract A, rule 6). Throws NotFoundError and, if every
 * account failed, InvalidError `platform_rejected` or UnavailableError.
 */
export async function syncTemplates(
  ctx: Ctx,
  accountId: string | undefined,
): Promise<TemplateSyncResult> {
  const chosen =
    accountId === undefined
      ? liveAccounts(ctx).filter(({ status }) => status === 'active')
      : [getAccount(ctx, accountId)]
  const byBusiness = [...Map.groupBy(chosen, ({ businessId }) => businessId)]
  const result: TemplateSyncResult = { ...NO_COUNTS, accounts: [] }
  const failures: unknown[] = []
  for (const [businessId, ofBusiness] of byBusiness) {
    let error: string | null = null
    try {
      const counts = await syncBusiness(ctx, businessId)
      for (const key of COUNTED) result[key] += counts[key]
    } catch (failure) {
      if (!(failure instanceof PlatformError)) throw failure
      failures.push(failure)
      error = failure.message
    }
    result.accounts.push(...ofBusiness.map(({ id }) => ({ account_id: id, error })))
  }
  if (failures.length > 0 && failures.length === byBusiness.length)
    throw platformErrorOf(failures[0], {
      rejected: 'The platform rejected the request for the templates of this business account.',
    })
  return transact(ctx.db, (tx) => {
    const { accounts: _, ...counts } = result
    recordAudit(tx, ctx, {
      action: 'synced',
      resourceType: 'template',
      resourceId: null,
      resourceName: null,
      changes: Object.entries(counts).map(([field, value]) => ({
        field,
        old_value: null,
        new_value: value,
      })),
    })
    return result
  })
}

/** Returns the business accounts with an active phone number, across all organizations. */
export function businessesToSync(
  deps: Pick<Deps, 'db'>,
): { organizationId: string; businessId: string }[] {
  return deps.db.orm
    .selectDistinct({ organizationId: accounts.organizationId, businessId: accounts.businessId })
    .from(accounts)
    .where(
      inWorkingOrganizations(
        'the hourly sync goes through all business accounts',
        accounts,
        and(
          isNull(accounts.deletedAtMs),
          eq(accounts.status, 'active'),
          isNotNull(accounts.accessTokenSealed),
        ),
      ),
    )
    .all()
}

/**
 * Syncs the templates of one business account and stores the result on its phone numbers. The first
 * failure in a row notifies the admins. Throws PlatformError.
 */
export async function syncBusiness(ctx: Ctx, businessId: string): Promise<Counts> {
  const numbers = liveAccounts(ctx).filter(
    (account) => account.businessId === businessId && account.accessTokenSealed !== null,
  )
  const [account] = numbers.toSorted(
    (a, b) => Number(b.status === 'active') - Number(a.status === 'active'),
  )
  if (!account) return NO_COUNTS
  const sinceMs = ctx.clock.nowMs()
  transact(ctx.db, (tx) => {
    for (const row of numbers) recordTemplateSyncStartIn(tx, ctx, row)
  })
  try {
    const { templates: all, isComplete: isWhole } = await ctx.platform.listTemplates(
      businessCallOf(ctx, account),
    )
    const listed = all.filter(({ name }) => !isGenerated(name))
    const counts = await applyTemplates(ctx, account, listed, sinceMs)
    if (isWhole)
      counts.removed = transact(ctx.db, (tx) =>
        markDeletedIn(tx, ctx, {
          businessId,
          sinceMs,
          listedIds: new Set(listed.map(({ id }) => id)),
        }),
      )
    transact(ctx.db, (tx) => {
      for (const row of reloadAccounts(ctx, numbers))
        recordTemplateSyncIn(tx, ctx, row, { ...counts, error: null })
    })
    return counts
  } catch (error) {
    if (error instanceof PlatformError)
      transact(ctx.db, (tx) => recordSyncFailureIn(tx, ctx, numbers, error))
    throw error
  }
}

/** Error code of the platform for an invalid token. */
const INVALID_TOKEN_CODE = 190

function recordSyncFailureIn(
  tx: Tx,
  ctx: Ctx,
  numbers: readonly AccountRow[],
  error: PlatformError,
): void {
  const [first] = numbers
  const isKnown = first !== undefined && templateSyncOf(first).error !== null
  for (const row of reloadAccounts(ctx, numbers))
    recordTemplateSyncIn(tx, ctx, row, { error: error.message })
  // An invalid token is already reported for the phone number (`accounts/suspend.ts`).
  if (first && !isKnown && error.platformCode !== INVALID_TOKEN_CODE)
    notifyAboutAccountIn(tx, ctx, first, {
      kind: 'template_notice',
      severity: 'warning',
      title: 'Template sync failed',
      text: noticeText('template_sync_failed', { message: error.message }),
      body: `WhatsApp did not return the templates. ${error.message}`,
    })
}

const reloadAccounts = (ctx: Ctx, rows: readonly AccountRow[]): AccountRow[] =>
  rows.map(({ id }) => findAccount(ctx, id)).filter((row) => row !== null)

async function applyTemplates(
  ctx: Ctx,
  account: AccountRow,
  listed: readonly PlatformTemplate[],
  sinceMs: number,
): Promise<Counts> {
  const counts = { ...NO_COUNTS, synced: listed.length }
  const flows = flowIdsOf(ctx, account.businessId)
  for (let from = 0; from < listed.length; from += BATCH_SIZE) {
    transact(ctx.db, (tx) => {
      for (const template of listed.slice(from, from + BATCH_SIZE))
        counts[applyPlatformTemplateIn(tx, ctx, { account, template, flows, sinceMs })] += 1
    })
    await yieldToEventLoop()
  }
  return counts
}

/** Reports whether the platform may still have a template in its archive, which it need not list. */
const mayBeInArchive = (row: TemplateRow, nowMs: number): boolean =>
  row.status === 'ARCHIVED' && (archiveEndMs(row) ?? 0) > nowMs

/**
 * Marks templates that the platform no longer lists as deleted, except those submitted after the
 * list was requested, and archived ones. Returns their number.
 */
function markDeletedIn(
  tx: Tx,
  ctx: Ctx,
  at: { businessId: string; sinceMs: number; listedIds: ReadonlySet<string> },
): number {
  const gone = tx
    .select()
    .from(templates)
    .where(
      inOrganization(
        ctx,
        templates,
        and(
          eq(templates.businessId, at.businessId),
          isNotNull(templates.platformId),
          ne(templates.status, 'DELETED'),
        ),
      ),
    )
    .all()
    .filter(
      (row) =>
        !at.listedIds.has(row.platformId ?? '') &&
        (row.syncedAtMs ?? 0) <= at.sinceMs &&
        !mayBeInArchive(row, at.sinceMs),
    )
  for (const row of gone)
    changeTemplateIn(
      tx,
      ctx,
      row,
      { status: 'DELETED', statusAtMs: minEventTimeMs(at.sinceMs), syncedAtMs: ctx.clock.nowMs() },
      ['status'],
    )
  return gone.length
}
