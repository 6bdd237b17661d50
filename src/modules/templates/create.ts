import { DAY_MS, isoTime } from '../../lib/clock'
import { AppError, ConflictError, InvalidError } from '../../lib/errors'
import type { Ctx } from '../../infra/ctx'
import { transact } from '../../infra/db/transact'
import { PlatformError } from '../../platform/client/errors'
import type { OutgoingFile } from '../../platform/client/upload'
import {
  componentOf,
  mediaFormatOf,
  type Component,
  type Header,
} from '../../platform/templates/components'
import { toWireComponents } from '../../platform/templates/wire-format'
import { businessCallOf } from '../accounts/platform-calls'
import { appIdOf } from '../accounts/profile/service'
import { isPassing, platformErrorOf } from '../accounts/platform-errors'
import type { AccountRow } from '../accounts/view'
import { recordAudit } from '../audit/record'
import { fileToHandOver } from '../media/prepare-to-send'
import { keepFilesIn } from './draft'
import { flowIdsOf } from './flow-ids'
import type { NewTemplate, TemplateView } from './model'
import { changeTemplateIn } from './change'
import { draftIn } from './insert-draft'
import { heardFrom, isSendable, templateOf, usageOf } from './state'
import { requestSync } from './request-sync'
import { callerFor, withLock } from './lock'
import { componentsOf, templateView, type TemplateRow } from './view'

/** States in which the platform lets a template be edited (platform documentation 4.1). */
const EDITABLE = new Set(['APPROVED', 'REINSTATED', 'FLAGGED', 'REJECTED', 'PAUSED'])
const EDITS = { perDay: 1, perMonth: 10 } as const
const MONTH_MS = 30 * DAY_MS

/**
 * Drafts a template; with `submit` it goes to the platform at once. Throws InvalidError
 * `invalid_input`, whose `errors` name everything that is wrong, ConflictError `template_exists`,
 * and what {@link publishTemplate} throws: then the draft stays, and `details` hold its id.
 */
export async function createTemplate(ctx: Ctx, input: NewTemplate): Promise<TemplateView> {
  const draft = transact(ctx.db, (tx) =>
    templateView(draftIn(tx, ctx, input), { sent: 0, lastSentAtMs: null }),
  )
  if (input.submit !== true) return draft
  try {
    return await publishTemplate(ctx, draft.id)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { httpStatus, message, code, errors, headers } = error
    throw new AppError(httpStatus, message, {
      code,
      headers,
      details: { ...error.details, template_id: draft.id },
      ...(errors === undefined ? {} : { errors }),
    })
  }
}

/**
 * Hands a template to the platform: a new one for its first review, a changed one for another.
 * Throws NotFoundError, InvalidError (`sample_missing`, `account_inactive`, `app_unknown`,
 * `platform_rejected` with the platform's sentence), ConflictError (`pending`, `edit_limit`,
 * `wrong_state`) and UnavailableError; then nothing has changed.
 */
export const publishTemplate = (ctx: Ctx, id: string): Promise<TemplateView> =>
  withLock(ctx, id, async () => {
    const row = templateOf(ctx, id)
    requirePublishable(ctx, row)
    const account = callerFor(ctx, row)
    const components = await withSamples(ctx, row, account)
    const answer = await handOver(ctx, row, account, components)
    return transact(ctx.db, (tx) => {
      const before = templateOf(ctx, id)
      const nowMs = ctx.clock.nowMs()
      // Edited while the platform was asked: what it has is what was handed over.
      const isAsHandedOver = before.components === row.components
      const after = changeTemplateIn(
        tx,
        ctx,
        before,
        {
          platformId: answer.id,
          status: answer.status,
          category: answer.category ?? before.category,
          publishedComponents: JSON.stringify(
            isAsHandedOver ? components : withHeaderFile(components, row.headerMediaId),
          ),
          ...(isAsHandedOver
            ? { components: JSON.stringify(components), hasLocalChanges: false }
            : {}),
          reason: null,
          recommendation: null,
          statusAtMs: heardFrom(nowMs),
          categoryAtMs: heardFrom(nowMs),
          syncedAtMs: nowMs,
          edits: JSON.stringify(
            isSendable(row) ? [...editsOf(ctx, row), nowMs] : editsOf(ctx, row),
          ),
        },
        ['status', 'platform_id', 'has_local_changes'],
      )
      keepFilesIn(tx, ctx, after, before)
      recordAudit(tx, ctx, {
        action: 'published',
        resourceType: 'template',
        resourceId: id,
        resourceName: row.name,
      })
      return templateView(after, usageOf(ctx, [id])(id))
    })
  })

/** The components with the file that the template had when they were handed over. */
const withHeaderFile = (components: readonly Component[], mediaId: string | null): Component[] =>
  components.map((component) =>
    mediaId !== null && component.type === 'HEADER' && mediaFormatOf(component) !== null
      ? ({ ...component, media_id: mediaId } as Header)
      : component,
  )

const editsOf = (ctx: Ctx, row: TemplateRow): number[] =>
  (JSON.parse(row.edits) as number[]).filter((atMs) => ctx.clock.nowMs() - atMs < MONTH_MS)

function requirePublishable(ctx: Ctx, row: TemplateRow): void {
  if (['PENDING', 'IN_APPEAL', 'PENDING_DELETION'].includes(row.status))
    throw new ConflictError(
      `The template is under review (${row.status}). Wait for the decision.`,
      { code: 'pending' },
    )
  if (row.platformId === null) return
  if (!EDITABLE.has(row.status))
    throw new ConflictError(
      `The platform does not accept changes of templates with status ${row.status}.`,
      {
        code: 'wrong_state',
      },
    )
  if (!row.hasLocalChanges && row.status !== 'REJECTED')
    throw new ConflictError('There are no changes to publish: the platform has the same version.', {
      code: 'wrong_state',
    })
  if (!isSendable(row)) return
  const edits = editsOf(ctx, row).toSorted((a, b) => a - b)
  const [oldest = 0] = edits.slice(-EDITS.perMonth)
  const lastMs = edits.at(-1) ?? 0
  const nextMs = Math.max(
    edits.length >= EDITS.perMonth ? oldest + MONTH_MS : 0,
    edits.length >= EDITS.perDay ? lastMs + DAY_MS : 0,
  )
  if (nextMs > ctx.clock.nowMs())
    throw new ConflictError(
      'Approved templates can be edited once per 24 hours and ten times per 30 days. Try ' +
        'again later; `details` has the time.',
      {
        code: 'edit_limit',
        details: { next_at: isoTime(nextMs) },
      },
    )
}

/**
 * The components with a sample in every header that carries a file; files of ours are handed over
 * for that.
 */
async function withSamples(ctx: Ctx, row: TemplateRow, account: AccountRow): Promise<Component[]> {
  const components = componentsOf(row)
  const missing = lackingIn(components, row.headerMediaId)
  if (missing.some(({ mediaId }) => mediaId === null))
    throw new InvalidError(
      'The header needs a sample file. Upload one with `POST /api/templates/upload-media`.',
      {
        code: 'sample_missing',
        errors: missing
          .filter(({ mediaId }) => mediaId === null)
          .map(({ path }) => ({ path, message: 'is required: upload a sample file' })),
      },
    )
  const handles = new Map<string, string>()
  for (const { mediaId } of missing)
    if (mediaId !== null && !handles.has(mediaId))
      handles.set(mediaId, await handSampleOver(ctx, account, mediaId))
  const filled = (header: Header, mediaId: string | null): Header => {
    const handle = mediaId === null ? undefined : handles.get(mediaId)
    return mediaFormatOf(header) === null || handle === undefined || !lacksSample(header)
      ? header
      : ({ ...header, example: { header_handle: [handle] } } as Header)
  }
  return components.map((component): Component => {
    if (component.type === 'HEADER')
      return filled(component, ownFileOf(component) ?? row.headerMediaId)
    if (component.type !== 'CAROUSEL') return component
    return {
      ...component,
      cards: component.cards.map((card) => ({
        components: card.components.map((part) =>
          part.type === 'HEADER' ? filled(part, ownFileOf(part)) : part,
        ),
      })),
    }
  })
}

const ownFileOf = (header: Header): string | null =>
  'media_id' in header ? (header.media_id ?? null) : null
const lacksSample = (header: Header): boolean =>
  mediaFormatOf(header) !== null &&
  ('example' in header
    ? ((header.example as { header_handle?: string[] }).header_handle?.length ?? 0)
    : 0) === 0

/** The headers without a sample, and the file of ours that can be one. */
function lackingIn(
  components: readonly Component[],
  headerMediaId: string | null,
): { path: string; mediaId: string | null }[] {
  const header = componentOf(components, 'HEADER')
  const own =
    header && lacksSample(header)
      ? [{ path: 'header_media_id', mediaId: ownFileOf(header) ?? headerMediaId }]
      : []
  const cards = (componentOf(components, 'CAROUSEL')?.cards ?? []).flatMap((card, index) => {
    const cardHeader = componentOf(card.components, 'HEADER')
    return cardHeader && lacksSample(cardHeader)
      ? [{ path: `components.cards.${index}.media_id`, mediaId: ownFileOf(cardHeader) }]
      : []
  })
  return [...own, ...cards]
}

async function handSampleOver(ctx: Ctx, account: AccountRow, mediaId: string): Promise<string> {
  const file = await fileToHandOver(ctx, mediaId)
  if (file === null)
    throw new InvalidError('The sample file of the header was deleted. Upload it again.', {
      code: 'sample_missing',
      details: { media_id: mediaId },
    })
  return await uploadSample(ctx, account, file)
}

/**
 * Hands a file to the platform as a sample; returns its handle. Throws as {@link publishTemplate}.
 */
export async function uploadSample(
  ctx: Ctx,
  account: AccountRow,
  file: OutgoingFile,
): Promise<string> {
  const appId = await appIdOf(ctx, account)
  const { apiVersion, accessToken } = businessCallOf(ctx, account)
  try {
    return await ctx.platform.uploadToApp({ apiVersion, accessToken, appId, file })
  } catch (error) {
    throw platformErrorOf(error, {
      rejected: 'The platform rejected the sample file of the header.',
    })
  }
}

interface HandedOver {
  id: string
  status: string
  category: string | null
}

async function handOver(
  ctx: Ctx,
  row: TemplateRow,
  account: AccountRow,
  components: readonly Component[],
): Promise<HandedOver> {
  const call = businessCallOf(ctx, account)
  const wire = toWireComponents(components, flowIdsOf(ctx, row.businessId))
  const ttl = row.messageSendTtlS === null ? {} : { message_send_ttl_seconds: row.messageSendTtlS }
  try {
    if (row.platformId === null)
      return await ctx.platform.createTemplate({
        ...call,
        template: {
          name: row.name,
          language: row.language,
          category: row.category,
          parameter_format: row.parameterFormat.toUpperCase(),
          allow_category_change: row.allowsCategoryChange,
          components: wire,
          ...ttl,
        },
      })
    const category = isSendable(row) ? {} : { category: row.category }
    const { apiVersion, accessToken } = call
    await ctx.platform.editTemplate({
      apiVersion,
      accessToken,
      templateId: row.platformId,
      changes: { ...category, components: wire, ...ttl },
    })
    return { id: row.platformId, status: 'PENDING', category: null }
  } catch (error) {
    // It may be there although nobody was told: then the next sync finds it.
    if (error instanceof PlatformError && (isPassing(error) || isKnownThere(error)))
      requestSync(ctx, account)
    throw platformErrorOf(error, { rejected: sentenceOf(error) })
  }
}

/** The platform has a template of this name and language already. */
const isKnownThere = (error: PlatformError): boolean => error.subcode === 2_388_024

/** What the platform says to people; its traces stay here. */
const sentenceOf = (error: unknown): string => {
  const said = error instanceof PlatformError ? (error.details ?? error.platformMessage) : null
  return said === null
    ? 'The platform rejected this template.'
    : `The platform rejected this template: ${said}`
}
