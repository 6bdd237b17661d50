import { and, asc, eq, gt, inArray, isNull, or, sql, type SQL } from 'drizzle-orm'

import { foldText } from '../../../../lib/fold-text'
import { longPage, readCursor, type LongPage } from '../../../../lib/page'
import { inOrganization } from '../../../../infra/ctx'
import { isFiltered, totalOf } from '../../../../infra/read/ordered-list'
import type { ReadPart } from '../../../../infra/read/parts'
import type { ReadCtx } from '../../../../infra/read/read-ctx'
import { masksNumbers, visibleTo } from '../../../inbox/contacts/sight/visibility'
import type { RecipientView } from '../model'
import type { RecipientStatus } from '../rules'
import { getCampaignRow } from '../state'
import { campaignRecipients, campaignSends } from '../table'
import { recipientView, type CampaignRow, type RecipientRow } from '../view'

/** Filters of the recipient list. */
export interface RecipientQuery {
  page: number
  limit: number
  cursor?: string | undefined
  status?: RecipientStatus | undefined
  search?: string | undefined
  errorCode?: string | undefined
}

/**
 * Returns the condition for recipients that the caller can see: those with a visible contact or
 * without a contact.
 */
function visibleRecipients(
  ctx: ReadCtx,
  campaignId: string,
  query: Pick<RecipientQuery, 'status' | 'search' | 'errorCode'>,
): SQL | undefined {
  const seen = visibleTo(ctx, campaignRecipients.contactId)
  return and(
    eq(campaignRecipients.campaignId, campaignId),
    seen && or(isNull(campaignRecipients.contactId), seen),
    query.status === undefined ? undefined : eq(campaignRecipients.status, query.status),
    query.errorCode === undefined ? undefined : eq(campaignRecipients.errorCode, query.errorCode),
    query.search === undefined ? undefined : matchesSearch(query.search, masksNumbers(ctx)),
  )
}

const SHOWN_DIGITS = 4

/** Matches name, phone number or user ID. If numbers are masked, only the visible digits match. */
function matchesSearch(typed: string, isMasked: boolean): SQL | undefined {
  const { words, phoneNumber } = campaignRecipients
  const word = foldText(typed)
  // Users type phone numbers with separators.
  const digits = typed.replaceAll(/\D/g, '')
  if (!isMasked) {
    const found = [word, digits.length >= 4 ? digits : ''].filter((text) => text !== '')
    return or(...found.map((text) => sql`instr(${words}, ${text}) > 0`), sql`0`)
  }
  if (digits.length > SHOWN_DIGITS || word === '') return sql`0`
  if (digits !== '' && !/\p{L}/u.test(word)) return sql`${phoneNumber} like ${`%${digits}`}`
  return sql`instr(replace(${words}, coalesce(${phoneNumber}, ''), ''), ${word}) > 0`
}

/**
 * Returns a page of recipients in the order they were added. Throws NotFoundError, and InvalidError
 * for an invalid cursor.
 */
export function listRecipients(
  ctx: ReadCtx,
  { campaignId, ...query }: RecipientQuery & { campaignId: string },
): LongPage<RecipientView> {
  const campaign = getCampaignRow(ctx, campaignId)
  const wanted = inOrganization(ctx, campaignRecipients, visibleRecipients(ctx, campaignId, query))
  const after =
    query.cursor === undefined ? undefined : gt(campaignRecipients.id, readCursor(query.cursor).id)
  const rows = ctx.db.orm
    .select()
    .from(campaignRecipients)
    .where(and(wanted, after))
    .orderBy(asc(campaignRecipients.id))
    .limit(query.limit + 1)
    .offset(query.cursor === undefined ? (query.page - 1) * query.limit : 0)
    .all()
  return longPage(rows, query, {
    view: (shown) => recipientViews(ctx, campaign, shown),
    cursorKeyOf: ({ id }) => ({ value: 0, id }),
    total: () =>
      totalOf(
        ctx,
        ctx.db.orm
          .select({ one: sql`1` })
          .from(campaignRecipients)
          .where(wanted),
        {
          isFiltered: isFiltered([query.status, query.search, query.errorCode]),
        },
      ),
  })
}

/** Returns the views of recipients. Reads the messages of their current attempts at once. */
function recipientViews(
  ctx: ReadCtx,
  campaign: CampaignRow,
  rows: RecipientRow[],
): RecipientView[] {
  if (rows.length === 0) return []
  const isMasked = masksNumbers(ctx)
  const sends = ctx.db.orm
    .select({
      recipientId: campaignSends.recipientId,
      attempt: campaignSends.attempt,
      messageId: campaignSends.messageId,
    })
    .from(campaignSends)
    .where(
      inOrganization(
        ctx,
        campaignSends,
        and(
          eq(campaignSends.campaignId, campaign.id),
          inArray(
            campaignSends.recipientId,
            rows.map(({ id }) => id),
          ),
        ),
      ),
    )
    .all()
  const messageOf = new Map(
    sends.map(({ recipientId, attempt, messageId }) => [`${recipientId} ${attempt}`, messageId]),
  )
  return rows.map((row) =>
    recipientView(
      row,
      messageOf.get(`${row.id} ${row.attempt}`) ?? null,
      isMasked,
      campaign.currency,
    ),
  )
}

/** Some recipients of a file. */
export interface RecipientPart extends ReadPart<string> {
  rows: RecipientView[]
}

/** Recipients in a part of a file. */
const ROWS_AT_ONCE = 500

/** Returns the next recipients of a file after an ID that the caller can see. Throws NotFoundError. */
export function nextRecipients(
  ctx: ReadCtx,
  {
    campaignId,
    status,
    after,
  }: { campaignId: string; status: RecipientStatus | undefined; after: string },
): RecipientPart {
  const campaign = getCampaignRow(ctx, campaignId)
  const rows = ctx.db.orm
    .select()
    .from(campaignRecipients)
    .where(
      inOrganization(
        ctx,
        campaignRecipients,
        visibleRecipients(ctx, campaignId, { status }),
        gt(campaignRecipients.id, after),
      ),
    )
    .orderBy(asc(campaignRecipients.id))
    .limit(ROWS_AT_ONCE)
    .all()
  return {
    rows: recipientViews(ctx, campaign, rows),
    next: rows.length < ROWS_AT_ONCE ? null : (rows.at(-1)?.id ?? null),
  }
}
