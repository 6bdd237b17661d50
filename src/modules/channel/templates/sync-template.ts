import { ne } from 'drizzle-orm'

import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { of } from '../../../infra/scoped'
import type { Component } from '../../../platform/templates/components'
import type { PlatformTemplate } from '../../../platform/client/templates'
import { withStoredFiles, type FlowIds } from '../../../platform/templates/wire-format'
import { normalizeForComparison } from '../../../platform/templates/comparable'
import { readComponents } from '../../../platform/templates/read-components'
import type { AccountRow } from '../accounts/view'
import { updateFileReferencesIn } from './files'
import { searchTextOf } from './draft'
import { emitTemplateChangedIn, changeTemplateIn } from './change'
import { minEventTimeMs } from './status'
import { languageKeyOf } from './queries'
import { templates } from './table'
import { componentsOf, type TemplateRow } from './view'

interface SyncedTemplate {
  account: AccountRow
  template: PlatformTemplate
  flows: FlowIds
  /** When the list was requested. */
  sinceMs: number
}

/** Stores one template of the platform's list. Local drafts and local changes are kept. */
export function applyPlatformTemplateIn(
  tx: Tx,
  ctx: Ctx,
  listed: SyncedTemplate,
): 'new' | 'updated' | 'unchanged' {
  const { account, template, flows, sinceMs } = listed
  const known = knownAs(ctx, account.businessId, template)
  const theirs = readComponents(template.components, template.category, flows)
  if (!known) {
    insertIn(tx, ctx, listed, theirs)
    return 'new'
  }
  // The row is newer than the list.
  if ((known.syncedAtMs ?? 0) > sinceMs) return 'unchanged'
  const set: Partial<TemplateRow> = {
    ...mergeComponents(known, theirs, flows),
    ...newerFacts(known, template, sinceMs),
  }
  const changed = (Object.keys(set) as (keyof TemplateRow)[]).filter(
    (column) => set[column] !== known[column],
  )
  const names = [
    ...new Set(changed.map((column) => WIRE_NAMES[column]).filter((name) => name !== undefined)),
  ]
  const floor = minEventTimeMs(sinceMs)
  const heard = {
    statusAtMs: Math.max(known.statusAtMs, floor),
    qualityAtMs: Math.max(known.qualityAtMs, floor),
    categoryAtMs: Math.max(known.categoryAtMs, floor),
  }
  const row = changeTemplateIn(
    tx,
    ctx,
    known,
    { ...set, ...heard, syncedAtMs: ctx.clock.nowMs() },
    names,
  )
  if (changed.includes('components') || changed.includes('publishedComponents'))
    updateFileReferencesIn(tx, ctx, row, known)
  return names.length > 0 ? 'updated' : 'unchanged'
}

/** Names of the columns in events and log; the others are internal. */
const WIRE_NAMES: Partial<Record<keyof TemplateRow, string>> = {
  platformId: 'platform_id',
  status: 'status',
  category: 'category',
  quality: 'quality',
  reason: 'reason',
  components: 'components',
  publishedComponents: 'components',
  hasLocalChanges: 'has_local_changes',
}

/**
 * Returns the row of a platform template: by ID, otherwise by name and language if the row has no
 * platform ID, for example a draft whose submission was interrupted.
 */
function knownAs(ctx: Ctx, businessId: string, template: PlatformTemplate): TemplateRow | null {
  const { id: platformId, name, language } = template
  const isThere = ne(templates.status, 'DELETED')
  return (
    of(ctx, templates).find({ businessId, platformId }, isThere) ??
    of(ctx, templates).find({ businessId, name, languageKey: languageKeyOf(language) }, isThere)
  )
}

function insertIn(
  tx: Tx,
  ctx: Ctx,
  { account, template, sinceMs }: SyncedTemplate,
  theirs: Component[],
): void {
  const nowMs = ctx.clock.nowMs()
  const components = JSON.stringify(theirs)
  const names = { name: template.name, displayName: template.name }
  const row = tx
    .insert(templates)
    .values({
      organizationId: ctx.organizationId,
      id: ctx.ids.next(),
      accountId: account.id,
      businessId: account.businessId,
      platformId: template.id,
      ...names,
      language: template.language,
      languageKey: languageKeyOf(template.language),
      category: template.category,
      status: template.status,
      quality: template.quality,
      reason: template.reason,
      parameterFormat: template.parameterFormat,
      components,
      publishedComponents: components,
      words: searchTextOf(names, theirs),
      statusAtMs: minEventTimeMs(sinceMs),
      syncedAtMs: nowMs,
      createdBy: null,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    })
    .returning({ id: templates.id })
    .get()
  emitTemplateChangedIn(tx, ctx, row.id, ['created'])
}

/**
 * Returns the component columns after a sync: the platform version with the stored files. Local
 * changes are kept.
 */
function mergeComponents(
  known: TemplateRow,
  theirs: Component[],
  flows: FlowIds,
): Partial<TemplateRow> {
  const ours =
    known.publishedComponents === null
      ? componentsOf(known)
      : (JSON.parse(known.publishedComponents) as Component[])
  const isSame = (a: readonly Component[], b: readonly Component[]): boolean =>
    Bun.deepEquals(
      normalizeForComparison(a, known.category, flows),
      normalizeForComparison(b, known.category, flows),
    )
  if (isSame(ours, theirs)) {
    // The platform writes the texts of authentication templates; all other components stay as
    // written.
    const published = known.category === 'AUTHENTICATION' ? withOurButtons(theirs, ours) : ours
    return { publishedComponents: JSON.stringify(published) }
  }
  const published = JSON.stringify(withStoredFiles(theirs, ours))
  const isWorkedOn = known.hasLocalChanges || known.platformId === null
  return isWorkedOn
    ? { publishedComponents: published, hasLocalChanges: true }
    : { publishedComponents: published, components: published, words: searchTextOf(known, theirs) }
}

const withOurButtons = (theirs: readonly Component[], ours: readonly Component[]): Component[] =>
  theirs.map((component) =>
    component.type === 'BUTTONS'
      ? (ours.find(({ type }) => type === 'BUTTONS') ?? component)
      : component,
  )

/**
 * Returns status, category and quality after a sync, except for values that a webhook updated after
 * the list was requested.
 */
function newerFacts(
  known: TemplateRow,
  template: PlatformTemplate,
  sinceMs: number,
): Partial<TemplateRow> {
  return {
    platformId: template.id,
    parameterFormat: known.hasLocalChanges ? known.parameterFormat : template.parameterFormat,
    ...(known.statusAtMs > sinceMs ? {} : { status: template.status, reason: template.reason }),
    ...(known.categoryAtMs > sinceMs
      ? {}
      : { category: template.category, ...clearedAnnouncement(known, template.category) }),
    ...(known.qualityAtMs > sinceMs ? {} : { quality: template.quality }),
  }
}

const clearedAnnouncement = (known: TemplateRow, category: string): Partial<TemplateRow> =>
  known.announcedCategory === category
    ? { announcedCategory: null, announcedCategoryAtMs: null }
    : {}
