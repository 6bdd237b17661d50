import { and, eq, ne } from 'drizzle-orm'

import { MINUTE_MS } from '../../../../lib/clock'
import { INSTALLATION, systemCtx, type Ctx, type JobCtx } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import { continueNumbersIn } from '../../../../infra/outbox/events'
import { rescheduleReportsIn } from '../../../insight/analytics/scheduled/leave-out-after-restore'
import { recordAudit } from '../../../organization/audit/record'
import {
  checkArrivedIn,
  connectArrivedIn,
  directArrivedIn,
  releaseCopiesIn,
  startWorkingIn,
} from '../../../channel/accounts/arrive'
import { routeByPhoneId } from '../../../channel/accounts/queries'
import { limitArrivedKeysIn } from '../../../organization/api-keys/arrive'
import { nameOfOrganization } from '../../../organization/notifications/organization-names'
import {
  getOrganization,
  setOrganizationStateIn,
} from '../../../organization/organizations/service'
import { repairSystemRolesIn } from '../../../organization/roles/service'
import { findUser } from '../../../organization/users/service'
import { notifySuperAdminsIn } from '../../../organization/users/notify-super-admins'
import { readFromNowIn } from '../../../delivery/webhooks/arrive'
import type { ArchivedRow } from '../archive/archive'
import { refusalOf } from '../archive/constraint'
import { invalid } from '../archive/fault'
import { findImport } from '../queries'
import { organizationImports, organizationImportUsers } from '../table'
import type { OrganizationImportRow } from '../view'
import type { Conflict } from '../model'
import { differingCounts } from './compare-counts'
import { countUnconfirmed } from './invite'
import { RowWriter, type ImportScope } from './write-rows'

/**
 * Completes an import in one transaction: connects the phone numbers and opens the organization.
 * Until here it could be undone without anybody noticing. Waits for another order if that of a move
 * is old. Throws ArchiveFault.
 */
export async function activate(
  job: JobCtx,
  scope: ImportScope,
  { id }: OrganizationImportRow,
): Promise<void> {
  const numbers: ArchivedRow[] = []
  for await (const row of scope.archive.rows('accounts')) numbers.push(row)
  const { ctx, archive } = scope
  const table = archive.tables.get('accounts')
  const writer = table && new RowWriter(scope, table)
  transact(job.db, (tx) => {
    const row = findImport(job, id)
    if (row?.state !== 'running') return
    if (isOrderOld(row, job.clock.nowMs())) return waitAgainIn(tx, id)
    for (const number of numbers)
      connectIn(tx, scope, { ...number, row: writer?.storedOf(number.row) ?? number.row })
    continueNumbersIn(tx, ctx, archive.manifest.event_seq)
    readFromNowIn(tx, ctx)
    limitArrivedKeysIn(tx, ctx)
    if (!scope.isMove) rescheduleReportsIn(tx, ctx)
    openIn(tx, scope)
    repairSystemRolesIn(tx, ctx)
    if (scope.isMove) startWorkingIn(tx, ctx, stoppedAtMs(numbers, job.clock.nowMs()))
    else directArrivedIn(tx, ctx)
    checkArrivedIn(tx, ctx)
    const differing = differingCounts(ctx, archive)
    if (differing.length > 0)
      ctx.log.warn({ import_id: id, differing }, 'counts differ after import')
    recordIn(tx, ctx, row)
    notifyIn(tx, job, ctx, countUnconfirmed(ctx, id))
    tx.delete(organizationImportUsers)
      .where(
        and(
          eq(organizationImportUsers.importId, id),
          ne(organizationImportUsers.outcome, 'unconfirmed'), // they are asked to confirm afterwards
        ),
      )
      .run()
    tx.update(organizationImports)
      .set({
        ...{ state: 'completed', finishedAtMs: job.clock.nowMs(), step: '', line: 0 },
        keySealed: null,
        conflicts: JSON.stringify([...(JSON.parse(row.conflicts) as Conflict[]), ...differing]),
      })
      .where(and(eq(organizationImports.id, id), eq(organizationImports.state, 'running')))
      .run()
  })
}

/** Lets the organization work. A move counts; an import from a file says nothing about where else it is. */
function openIn(tx: Tx, { ctx, isMove }: ImportScope): void {
  const moves = getOrganization(ctx).moves + (isMove ? 1 : 0)
  setOrganizationStateIn(tx, ctx.organizationId, { state: 'active', deletesAtMs: null, moves })
}

/** How long the order of the last step of a move holds. */
const ORDER_MS = MINUTE_MS

/**
 * Whether the order is so old that the cell that the organization comes from may have given up: then
 * the organization may work there again.
 */
const isOrderOld = ({ moveId, orderedAtMs }: OrganizationImportRow, nowMs: number): boolean =>
  moveId !== null && nowMs - (orderedAtMs ?? 0) > ORDER_MS

const waitAgainIn = (tx: Tx, id: string): void =>
  tx
    .update(organizationImports)
    .set({ state: 'waiting' })
    .where(eq(organizationImports.id, id))
    .run()

/** Returns when the numbers stopped working in the cell that they come from. */
const stoppedAtMs = (numbers: ArchivedRow[], nowMs: number): number =>
  numbers.reduce((atMs, { row }) => Math.min(atMs, Number(row['moved_at_ms'] ?? nowMs)), nowMs)

/** Gives a phone number the values of the archive. */
function connectIn(tx: Tx, scope: ImportScope, { row: stored, line }: ArchivedRow): void {
  const place = { file: scope.archive.fileOf('accounts'), line }
  if (stored['deleted_at_ms'] === null && routeByPhoneId(scope.ctx, String(stored['phone_id'])))
    throw invalid('the phone number was connected in another organization', place)
  try {
    if (scope.isMove && stored['deleted_at_ms'] === null)
      releaseCopiesIn(tx, scope.ctx, String(stored['phone_id']))
    connectArrivedIn(tx, stored)
  } catch (error) {
    throw refusalOf(error, place)
  }
}

function recordIn(tx: Tx, ctx: Ctx, { createdBy }: OrganizationImportRow): void {
  const user = createdBy === null ? null : findUser(ctx, createdBy)
  const actor = user
    ? { ...ctx.actor, type: 'user' as const, userId: user.id, userName: user.fullName }
    : ctx.actor
  recordAudit(
    tx,
    { ...ctx, actor },
    {
      action: 'imported',
      resourceType: 'organization',
      resourceId: ctx.organizationId,
      resourceName: getOrganization(ctx).name,
    },
  )
}

function notifyIn(tx: Tx, job: JobCtx, ctx: Ctx, unconfirmed: number): void {
  notifySuperAdminsIn(tx, systemCtx(job, INSTALLATION), {
    kind: 'organization_imported',
    severity: unconfirmed > 0 ? 'warning' : 'info',
    title: 'Organization imported',
    body:
      `${nameOfOrganization(ctx.organizationId)} was imported.` +
      (unconfirmed === 0
        ? ''
        : ` ${unconfirmed} people have accounts here with another password. They are suspended in ` +
          'it until they confirm by mail, or until an admin activates them.'),
  })
}
