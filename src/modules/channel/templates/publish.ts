import { DAY_MS, isoTime } from '../../../lib/clock'
import { ConflictError } from '../../../lib/errors'
import type { Ctx } from '../../../infra/ctx'
import { transact } from '../../../infra/db/transact'
import { PlatformError } from '../../../platform/client/errors'
import { mediaFormatOf, type Component, type Header } from '../../../platform/templates/components'
import { toWireComponents } from '../../../platform/templates/wire-format'
import { businessCallOf } from '../accounts/platform-calls'
import { isTemporary, platformErrorOf } from '../accounts/platform-errors'
import type { AccountRow } from '../accounts/view'
import { recordAudit } from '../../organization/audit/record'
import { updateFileReferencesIn } from './files'
import { flowIdsOf } from './flow-ids'
import { hasNewOptOut, optOutSpec, submittedOptOut } from './creative-opt-out'
import { hintOnMaxPrice, maxPriceOf, requireMaxPriceOn, submittedMaxPrice } from './max-price'
import type { TemplateView } from './model'
import { changeTemplateIn } from './change'
import { minEventTimeMs, isSendable } from './status'
import { requireTemplate } from './queries'
import { readUsage } from './usage'
import { requestSync } from './request-sync'
import { requireAccount, withLock } from './lock'
import { templateView, type TemplateRow } from './view'
import { withSamples } from './header-samples'

/** Statuses in which the platform accepts edits of a template (platform documentation 4.1). */
const EDITABLE = new Set(['APPROVED', 'REINSTATED', 'FLAGGED', 'REJECTED', 'PAUSED'])

const EDITS = { perDay: 1, perMonth: 10 } as const

const MONTH_MS = 30 * DAY_MS

/**
 * Submits a template to the platform for review: a new one or a changed one. Throws NotFoundError,
 * InvalidError (`sample_missing`, `max_price_off`, `account_inactive`, `app_unknown`, `platform_rejected` with the
 * message of the platform), ConflictError (`pending`, `edit_limit`, `wrong_state`) and
 * UnavailableError. A failed call changes nothing.
 */
export const publishTemplate = (ctx: Ctx, id: string): Promise<TemplateView> =>
  withLock(ctx, id, async () => {
    const row = requireTemplate(ctx, id)
    requirePublishable(ctx, row)
    requireMaxPriceOn(ctx, maxPriceOf(row))
    const account = requireAccount(ctx, row)
    const components = await withSamples(ctx, row, account)
    const optOut = submittedOptOut(ctx, row)
    const answer = await submitToPlatform(ctx, row, account, { components, optOut })
    return transact(ctx.db, (tx) => {
      const before = requireTemplate(ctx, id)
      const nowMs = ctx.clock.nowMs()
      // If the draft was edited during the call, the platform has the components sent here.
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
          publishedOptOut: optOut ?? before.publishedOptOut,
          reason: null,
          recommendation: null,
          statusAtMs: minEventTimeMs(nowMs),
          categoryAtMs: minEventTimeMs(nowMs),
          syncedAtMs: nowMs,
          edits: JSON.stringify(
            isSendable(row) ? [...editsOf(ctx, row), nowMs] : editsOf(ctx, row),
          ),
        },
        ['status', 'platform_id', 'has_local_changes'],
      )
      updateFileReferencesIn(tx, ctx, after, before)
      recordAudit(tx, ctx, {
        action: 'published',
        resourceType: 'template',
        resourceId: id,
        resourceName: row.name,
      })
      return templateView(after, readUsage(ctx, [id])(id))
    })
  })

/** Returns the components with the header file the template had when it was submitted. */
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
  if (!row.hasLocalChanges && row.status !== 'REJECTED' && !hasNewOptOut(ctx, row))
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

interface SubmitResult {
  id: string
  status: string
  category: string | null
}

async function submitToPlatform(
  ctx: Ctx,
  row: TemplateRow,
  account: AccountRow,
  { components, optOut }: { components: readonly Component[]; optOut: boolean | null },
): Promise<SubmitResult> {
  const call = businessCallOf(ctx, account)
  const wire = toWireComponents(components, flowIdsOf(ctx, row.businessId))
  const options = {
    ...(row.messageSendTtlS === null ? {} : { message_send_ttl_seconds: row.messageSendTtlS }),
    ...submittedMaxPrice(row),
    ...optOutSpec(optOut),
  }
  try {
    if (row.platformId === null)
      return await ctx.platform.createTemplate({
        ...call,
        template: {
          name: row.name,
          language: row.language,
          category: row.category,
          parameter_format: row.parameterFormat.toUpperCase(),
          components: wire,
          ...options,
        },
      })
    const category = isSendable(row) ? {} : { category: row.category }
    const { apiVersion, accessToken } = call
    await ctx.platform.editTemplate({
      apiVersion,
      accessToken,
      templateId: row.platformId,
      changes: { ...category, components: wire, ...options },
    })
    return { id: row.platformId, status: 'PENDING', category: null }
  } catch (error) {
    // The platform may have the template although the call failed; then the next sync finds it.
    if (error instanceof PlatformError && (isTemporary(error) || alreadyExists(error)))
      requestSync(ctx, account)
    throw platformErrorOf(error, {
      rejected: `${rejectionMessage(error)}${hintOnMaxPrice(row)}`,
    })
  }
}

/** Reports whether the platform already has a template with this name and language. */
const alreadyExists = (error: PlatformError): boolean => error.subcode === 2_388_024

/** The message the platform shows to people, without its trace IDs. */
const rejectionMessage = (error: unknown): string => {
  const said = error instanceof PlatformError ? (error.details ?? error.platformMessage) : null
  return said === null
    ? 'The platform rejected this template.'
    : `The platform rejected this template: ${said}`
}
