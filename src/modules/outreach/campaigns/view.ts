import { isoTime, isoTimeOrNull } from '../../../lib/clock'
import { amountOf } from '../../../lib/money'
import { maskNumbersIn, maskPhone, maskPhonesIn } from '../../../lib/phone'
import { maskJson } from '../../inbox/messages/view'
import type { OwnParams, Source } from './draft/values'
import type { Audience, CampaignView, RecipientView, SendWindow } from './model'
import type { campaignCounts, campaignRecipients, campaigns } from './table'

export type CampaignRow = typeof campaigns.$inferSelect

export type RecipientRow = typeof campaignRecipients.$inferSelect

/** The number of recipients in each state. */
export type CountsRow = typeof campaignCounts.$inferSelect

const readJson = <T>(written: string): T => JSON.parse(written) as T

/** The audience of a campaign, without imported recipients. */
export const audienceOf = (row: Pick<CampaignRow, 'audience'>): Audience => readJson(row.audience)
/** The source of each template variable. */
export const mappingOf = (row: Pick<CampaignRow, 'variableMapping'>): Record<string, Source> =>
  readJson(row.variableMapping)
/** The default value of each template variable. */
export const defaultsOf = (row: Pick<CampaignRow, 'defaultParams'>): Record<string, unknown> =>
  readJson(row.defaultParams)
/** The send window; `null` if the campaign sends at all hours. */
export const windowOf = (row: Pick<CampaignRow, 'sendWindow'>): SendWindow | null =>
  row.sendWindow === null ? null : readJson(row.sendWindow)
/** The imported template values of a recipient; `null` if there are none. */
export const paramsOf = (row: Pick<RecipientRow, 'params'>): OwnParams | null =>
  row.params === null ? null : readJson(row.params)

/**
 * Returns the counters as the API shows them: `sent` includes `delivered`, which includes `read`, and
 * messages that failed after the platform accepted them.
 */
export function countersOf(counts: CountsRow) {
  const { pending, sending, sent, delivered, read, failed, unknown, skipped, cancelled } = counts
  return {
    total_recipients:
      pending + sending + sent + delivered + read + failed + unknown + skipped + cancelled,
    pending_count: pending,
    sending_count: sending,
    sent_count: counts.accepted,
    delivered_count: delivered + read,
    read_count: read,
    failed_count: failed,
    skipped_count: skipped,
    cancelled_count: cancelled,
    unknown_count: unknown,
    replied_count: counts.replied,
    clicked_count: counts.clicked,
  }
}

/** The values a campaign view needs in addition to the row. */
export interface CampaignParts {
  counts: CountsRow
  /** Whether a charged message has no known price, so that the total cost is unknown. */
  lacksPrice: boolean
  templateName: string | null
  etaAtMs: number | null
}

/** Returns a campaign as the API shows it. */
export function campaignView(
  row: CampaignRow,
  { counts, lacksPrice, templateName, etaAtMs }: CampaignParts,
): CampaignView {
  const money = (micros: number | null): string | null =>
    micros === null || row.currency === null ? null : amountOf(micros)
  return {
    id: row.id,
    name: row.name,
    account_id: row.accountId,
    template_id: row.templateId,
    template_name: templateName,
    status: row.status,
    pause_reason: row.pauseReason,
    audience: audienceOf(row),
    variable_mapping: mappingOf(row),
    default_params: defaultsOf(row),
    header_media_id: row.headerMediaId,
    scheduled_at: isoTimeOrNull(row.scheduledAtMs),
    timezone: row.timezone,
    send_window: windowOf(row),
    rate_limit: row.rateLimit,
    budget:
      row.budgetMicros === null || row.currency === null
        ? null
        : { amount: amountOf(row.budgetMicros), currency: row.currency },
    error_threshold: row.errorThreshold,
    ...countersOf(counts),
    estimated_cost: money(row.estimatedMicros),
    actual_cost: lacksPrice ? null : money(counts.actualMicros),
    currency: row.currency,
    started_at: isoTimeOrNull(row.startedAtMs),
    completed_at: isoTimeOrNull(row.completedAtMs),
    eta_at: isoTimeOrNull(etaAtMs),
    created_by: row.createdBy,
    created_at: isoTime(row.createdAtMs),
    updated_at: isoTime(row.updatedAtMs),
  }
}

/**
 * Returns the imported template values of a recipient. If `isMasked`, only the last four digits of
 * its own number are shown.
 */
function shownParams(row: RecipientRow, isMasked: boolean): OwnParams | null {
  if (row.params === null || row.phoneNumber === null || !isMasked) return paramsOf(row)
  const own = [row.phoneNumber]
  return maskJson(row.params, (text) => maskNumbersIn(text, own)) as OwnParams
}

/**
 * Returns why a message to a recipient failed. If `isMasked`, only the last four digits of phone
 * numbers in the platform details are shown.
 */
function errorView({ error }: RecipientRow, isMasked: boolean): RecipientView['error'] {
  const stored = error === null ? null : readJson<NonNullable<RecipientView['error']>>(error)
  return isMasked && stored?.details != null
    ? { ...stored, details: maskPhonesIn(stored.details) }
    : stored
}

/**
 * Returns a recipient as the API shows it. If `isMasked`, only the last four digits of phone
 * numbers are shown.
 */
export function recipientView(
  row: RecipientRow,
  messageId: string | null,
  isMasked: boolean,
  currency: string | null,
): RecipientView {
  const own = shownParams(row, isMasked)
  return {
    id: row.id,
    contact_id: row.contactId,
    phone_number:
      row.phoneNumber !== null && isMasked ? maskPhone(row.phoneNumber) : row.phoneNumber,
    name: row.name !== null && isMasked ? maskPhonesIn(row.name) : row.name,
    status: row.status,
    skip_reason: row.skipReason,
    template_params: own?.template_params ?? {},
    header_params: own?.header_params ?? {},
    button_params: own?.button_params ?? {},
    columns: own?.columns ?? {},
    message_id: messageId,
    attempt: row.attempt,
    error: errorView(row, isMasked),
    sent_at: isoTimeOrNull(row.sentAtMs),
    delivered_at: isoTimeOrNull(row.deliveredAtMs),
    read_at: isoTimeOrNull(row.readAtMs),
    failed_at: isoTimeOrNull(row.failedAtMs),
    replied_at: isoTimeOrNull(row.repliedAtMs),
    clicked_at: isoTimeOrNull(row.clickedAtMs),
    cost:
      row.costMicros === null || currency === null || !row.isCostActual
        ? null
        : amountOf(row.costMicros),
  }
}
