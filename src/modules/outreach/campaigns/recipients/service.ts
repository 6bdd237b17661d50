import { and, eq } from 'drizzle-orm'

import { InvalidError, NotFoundError } from '../../../../lib/errors'
import { isUuid } from '../../../../lib/ids'
import { maskPhone } from '../../../../lib/phone'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import { masksNumbers } from '../../../inbox/contacts/sight/visibility'
import { getOrganization } from '../../../organization/organizations/service'
import type { CampaignView } from '../model'
import { getCampaign } from '../queries'
import { publishCampaignIn } from '../results/publish'
import { requireCopied } from '../draft/require-copied'
import { refuseAuthenticationTemplate } from '../run/blockers'
import { STEPS } from '../rules'
import { countsOf, getCampaignRow, wrongState } from '../state'
import { campaignRecipients } from '../table'
import { findTemplateOf } from '../draft/template'
import { yieldToEventLoop } from '../../../../infra/event-loop'
import { countersOf, type CampaignRow } from '../view'
import { importRecipientIn, readRecipient, type ImportTarget } from './import'
import type { RecipientImportView, NewRecipient, RecipientProblem } from './model'

/** Approximate maximum duration of one transaction, milliseconds. */
const AT_ONCE_MS = 8
const MAX_ERRORS = 100
const DELETED_AT_ONCE = 500

/**
 * Requires a campaign that has not started. Throws NotFoundError and ConflictError `wrong_state`.
 */
export function requireNotStarted(ctx: Ctx, id: string): CampaignRow {
  const row = getCampaignRow(ctx, id)
  if (!STEPS.load.some((status) => status === row.status)) throw wrongState(row)
  return row
}

/**
 * Requires that recipients can be added to the campaign. Returns what the import needs to know of
 * it. Throws NotFoundError, ConflictError `wrong_state` and InvalidError `template_not_approved`.
 */
export function requireImportable(ctx: Ctx, id: string): ImportTarget {
  const { templateId } = requireNotStarted(ctx, id)
  const template = findTemplateOf(ctx, templateId)
  refuseAuthenticationTemplate(template)
  return { campaignId: id, template }
}

/** The progress of an import of recipients. */
export interface RecipientImport {
  campaignId: string
  imported: number
  duplicates: number
  invalid: number
  errors: RecipientProblem[]
}

/** Returns the initial progress of an import. */
export const newImport = (campaignId: string): RecipientImport => ({
  campaignId,
  imported: 0,
  duplicates: 0,
  invalid: 0,
  errors: [],
})

/**
 * Imports numbered rows in several transactions. Invalid rows do not affect the others. Throws
 * NotFoundError and ConflictError `wrong_state`, also if the campaign starts during the import;
 * rows imported before that stay.
 */
export async function importRecipients(
  ctx: Ctx,
  rows: { row: number; input: NewRecipient }[],
  progress: RecipientImport,
): Promise<RecipientImportView> {
  const country = getOrganization(ctx).defaultCountry
  const isMasked = masksNumbers(ctx)
  let view: RecipientImportView | null = null
  for (let at = 0; at < rows.length || view === null;) {
    view = transact(ctx.db, (tx) => {
      const to = requireImportable(ctx, progress.campaignId)
      const startedMs = performance.now()
      for (
        let next = rows[at];
        next !== undefined && performance.now() - startedMs < AT_ONCE_MS;
        next = rows[at]
      ) {
        importRowIn(tx, ctx, next, { country, isMasked, progress, to })
        at += 1
      }
      publishCampaignIn(tx, ctx, progress.campaignId, 'counters')
      return importResult(ctx, progress)
    })
    await yieldToEventLoop()
  }
  return view
}

function importRowIn(
  tx: Tx,
  ctx: Ctx,
  { row, input }: { row: number; input: NewRecipient },
  at: { country: string | null; isMasked: boolean; progress: RecipientImport; to: ImportTarget },
): void {
  const { progress } = at
  const read = readRecipient(input, at.country)
  const result = 'reason' in read ? read : importRecipientIn(tx, ctx, at.to, read)
  if (result === 'duplicate') progress.duplicates += 1
  else if ('id' in result) progress.imported += 1
  else {
    progress.invalid += 1
    const { phone_number: number } = input as Record<string, unknown>
    const written =
      typeof number === 'string' || typeof number === 'number' ? String(number).slice(0, 64) : null
    const shown = written !== null && at.isMasked ? maskPhone(written) : written
    if (progress.errors.length < MAX_ERRORS)
      progress.errors.push({ row, phone_number: shown, reason: result.reason })
  }
}

const importResult = (
  ctx: Ctx,
  { campaignId, ...progress }: RecipientImport,
): RecipientImportView => ({
  ...progress,
  total_recipients: countersOf(countsOf(ctx, campaignId)).total_recipients,
})

/**
 * Deletes all recipients of a campaign that has not started, in several transactions. Throws
 * NotFoundError and ConflictError `wrong_state`.
 */
export async function deleteAllRecipients(ctx: Ctx, campaignId: string): Promise<void> {
  for (let hasMore = true; hasMore;) {
    hasMore = transact(ctx.db, (tx) => {
      requireCopied(ctx, requireNotStarted(ctx, campaignId))
      const batch = tx
        .select({ id: campaignRecipients.id })
        .from(campaignRecipients)
        .where(
          inOrganization(ctx, campaignRecipients, eq(campaignRecipients.campaignId, campaignId)),
        )
        .limit(DELETED_AT_ONCE)
        .all()
      for (const { id } of batch) deleteIn(tx, ctx, campaignId, id)
      return batch.length === DELETED_AT_ONCE
    })
    await yieldToEventLoop()
  }
}

/**
 * Deletes all recipients of a campaign that has not started, and publishes that. Throws as {@link
 * deleteAllRecipients}.
 */
export async function removeList(ctx: Ctx, campaignId: string): Promise<CampaignView> {
  await deleteAllRecipients(ctx, campaignId)
  transact(ctx.db, (tx) => {
    publishCampaignIn(tx, ctx, campaignId, 'counters')
  })
  return getCampaign(ctx, campaignId)
}

const deleteIn = (tx: Tx, ctx: Ctx, campaignId: string, id: string): boolean =>
  tx
    .delete(campaignRecipients)
    .where(
      inOrganization(
        ctx,
        campaignRecipients,
        and(eq(campaignRecipients.campaignId, campaignId), eq(campaignRecipients.id, id)),
      ),
    )
    .returning({ id: campaignRecipients.id })
    .get() !== undefined

/**
 * Deletes a recipient of a campaign that has not started. Throws NotFoundError and ConflictError
 * `wrong_state`.
 */
export function deleteRecipient(ctx: Ctx, campaignId: string, id: string): void {
  transact(ctx.db, (tx) => {
    requireNotStarted(ctx, campaignId)
    if (!isUuid(id) || !deleteIn(tx, ctx, campaignId, id)) throw new NotFoundError('Recipient')
    publishCampaignIn(tx, ctx, campaignId, 'counters')
  })
}

/**
 * Imports the recipients of a JSON body. Throws InvalidError if there are none, and the errors of
 * {@link requireImportable}.
 */
export async function addRecipients(
  ctx: Ctx,
  campaignId: string,
  input: { recipients?: NewRecipient[] | undefined; isReplacing: boolean },
): Promise<RecipientImportView> {
  requireImportable(ctx, campaignId)
  const { recipients = [], isReplacing } = input
  if (recipients.length === 0)
    throw new InvalidError('`recipients` is required. Send at least one recipient, or a file.', {
      code: 'invalid_input',
      errors: [
        { path: 'body.recipients', message: 'requires at least one recipient, or send a file' },
      ],
    })
  if (isReplacing) await deleteAllRecipients(ctx, campaignId)
  return await importRecipients(
    ctx,
    recipients.map((one, index) => ({ row: index + 1, input: one })),
    newImport(campaignId),
  )
}
