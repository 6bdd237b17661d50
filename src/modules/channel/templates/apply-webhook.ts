import { and, eq, isNull, ne, type SQL } from 'drizzle-orm'

import { DAY_MS } from '../../../lib/clock'
import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { of } from '../../../infra/scoped'
import { objectOf, wordOf, type JsonObject } from '../../../platform/lenient-json'
import type { AccountRow } from '../accounts/view'
import { searchTextOf } from './draft'
import { isGenerated } from './generated'
import { changeTemplateIn } from './change'
import { languageKeyOf } from './queries'
import { requestSyncIn } from './request-sync'
import { restoredStatus } from './archive-columns'
import { templates } from './table'
import { componentsOf, sentComponentsOf, type TemplateRow } from './view'
import { withNewTexts } from './webhook-components'

/** Handlers of the webhook fields about templates. */
const HANDLERS: Readonly<
  Record<string, (tx: Tx, ctx: Ctx, row: TemplateRow, news: TemplateUpdate) => void>
> = {
  message_template_status_update: applyStatusIn,
  message_template_quality_update: applyQualityIn,
  template_category_update: applyCategoryIn,
  message_template_components_update: applyComponentsIn,
}

/** Reports whether a webhook field is about templates. */
export const isTemplateField = (field: string): boolean => Object.hasOwn(HANDLERS, field)

/** A template webhook with its account and platform time. */
interface TemplateUpdate {
  account: AccountRow
  value: JsonObject
  atMs: number
}

/** An announced category change takes effect a day later (platform documentation 1.12). */
const CATEGORY_NOTICE_MS = DAY_MS

/**
 * Applies a template webhook (inbound contract 9): status, quality, category or components. Runs in
 * the caller's transaction. Ignores events older than the stored data and those about templates that
 * WhatsApp made itself; an unknown template starts a sync. Returns whether the webhook names a template.
 */
export function applyTemplateWebhookIn(
  tx: Tx,
  ctx: Ctx,
  account: AccountRow,
  listed: { field: string; value: unknown; atMs: number },
): boolean {
  const value = objectOf(listed.value)
  const platformId = wordOf(value.message_template_id)
  const name = wordOf(value.message_template_name)
  if (platformId === null && name === null) return false
  if (name !== null && isGenerated(name)) return true
  const row = knownAs(ctx, account, {
    platformId,
    name,
    language: wordOf(value.message_template_language),
  })
  if (!row) {
    if (!/^(?:PENDING_)?(?:DELETED|DELETION)$/.test(wordOf(value.event)?.toUpperCase() ?? ''))
      requestSyncIn(tx, ctx, account)
    return true
  }
  HANDLERS[listed.field]?.(tx, ctx, row, { account, value, atMs: listed.atMs })
  return true
}

function knownAs(
  ctx: Ctx,
  { businessId }: AccountRow,
  named: { platformId: string | null; name: string | null; language: string | null },
): TemplateRow | null {
  const find = (condition: SQL | undefined): TemplateRow | null =>
    of(ctx, templates).find({ businessId }, ne(templates.status, 'DELETED'), condition)
  const byId = named.platformId === null ? null : find(eq(templates.platformId, named.platformId))
  if (byId || named.name === null || named.language === null) return byId
  // Match by name only rows without a platform ID: another ID is another template.
  const withoutPlatformId = named.platformId === null ? undefined : isNull(templates.platformId)
  return find(
    and(
      eq(templates.name, named.name),
      eq(templates.languageKey, languageKeyOf(named.language)),
      withoutPlatformId,
    ),
  )
}

function applyStatusIn(tx: Tx, ctx: Ctx, row: TemplateRow, { value, atMs }: TemplateUpdate): void {
  const event = wordOf(value.event)?.toUpperCase()
  if (event === undefined || atMs < row.statusAtMs) return
  const isUnpaused = wordOf(objectOf(value.other_info).title)?.toUpperCase() === 'UNPAUSE'
  const status = event === 'UNARCHIVED' ? restoredStatus(row) : isUnpaused ? 'APPROVED' : event
  const rejection = objectOf(value.rejection_info)
  const reason = wordOf(rejection.reason) ?? wordOf(value.reason)
  const category = wordOf(value.message_template_category)?.toUpperCase()
  const platformId = wordOf(value.message_template_id)
  const set: Partial<TemplateRow> = {
    status,
    statusAtMs: atMs,
    reason:
      status === 'REJECTED' || status === 'DISABLED' || status === 'PAUSED'
        ? reason === 'NONE'
          ? null
          : reason
        : null,
    recommendation: wordOf(rejection.recommendation),
    platformId: row.platformId ?? platformId,
    // A template that was not submitted by this server is published as stored.
    publishedComponents: row.publishedComponents ?? row.components,
    ...(category === undefined || atMs < row.categoryAtMs ? {} : { category, categoryAtMs: atMs }),
  }
  changeTemplateIn(
    tx,
    ctx,
    row,
    set,
    changedIn(row, set, { status: 'status', reason: 'reason', category: 'category' }),
    { atMs },
  )
}

function applyQualityIn(tx: Tx, ctx: Ctx, row: TemplateRow, { value, atMs }: TemplateUpdate): void {
  const quality = wordOf(value.new_quality_score)?.toUpperCase()
  if (quality === undefined || atMs < row.qualityAtMs) return
  const set = { quality, qualityAtMs: atMs }
  changeTemplateIn(tx, ctx, row, set, changedIn(row, set, { quality: 'quality' }))
}

/**
 * A completed change has `new_category`. An announced change has the future category in
 * `correct_category` and the current one in `new_category`.
 */
function applyCategoryIn(
  tx: Tx,
  ctx: Ctx,
  row: TemplateRow,
  { account, value, atMs }: TemplateUpdate,
): void {
  const [now, next] = [
    wordOf(value.new_category)?.toUpperCase(),
    wordOf(value.correct_category)?.toUpperCase(),
  ]
  if (atMs < row.categoryAtMs) return
  const isUnclear = next === undefined && wordOf(value.previous_category) === null
  if (isUnclear) requestSyncIn(tx, ctx, account)
  const set: Partial<TemplateRow> = {
    categoryAtMs: atMs,
    ...(now === undefined || isUnclear ? {} : { category: now }),
    ...(next === undefined
      ? { announcedCategory: null, announcedCategoryAtMs: null }
      : { announcedCategory: next, announcedCategoryAtMs: atMs + CATEGORY_NOTICE_MS }),
  }
  changeTemplateIn(
    tx,
    ctx,
    row,
    set,
    changedIn(row, set, { category: 'category', announcedCategory: 'announced_category' }),
  )
}

/** The webhook has the texts only; a sync fetches the rest. */
function applyComponentsIn(
  tx: Tx,
  ctx: Ctx,
  row: TemplateRow,
  { account, value, atMs }: TemplateUpdate,
): void {
  requestSyncIn(tx, ctx, account)
  if (atMs < row.componentsAtMs || row.publishedComponents === null) return
  const published = sentComponentsOf(row).map((component) => withNewTexts(component, value))
  const components = row.hasLocalChanges ? componentsOf(row) : published
  const set: Partial<TemplateRow> = {
    componentsAtMs: atMs,
    publishedComponents: JSON.stringify(published),
    components: JSON.stringify(components),
    words: searchTextOf(row, components),
  }
  changeTemplateIn(tx, ctx, row, set, changedIn(row, set, { publishedComponents: 'components' }))
}

/** Returns the API names of the columns that change. */
const changedIn = (
  row: TemplateRow,
  set: Partial<TemplateRow>,
  names: Partial<Record<keyof TemplateRow, string>>,
): string[] =>
  (Object.keys(names) as (keyof TemplateRow)[]).flatMap((column) =>
    set[column] !== undefined && set[column] !== row[column] ? [names[column] ?? column] : [],
  )
