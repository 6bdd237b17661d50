import { and, eq, inArray, isNull } from 'drizzle-orm'

import { fieldSentence, ConflictError, InvalidError, type FieldProblem } from '../../lib/errors'
import { inOrganization, type Ctx } from '../../infra/ctx'
import { transact, type Tx } from '../../infra/db/transact'
import { PlatformError } from '../../platform/client/errors'
import { isObject } from '../../platform/lenient-json'
import {
  componentOf,
  parameterFormatOf,
  mediaFormatOf,
  type Component,
  type Header,
} from '../../platform/templates/components'
import { businessCallOf } from '../accounts/platform-calls'
import { platformErrorOf } from '../accounts/platform-errors'
import { differences, recordAudit } from '../audit/record'
import { campaigns } from '../campaigns/table'
import { keepFilesIn, readDraft, wordsOf, type Drafted } from './draft'
import type { TemplateChanges, TemplateCopy, TemplateView } from './model'
import { changeTemplateIn } from './change'
import { insertDraftIn } from './insert-draft'
import { isSendable, languageKeyOf, templateOf, usageOf } from './state'
import { templates } from './table'
import { callerFor, withLock } from './lock'
import {
  componentsOf,
  sentComponentsOf,
  sentFormatOf,
  sentHeaderFileOf,
  templateView,
  type TemplateRow,
} from './view'

/**
 * Changes a template here; the platform hears of it when it is published, and until then what it
 * has is sent. Throws NotFoundError, InvalidError, and ConflictError `pending` while the platform
 * decides about it.
 */
export function updateTemplate(ctx: Ctx, id: string, changes: TemplateChanges): TemplateView {
  return transact(ctx.db, (tx) => {
    const before = templateOf(ctx, id)
    refuseRenaming(before, changes)
    if (['PENDING', 'IN_APPEAL', 'PENDING_DELETION'].includes(before.status))
      throw new ConflictError(
        `The template is under review (${before.status}). Wait for the decision.`,
        { code: 'pending' },
      )
    const draft = readDraft(
      ctx,
      {
        category: changes.category ?? before.category,
        components: changes.components ?? componentsOf(before),
        samples: changes.sample_values ?? [],
        format: undefined,
        ttlS:
          changes.message_send_ttl_seconds === undefined
            ? before.messageSendTtlS
            : changes.message_send_ttl_seconds,
        headerMediaId:
          changes.header_media_id === undefined
            ? headerFileFor(before, changes)
            : changes.header_media_id,
      },
      null,
    )
    refuseOtherFormat(before, draft)
    if (isSendable(before) && draft.category !== before.category)
      throw invalid([
        { path: 'body.category', message: 'cannot be changed while the template is approved' },
      ])
    const names = {
      name: before.name,
      displayName: changes.display_name?.trim() ?? before.displayName,
    }
    const row = changeTemplateIn(
      tx,
      ctx,
      before,
      {
        ...names,
        category: draft.category,
        components: JSON.stringify(draft.components),
        parameterFormat: draft.format,
        messageSendTtlS: draft.ttlS,
        headerMediaId: draft.headerMediaId,
        ...withSentHeaderFile(before, draft.components),
        hasLocalChanges: before.hasLocalChanges || concernsPlatform(changes),
        words: wordsOf(names, draft.components),
      },
      Object.keys(changes),
    )
    keepFilesIn(tx, ctx, row, before)
    const usage = usageOf(ctx, [id])(id)
    const [was, is] = [templateView(before, usage), templateView(row, usage)]
    recordAudit(tx, ctx, {
      action: 'updated',
      resourceType: 'template',
      resourceId: id,
      resourceName: row.name,
      changes: differences({ ...was }, { ...is }),
    })
    return is
  })
}

const invalid = (errors: FieldProblem[]): InvalidError =>
  new InvalidError(fieldSentence(errors[0]?.path, errors[0]?.message), {
    code: 'invalid_input',
    errors,
  })

/** What people call a template here is nothing to publish. */
const concernsPlatform = (changes: TemplateChanges): boolean =>
  Object.keys(changes).some(
    (field) => field !== 'display_name' && field !== 'name' && field !== 'language',
  )

/**
 * The platform takes other components of a template it has, and no other way of writing its
 * variables (platform documentation 4.1).
 */
function refuseOtherFormat(row: TemplateRow, draft: Drafted): void {
  const written = parameterFormatOf(draft.components)
  const theirs = sentFormatOf(row)
  if (row.platformId === null || written === null || written === theirs) return
  const [has, other] =
    theirs === 'named' ? ['named variables', 'numbered'] : ['numbered variables', 'named']
  throw invalid([
    {
      path: 'body.components',
      message:
        `must stay with ${has} because the platform has the template like that; duplicate it ` +
        `to use ${other}`,
    },
  ])
}

/** The file of a header whose kind came back: the one that was sent meanwhile. */
function headerFileFor(before: TemplateRow, { components }: TemplateChanges): string | null {
  if (
    before.headerMediaId !== null ||
    components === undefined ||
    before.publishedComponents === null
  )
    return before.headerMediaId
  const written = components
    .filter(isObject)
    .find(({ type }) => String(type).toUpperCase() === 'HEADER')
  const format = String(written?.['format']).toUpperCase()
  return mediaFormatOf(componentOf(sentComponentsOf(before), 'HEADER')) === format
    ? sentHeaderFileOf(before)
    : null
}

/**
 * What the platform has keeps its file while people work on a header of another kind, and takes it
 * from the template again afterwards.
 */
function withSentHeaderFile(
  before: TemplateRow,
  components: readonly Component[],
): Partial<TemplateRow> {
  if (before.publishedComponents === null) return {}
  const mediaId = sentHeaderFileOf(before)
  const isSameKind = (header: Header): boolean =>
    mediaFormatOf(header) === mediaFormatOf(componentOf(components, 'HEADER'))
  const published = sentComponentsOf(before).map((component): Component => {
    if (component.type !== 'HEADER' || mediaFormatOf(component) === null) return component
    const { media_id: _former, ...bare } = component as Header & { media_id?: string }
    return (
      mediaId === null || isSameKind(component) ? bare : { ...bare, media_id: mediaId }
    ) as Header
  })
  return { publishedComponents: JSON.stringify(published) }
}

/** Name and language are what the platform knows a template by: another one is another template. */
function refuseRenaming(row: TemplateRow, { name, language }: TemplateChanges): void {
  const message = 'cannot be changed; duplicate the template instead'
  const problems = [
    ...(name !== undefined && name !== row.name ? [{ path: 'body.name', message }] : []),
    ...(language !== undefined && languageKeyOf(language) !== row.languageKey
      ? [{ path: 'body.language', message }]
      : []),
  ]
  if (problems.length > 0) throw invalid(problems)
}

/**
 * Drafts a template from another one, under another name or in another language or account. Throws
 * NotFoundError, InvalidError and ConflictError `template_exists`.
 */
export function duplicateTemplate(ctx: Ctx, id: string, copy: TemplateCopy): TemplateView {
  return transact(ctx.db, (tx) => {
    const source = templateOf(ctx, id)
    const draft = readDraft(
      ctx,
      {
        category: source.category,
        components: componentsOf(source),
        samples: [],
        format: source.parameterFormat,
        ttlS: source.messageSendTtlS,
        headerMediaId: source.headerMediaId,
      },
      {
        name: copy.name,
        language: copy.language ?? source.language,
        accountId: copy.account_id ?? source.accountId,
      },
    )
    if (draft.account === null) throw new TypeError('valid template draft without an account')
    const row = insertDraftIn(tx, ctx, draft, {
      accountId: draft.account.id,
      businessId: draft.account.businessId,
      name: draft.name,
      language: draft.language,
      displayName: copy.name.trim(),
      allowsCategoryChange: source.allowsCategoryChange,
    })
    return templateView(row, { sent: 0, lastSentAtMs: null })
  })
}

/** How a template is deleted. */
export interface Deletion {
  /** Every language of its name. */
  isAllLanguages: boolean
  /** Here only; the next sync brings back what the platform still has. */
  isLocalOnly: boolean
}

/**
 * Deletes a template, at the platform first. Throws NotFoundError, ConflictError (`in_use` by a
 * campaign that is scheduled or running, `pending`), InvalidError (`platform_rejected`,
 * `account_inactive`) and UnavailableError.
 */
export const deleteTemplate = (ctx: Ctx, id: string, deletion: Deletion): Promise<void> =>
  withLock(ctx, id, async () => {
    const row = templateOf(ctx, id)
    const meant = deletion.isAllLanguages ? languagesOf(ctx, row) : [row]
    refuseInUse(ctx, meant)
    const isThere = meant.some(
      ({ platformId, status }) => platformId !== null && status !== 'DELETED',
    )
    if (isThere && !deletion.isLocalOnly) await deleteThere(ctx, row, deletion.isAllLanguages)
    transact(ctx.db, (tx) => {
      for (const each of meant) deleteHereIn(tx, ctx, each)
    })
  })

const languagesOf = (ctx: Ctx, row: TemplateRow): TemplateRow[] =>
  ctx.db.orm
    .select()
    .from(templates)
    .where(
      inOrganization(
        ctx,
        templates,
        and(
          eq(templates.businessId, row.businessId),
          eq(templates.name, row.name),
          isNull(templates.deletedAtMs),
        ),
      ),
    )
    .all()

function refuseInUse(ctx: Ctx, rows: readonly TemplateRow[]): void {
  const user = ctx.db.orm
    .select({ id: campaigns.id, name: campaigns.name })
    .from(campaigns)
    .where(
      inOrganization(
        ctx,
        campaigns,
        and(
          inArray(
            campaigns.templateId,
            rows.map(({ id }) => id),
          ),
          inArray(campaigns.status, ['scheduled', 'sending', 'paused']),
        ),
      ),
    )
    .limit(1)
    .get()
  if (user)
    throw new ConflictError(`Campaign "${user.name}" uses this template.`, {
      code: 'in_use',
      details: { campaign_id: user.id },
    })
}

async function deleteThere(ctx: Ctx, row: TemplateRow, isAllLanguages: boolean): Promise<void> {
  try {
    const call = businessCallOf(ctx, callerFor(ctx, row))
    await ctx.platform.deleteTemplate({
      ...call,
      name: row.name,
      templateId: isAllLanguages ? null : row.platformId,
    })
  } catch (error) {
    // it is gone already
    if (error instanceof PlatformError && (error.httpStatus === 404 || error.subcode === 33)) return
    const said = error instanceof PlatformError ? (error.details ?? error.platformMessage) : null
    throw platformErrorOf(error, {
      rejected: `The platform rejected the deletion of this template${said === null ? '.' : `: ${said}`}`,
    })
  }
}

function deleteHereIn(tx: Tx, ctx: Ctx, row: TemplateRow): void {
  const nowMs = ctx.clock.nowMs()
  const after = changeTemplateIn(
    tx,
    ctx,
    row,
    {
      status: 'DELETED',
      headerMediaId: null,
      components: '[]',
      deletedAtMs: nowMs,
      syncedAtMs: nowMs,
    },
    ['status'],
  )
  keepFilesIn(tx, ctx, after, row)
  recordAudit(tx, ctx, {
    action: 'deleted',
    resourceType: 'template',
    resourceId: row.id,
    resourceName: row.name,
  })
}
