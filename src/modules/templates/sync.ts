import { and, eq, isNotNull, isNull, ne } from 'drizzle-orm'

import { acrossOrganizations, inOrganization, type Ctx, type Deps } from '../../infra/ctx'
import { transact, type Tx } from '../../infra/db/transact'
import { PlatformError } from '../../platform/client/errors'
import type { Component } from '../../platform/templates/components'
import type { PlatformTemplate } from '../../platform/client/templates'
import { withStoredFiles, type FlowIds } from '../../platform/templates/wire-format'
import { normalizeForComparison } from '../../platform/templates/comparable'
import { readComponents } from '../../platform/templates/read-components'
import { businessCallOf } from '../accounts/platform-calls'
import { notifyAboutAccountIn } from '../accounts/notify'
import { platformErrorOf } from '../accounts/platform-errors'
import { getAccount } from '../accounts/service'
import { findAccount, liveAccounts } from '../accounts/queries'
import { accounts } from '../accounts/table'
import {
  noteTemplateSyncBegunIn,
  noteTemplateSyncIn,
  templateSyncOf,
} from '../accounts/template-sync'
import type { AccountRow } from '../accounts/view'
import { recordAudit } from '../audit/record'
import { keepFilesIn, wordsOf } from './draft'
import { flowIdsOf } from './flow-ids'
import type { TemplateSyncResult } from './model'
import { publishTemplateIn, changeTemplateIn } from './change'
import { heardFrom, languageKeyOf } from './state'
import { templates } from './table'
import { componentsOf, type TemplateRow } from './view'
import { yieldToEventLoop } from '../../infra/event-loop'

type Counts = Pick<TemplateSyncResult, 'synced' | 'new' | 'updated' | 'removed' | 'unchanged'>

const NOTHING: Counts = { synced: 0, new: 0, updated: 0, removed: 0, unchanged: 0 }
const COUNTED = ['synced', 'new', 'updated', 'removed', 'unchanged'] as const

/** Templates written in one transaction. */
const AT_ONCE = 25

/**
 * Fetches the templates of a number's business account, or of those of every active number: every
 * page, each business account once (templates contract A, rule 6). Throws NotFoundError; when
 * nothing could be fetched at all, InvalidError `platform_rejected` or UnavailableError.
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
  const result: TemplateSyncResult = { ...NOTHING, accounts: [] }
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

/** The business accounts with an active number, of every organization. */
export function businessesToSync(
  deps: Pick<Deps, 'db'>,
): { organizationId: string; businessId: string }[] {
  return deps.db.orm
    .selectDistinct({ organizationId: accounts.organizationId, businessId: accounts.businessId })
    .from(accounts)
    .where(
      acrossOrganizations(
        'the hourly sync goes through all business accounts',
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
 * Fetches the templates of one business account. How it went is kept on its numbers; a failure is
 * told once. Throws PlatformError.
 */
export async function syncBusiness(ctx: Ctx, businessId: string): Promise<Counts> {
  const numbers = liveAccounts(ctx).filter(
    (account) => account.businessId === businessId && account.accessTokenSealed !== null,
  )
  const [account] = numbers.toSorted(
    (a, b) => Number(b.status === 'active') - Number(a.status === 'active'),
  )
  if (!account) return NOTHING
  const sinceMs = ctx.clock.nowMs()
  transact(ctx.db, (tx) => {
    for (const row of numbers) noteTemplateSyncBegunIn(tx, ctx, row)
  })
  try {
    const { templates: told, isComplete: isWhole } = await ctx.platform.listTemplates(
      businessCallOf(ctx, account),
    )
    const counts = await takeAll(ctx, account, told, sinceMs)
    if (isWhole)
      counts.removed = transact(ctx.db, (tx) =>
        missIn(tx, ctx, { businessId, sinceMs, told: new Set(told.map(({ id }) => id)) }),
      )
    transact(ctx.db, (tx) => {
      for (const row of readAgain(ctx, numbers))
        noteTemplateSyncIn(tx, ctx, row, { ...counts, error: null })
    })
    return counts
  } catch (error) {
    if (error instanceof PlatformError)
      transact(ctx.db, (tx) => noteFailureIn(tx, ctx, numbers, error))
    throw error
  }
}

/** The platform's code for a token that is no longer good. */
const REFUSED_TOKEN = 190

function noteFailureIn(
  tx: Tx,
  ctx: Ctx,
  numbers: readonly AccountRow[],
  error: PlatformError,
): void {
  const [first] = numbers
  const isKnown = first !== undefined && templateSyncOf(first).error !== null
  for (const row of readAgain(ctx, numbers))
    noteTemplateSyncIn(tx, ctx, row, { error: error.message })
  // Of a token that is refused the number itself tells (`accounts/incidents.ts`).
  if (first && !isKnown && error.platformCode !== REFUSED_TOKEN)
    notifyAboutAccountIn(tx, ctx, first, {
      kind: 'template_notice',
      severity: 'warning',
      title: 'Template sync failed',
      body: `The platform did not return the templates. ${error.message}`,
    })
}

const readAgain = (ctx: Ctx, rows: readonly AccountRow[]): AccountRow[] =>
  rows.map(({ id }) => findAccount(ctx, id)).filter((row) => row !== null)

async function takeAll(
  ctx: Ctx,
  account: AccountRow,
  told: readonly PlatformTemplate[],
  sinceMs: number,
): Promise<Counts> {
  const counts = { ...NOTHING, synced: told.length }
  const flows = flowIdsOf(ctx, account.businessId)
  for (let from = 0; from < told.length; from += AT_ONCE) {
    transact(ctx.db, (tx) => {
      for (const template of told.slice(from, from + AT_ONCE))
        counts[takeIn(tx, ctx, { account, template, flows, sinceMs })] += 1
    })
    await yieldToEventLoop()
  }
  return counts
}

interface Told {
  account: AccountRow
  template: PlatformTemplate
  flows: FlowIds
  /** When the platform was asked. */
  sinceMs: number
}

/**
 * Brings a row in line with what the platform tells; what is only here and what was changed here
 * stays.
 */
function takeIn(tx: Tx, ctx: Ctx, told: Told): 'new' | 'updated' | 'unchanged' {
  const { account, template, flows, sinceMs } = told
  const known = knownAs(tx, ctx, account.businessId, template)
  const theirs = readComponents(template.components, template.category, flows)
  if (!known) {
    insertIn(tx, ctx, told, theirs)
    return 'new'
  }
  // Published, changed or fetched since the platform was asked: what it told then is old.
  if ((known.syncedAtMs ?? 0) > sinceMs) return 'unchanged'
  const set: Partial<TemplateRow> = {
    ...componentsNow(known, theirs, flows),
    ...factsNow(known, template, sinceMs),
  }
  const changed = (Object.keys(set) as (keyof TemplateRow)[]).filter(
    (column) => set[column] !== known[column],
  )
  const names = [
    ...new Set(changed.map((column) => WIRE_NAMES[column]).filter((name) => name !== undefined)),
  ]
  const floor = heardFrom(sinceMs)
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
    keepFilesIn(tx, ctx, row, known)
  return names.length > 0 ? 'updated' : 'unchanged'
}

/** What frames and the log call the columns; the others are nobody's business. */
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
 * The row of a template of the platform's: by its id, else the one of its name and language that
 * has none yet, such as a draft that was handed in while the process died.
 */
function knownAs(
  tx: Tx,
  ctx: Ctx,
  businessId: string,
  template: PlatformTemplate,
): TemplateRow | undefined {
  const live = and(eq(templates.businessId, businessId), ne(templates.status, 'DELETED'))
  const find = (condition: Parameters<typeof and>[0]) =>
    tx
      .select()
      .from(templates)
      .where(inOrganization(ctx, templates, and(live, condition)))
      .get()
  return (
    find(eq(templates.platformId, template.id)) ??
    find(
      and(
        eq(templates.name, template.name),
        eq(templates.languageKey, languageKeyOf(template.language)),
      ),
    )
  )
}

function insertIn(
  tx: Tx,
  ctx: Ctx,
  { account, template, sinceMs }: Told,
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
      words: wordsOf(names, theirs),
      statusAtMs: heardFrom(sinceMs),
      syncedAtMs: nowMs,
      createdBy: null,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    })
    .returning({ id: templates.id })
    .get()
  publishTemplateIn(tx, ctx, row.id, ['created'])
}

/**
 * The components after a sync: what the platform has, with our files; what people are working on
 * stays.
 */
function componentsNow(
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
    // The platform's own words of one-time codes are learned, everything else stays as it was
    // written.
    const published = known.category === 'AUTHENTICATION' ? withOurButtons(theirs, ours) : ours
    return { publishedComponents: JSON.stringify(published) }
  }
  const published = JSON.stringify(withStoredFiles(theirs, ours))
  const isWorkedOn = known.hasLocalChanges || known.platformId === null
  return isWorkedOn
    ? { publishedComponents: published, hasLocalChanges: true }
    : { publishedComponents: published, components: published, words: wordsOf(known, theirs) }
}

const withOurButtons = (theirs: readonly Component[], ours: readonly Component[]): Component[] =>
  theirs.map((component) =>
    component.type === 'BUTTONS'
      ? (ours.find(({ type }) => type === 'BUTTONS') ?? component)
      : component,
  )

/**
 * State, category and quality after a sync; what news said since the platform was asked is newer.
 */
function factsNow(
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
      : { category: template.category, ...announcedAfter(known, template.category) }),
    ...(known.qualityAtMs > sinceMs ? {} : { quality: template.quality }),
  }
}

const announcedAfter = (known: TemplateRow, category: string): Partial<TemplateRow> =>
  known.announcedCategory === category ? { announcedCategory: null, announcedAtMs: null } : {}

/**
 * Templates the platform no longer has: they are kept, and cannot be sent. One that was handed in
 * since it was asked is not missed.
 */
function missIn(
  tx: Tx,
  ctx: Ctx,
  at: { businessId: string; sinceMs: number; told: ReadonlySet<string> },
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
      ({ platformId, syncedAtMs }) =>
        !at.told.has(platformId ?? '') && (syncedAtMs ?? 0) <= at.sinceMs,
    )
  for (const row of gone)
    changeTemplateIn(
      tx,
      ctx,
      row,
      { status: 'DELETED', statusAtMs: heardFrom(at.sinceMs), syncedAtMs: ctx.clock.nowMs() },
      ['status'],
    )
  return gone.length
}
