import { and, eq } from 'drizzle-orm'

import { InvalidError, NotFoundError } from '../../../lib/errors'
import { isUuid } from '../../../lib/ids'
import { maskPhone } from '../../../lib/phone'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { masksNumbers } from '../../contacts/visibility'
import { getOrganization } from '../../organizations/service'
import { publishCampaignIn } from '../results/publish'
import { refuseWhileCopied } from '../draft/require-copied'
import { refuseCodes } from '../run/blockers'
import { STEPS } from '../rules'
import { countsOf, getCampaignRow, wrongState } from '../state'
import { campaignRecipients } from '../table'
import { findTemplateOf } from '../draft/template'
import { yieldToEventLoop } from '../../../infra/event-loop'
import { countersOf, type CampaignRow } from '../view'
import { addRecipientsIn, readRecipient, type Loading } from './import'
import type { RecipientImportView, NewRecipient, RowProblem } from './model'

/** One transaction takes about so long, milliseconds. */
const AT_ONCE_MS = 8
const MAX_ERRORS = 100
const DELETED_AT_ONCE = 500

/**
 * Refuses to change who gets a campaign that was started. Throws NotFoundError and ConflictError
 * `wrong_state`.
 */
export function requireLoadable(ctx: Ctx, id: string): CampaignRow {
  const row = getCampaignRow(ctx, id)
  if (!STEPS.load.some((status) => status === row.status)) throw wrongState(row)
  return row
}

/**
 * Refuses to bring anybody into a campaign now. Returns what recipients of it are brought into.
 * Throws NotFoundError, ConflictError `wrong_state` and InvalidError `template_not_approved`.
 */
export function requireOpen(ctx: Ctx, id: string): Loading {
  const { templateId } = requireLoadable(ctx, id)
  const template = findTemplateOf(ctx, templateId)
  refuseCodes(template)
  return { campaignId: id, template }
}

/** Recipients on their way in, and what has become of them so far. */
export interface RecipientImport {
  campaignId: string
  imported: number
  duplicates: number
  invalid: number
  errors: RowProblem[]
}

/** Nothing has been brought in yet. */
export const nothingYet = (campaignId: string): RecipientImport => ({
  campaignId,
  imported: 0,
  duplicates: 0,
  invalid: 0,
  errors: [],
})

/**
 * Brings recipients in, some in each transaction: a bad one stops no other. `rows` are numbered.
 * Throws NotFoundError and ConflictError `wrong_state`, also when the campaign was started
 * meanwhile; what was brought in until then stays.
 */
export async function importRecipients(
  ctx: Ctx,
  rows: { row: number; asked: NewRecipient }[],
  so: RecipientImport,
): Promise<RecipientImportView> {
  const country = getOrganization(ctx).defaultCountry
  const isMasked = masksNumbers(ctx)
  let view: RecipientImportView | null = null
  for (let at = 0; at < rows.length || view === null;) {
    view = transact(ctx.db, (tx) => {
      const to = requireOpen(ctx, so.campaignId)
      const startedMs = performance.now()
      for (
        let next = rows[at];
        next !== undefined && performance.now() - startedMs < AT_ONCE_MS;
        next = rows[at]
      ) {
        addOneRecipientIn(tx, ctx, next, { country, isMasked, so, to })
        at += 1
      }
      publishCampaignIn(tx, ctx, so.campaignId, 'counters')
      return broughtView(ctx, so)
    })
    await yieldToEventLoop()
  }
  return view
}

function addOneRecipientIn(
  tx: Tx,
  ctx: Ctx,
  { row, asked }: { row: number; asked: NewRecipient },
  at: { country: string | null; isMasked: boolean; so: RecipientImport; to: Loading },
): void {
  const { so } = at
  const read = readRecipient(asked, at.country)
  const brought = 'reason' in read ? read : addRecipientsIn(tx, ctx, at.to, read)
  if (brought === 'duplicate') so.duplicates += 1
  else if ('id' in brought) so.imported += 1
  else {
    so.invalid += 1
    const { phone_number: number } = asked as Record<string, unknown>
    const written =
      typeof number === 'string' || typeof number === 'number' ? String(number).slice(0, 64) : null
    const shown = written !== null && at.isMasked ? maskPhone(written) : written
    if (so.errors.length < MAX_ERRORS)
      so.errors.push({ row, phone_number: shown, reason: brought.reason })
  }
}

/** What has become of recipients that were brought in. */
const broughtView = (ctx: Ctx, { campaignId, ...so }: RecipientImport): RecipientImportView => ({
  ...so,
  total_recipients: countersOf(countsOf(ctx, campaignId)).total_recipients,
})

/**
 * Takes everybody out of a campaign that was not started, some in each transaction. Throws
 * NotFoundError and ConflictError `wrong_state`.
 */
export async function emptyCampaign(ctx: Ctx, campaignId: string): Promise<void> {
  for (let left = true; left;) {
    left = transact(ctx.db, (tx) => {
      refuseWhileCopied(ctx, requireLoadable(ctx, campaignId))
      const some = tx
        .select({ id: campaignRecipients.id })
        .from(campaignRecipients)
        .where(
          inOrganization(ctx, campaignRecipients, eq(campaignRecipients.campaignId, campaignId)),
        )
        .limit(DELETED_AT_ONCE)
        .all()
      for (const { id } of some) deleteIn(tx, ctx, campaignId, id)
      return some.length === DELETED_AT_ONCE
    })
    await yieldToEventLoop()
  }
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
 * Takes one out of a campaign that was not started. Throws NotFoundError and ConflictError
 * `wrong_state`.
 */
export function removeRecipient(ctx: Ctx, campaignId: string, id: string): void {
  transact(ctx.db, (tx) => {
    requireLoadable(ctx, campaignId)
    if (!isUuid(id) || !deleteIn(tx, ctx, campaignId, id)) throw new NotFoundError('Recipient')
    publishCampaignIn(tx, ctx, campaignId, 'counters')
  })
}

/**
 * Brings in recipients of a JSON body. Throws InvalidError for none at all, and as {@link
 * requireOpen}.
 */
export async function addRecipients(
  ctx: Ctx,
  campaignId: string,
  asked: { recipients?: NewRecipient[] | undefined; isReplacing: boolean },
): Promise<RecipientImportView> {
  requireOpen(ctx, campaignId)
  const { recipients = [], isReplacing } = asked
  if (recipients.length === 0)
    throw new InvalidError('`recipients` is required. Send at least one recipient, or a file.', {
      code: 'invalid_input',
      errors: [
        { path: 'body.recipients', message: 'requires at least one recipient, or send a file' },
      ],
    })
  if (isReplacing) await emptyCampaign(ctx, campaignId)
  return await importRecipients(
    ctx,
    recipients.map((one, index) => ({ row: index + 1, asked: one })),
    nothingYet(campaignId),
  )
}
