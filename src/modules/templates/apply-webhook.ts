import { and, eq, isNull, ne, type SQL } from 'drizzle-orm'

import { DAY_MS } from '../../lib/clock'
import { inOrganization, type Ctx } from '../../infra/ctx'
import type { Tx } from '../../infra/db/transact'
import {
  isObject,
  listOf,
  objectOf,
  textOf,
  wordOf,
  type JsonObject,
} from '../../platform/lenient-json'
import type { Button, Component } from '../../platform/templates/components'
import type { AccountRow } from '../accounts/view'
import { wordsOf } from './draft'
import { changeTemplateIn } from './change'
import { languageKeyOf } from './state'
import { requestSyncIn } from './request-sync'
import { templates } from './table'
import { componentsOf, sentComponentsOf, type TemplateRow } from './view'

/** The subscriptions whose changes are news about templates. */
const FOLLOWED: Readonly<Record<string, (tx: Tx, ctx: Ctx, row: TemplateRow, news: News) => void>> =
  {
    message_template_status_update: followStatusIn,
    message_template_quality_update: followQualityIn,
    template_category_update: followCategoryIn,
    message_template_components_update: followComponentsIn,
  }

/** Whether a subscription is about templates. */
export const isTemplateField = (field: string): boolean => Object.hasOwn(FOLLOWED, field)

/** What the platform tells, about which account, and when it says it was. */
interface News {
  account: AccountRow
  value: JsonObject
  atMs: number
}

/**
 * A change of the category that is announced takes effect a day later (platform documentation
 * 1.12).
 */
const NOTICE_MS = DAY_MS

/**
 * Follows news of the platform about a template, in the caller's transaction (inbound contract 9):
 * its state, quality, category and components. What is older than what is known changes nothing. A
 * template nobody knows here is fetched. Answers whether the news name one.
 */
export function applyTemplateWebhookIn(
  tx: Tx,
  ctx: Ctx,
  account: AccountRow,
  told: { field: string; value: unknown; atMs: number },
): boolean {
  const value = objectOf(told.value)
  const platformId = wordOf(value.message_template_id)
  const name = wordOf(value.message_template_name)
  if (platformId === null && name === null) return false
  const row = knownAs(tx, ctx, account, {
    platformId,
    name,
    language: wordOf(value.message_template_language),
  })
  if (!row) {
    if (!/^(?:PENDING_)?(?:DELETED|DELETION)$/.test(wordOf(value.event)?.toUpperCase() ?? ''))
      requestSyncIn(tx, ctx, account)
    return true
  }
  FOLLOWED[told.field]?.(tx, ctx, row, { account, value, atMs: told.atMs })
  return true
}

function knownAs(
  tx: Tx,
  ctx: Ctx,
  { businessId }: AccountRow,
  named: { platformId: string | null; name: string | null; language: string | null },
): TemplateRow | undefined {
  const find = (condition: SQL | undefined): TemplateRow | undefined =>
    tx
      .select()
      .from(templates)
      .where(
        inOrganization(
          ctx,
          templates,
          and(eq(templates.businessId, businessId), ne(templates.status, 'DELETED'), condition),
        ),
      )
      .get()
  const byId =
    named.platformId === null ? undefined : find(eq(templates.platformId, named.platformId))
  if (byId || named.name === null || named.language === null) return byId
  // Only a row that has no id yet: another id is another template.
  const isItself = named.platformId === null ? undefined : isNull(templates.platformId)
  return find(
    and(
      eq(templates.name, named.name),
      eq(templates.languageKey, languageKeyOf(named.language)),
      isItself,
    ),
  )
}

function followStatusIn(tx: Tx, ctx: Ctx, row: TemplateRow, { value, atMs }: News): void {
  const event = wordOf(value.event)?.toUpperCase()
  if (event === undefined || atMs < row.statusAtMs) return
  const isBack =
    event === 'UNARCHIVED' || wordOf(objectOf(value.other_info).title)?.toUpperCase() === 'UNPAUSE'
  const status = isBack ? 'APPROVED' : event
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
    // One that nobody handed in by this server is what the platform has.
    publishedComponents: row.publishedComponents ?? row.components,
    ...(category === undefined || atMs < row.categoryAtMs ? {} : { category, categoryAtMs: atMs }),
  }
  changeTemplateIn(
    tx,
    ctx,
    row,
    set,
    changedIn(row, set, { status: 'status', reason: 'reason', category: 'category' }),
  )
}

function followQualityIn(tx: Tx, ctx: Ctx, row: TemplateRow, { value, atMs }: News): void {
  const quality = wordOf(value.new_quality_score)?.toUpperCase()
  if (quality === undefined || atMs < row.qualityAtMs) return
  const set = { quality, qualityAtMs: atMs }
  changeTemplateIn(tx, ctx, row, set, changedIn(row, set, { quality: 'quality' }))
}

/**
 * Done: what it was and is now. To come: what it will be stands in `correct_category`, and
 * `new_category` is what it still is.
 */
function followCategoryIn(
  tx: Tx,
  ctx: Ctx,
  row: TemplateRow,
  { account, value, atMs }: News,
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
      ? { announcedCategory: null, announcedAtMs: null }
      : { announcedCategory: next, announcedAtMs: atMs + NOTICE_MS }),
  }
  changeTemplateIn(
    tx,
    ctx,
    row,
    set,
    changedIn(row, set, { category: 'category', announcedCategory: 'announced_category' }),
  )
}

/** The texts are told, examples and the rest are not: those are fetched. */
function followComponentsIn(
  tx: Tx,
  ctx: Ctx,
  row: TemplateRow,
  { account, value, atMs }: News,
): void {
  requestSyncIn(tx, ctx, account)
  if (atMs < row.componentsAtMs || row.publishedComponents === null) return
  const published = sentComponentsOf(row).map((component) => retold(component, value))
  const components = row.hasLocalChanges ? componentsOf(row) : published
  const set: Partial<TemplateRow> = {
    componentsAtMs: atMs,
    publishedComponents: JSON.stringify(published),
    components: JSON.stringify(components),
    words: wordsOf(row, components),
  }
  changeTemplateIn(tx, ctx, row, set, changedIn(row, set, { publishedComponents: 'components' }))
}

function retold(component: Component, value: JsonObject): Component {
  switch (component.type) {
    case 'HEADER': {
      const text = textOf(value.message_template_title)
      return component.format === 'TEXT' && text !== null ? { ...component, text } : component
    }
    case 'BODY': {
      const text = textOf(value.message_template_element)
      return text === null ? component : { ...component, text }
    }
    case 'FOOTER': {
      const text = textOf(value.message_template_footer)
      return text === null ? component : { ...component, text }
    }
    case 'BUTTONS': {
      const told = listOf(value.message_template_buttons).filter(isObject)
      return told.length === component.buttons.length
        ? {
            ...component,
            buttons: component.buttons.map((button, index) =>
              retoldButton(button, told[index] ?? {}),
            ),
          }
        : component
    }
    default:
      return component
  }
}

function retoldButton(button: Button, told: JsonObject): Button {
  const [text, url] = [
    textOf(told.message_template_button_text),
    textOf(told.message_template_button_url),
  ]
  return {
    ...button,
    ...(text === null ? {} : { text }),
    ...(url === null || button.type !== 'URL' ? {} : { url }),
  }
}

/** The names of what differs. */
const changedIn = (
  row: TemplateRow,
  set: Partial<TemplateRow>,
  names: Partial<Record<keyof TemplateRow, string>>,
): string[] =>
  (Object.keys(names) as (keyof TemplateRow)[]).flatMap((column) =>
    set[column] !== undefined && set[column] !== row[column] ? [names[column] ?? column] : [],
  )
