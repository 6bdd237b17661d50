import { foldText } from '../../../lib/fold-text'
import { microsOf } from '../../../lib/money'
import { freeObjectProblems } from '../../../lib/free-object'
import { fieldSentence, InvalidError, type FieldProblem } from '../../../lib/errors'
import type { Ctx } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { enqueue } from '../../../infra/jobs/enqueue'
import { differences, recordAudit } from '../../audit/record'
import { requestedByOf } from '../../auth/delegated-ctx'
import { keepMediaIn } from '../../media/store'
import { getOrganization } from '../../organizations/service'
import { defaultCurrency, isPriced } from '../../prices/lookup'
import { publishCampaignIn } from '../results/publish'
import { checkFilling, checkPlaces, headerFileOf } from './checks'
import { EraseRecipients } from '../jobs'
import type { Audience, CampaignChanges, CampaignView, NewCampaign } from '../model'
import { STEPS } from '../rules'
import { campaignViewOf } from '../queries'
import { changeCampaignIn, getCampaignRow, wrongState } from '../state'
import { awaitTimeIn, comingTime, knownTimezone } from '../run/schedule'
import { campaignCounts, campaigns } from '../table'
import { filesOf, findTemplateOf } from './template'
import { audienceOf, defaultsOf, mappingOf, type CampaignRow } from '../view'

const NOBODY: Audience = {
  segment_id: null,
  tag_ids: [],
  tags_mode: 'any',
  exclude_tag_ids: [],
  exclude_contacted_days: null,
}

/** What a free object of a campaign may come to. */
const LIMITS = { bytes: 16 * 1_024, levels: 4 } as const

const asAudience = (asked: NewCampaign['audience'], before: Audience): Audience => ({
  ...before,
  ...Object.fromEntries(
    Object.entries(asked ?? {}).filter(([field, value]) => field in before && value !== undefined),
  ),
})

function refuseProblems(problems: FieldProblem[]): void {
  const [first] = problems
  if (first)
    throw new InvalidError(fieldSentence(first.path, first.message), {
      code: 'invalid_input',
      errors: problems,
    })
}

/**
 * A budget in a currency nothing is priced in would never bind, and what was spent in one currency
 * is nothing in another.
 */
function problemsOfBudget(
  ctx: Ctx,
  budget: CampaignChanges['budget'],
  before: CampaignRow | null,
): FieldProblem[] {
  if (budget == null) return []
  const path = 'body.budget.currency'
  if (
    before?.startedAtMs != null &&
    before.currency !== null &&
    before.currency !== budget.currency
  )
    return [
      {
        path,
        message:
          `must stay ${before.currency} because the campaign has already sent messages in this ` +
          'currency',
      },
    ]
  return isPriced(ctx, budget.currency)
    ? []
    : [{ path, message: 'is a currency without prices, so the budget would have no effect' }]
}

/** The fields of a row that were sent, checked one by one. Throws InvalidError. */
function fieldsOf(
  ctx: Ctx,
  asked: CampaignChanges,
  before: CampaignRow | null,
): Partial<CampaignRow> {
  const {
    variable_mapping: mapping,
    default_params: defaults,
    budget,
    send_window: sendWindow,
  } = asked
  refuseProblems([
    ...freeObjectProblems(mapping ?? {}, 'body.variable_mapping', LIMITS),
    ...freeObjectProblems(defaults ?? {}, 'body.default_params', LIMITS),
    ...problemsOfBudget(ctx, budget, before),
  ])
  const money = budget == null ? null : microsOf(budget.amount)
  const name = asked.name?.trim()
  return {
    ...(name === undefined ? {} : { name, nameKey: foldText(name) }),
    ...(asked.account_id === undefined ? {} : { accountId: asked.account_id }),
    ...(asked.template_id === undefined ? {} : { templateId: asked.template_id }),
    ...(asked.audience === undefined
      ? {}
      : {
          audience: JSON.stringify(
            asAudience(asked.audience, before ? audienceOf(before) : NOBODY),
          ),
        }),
    ...(mapping === undefined ? {} : { variableMapping: JSON.stringify(mapping) }),
    ...(defaults === undefined ? {} : { defaultParams: JSON.stringify(defaults) }),
    ...(asked.timezone === undefined ? {} : { timezone: knownTimezone(asked.timezone) }),
    ...(sendWindow === undefined
      ? {}
      : {
          sendWindow: sendWindow === null ? null : JSON.stringify(sendWindow),
          windowEndsAtMs: null,
        }),
    ...(asked.rate_limit === undefined ? {} : { rateLimit: asked.rate_limit }),
    ...(budget === undefined
      ? {}
      : { budgetMicros: money, ...(budget === null ? {} : { currency: budget.currency }) }),
    ...(asked.error_threshold === undefined ? {} : { errorThreshold: asked.error_threshold }),
    ...(asked.scheduled_at === undefined
      ? {}
      : {
          scheduledAtMs: asked.scheduled_at === null ? null : comingTime(ctx, asked.scheduled_at),
        }),
  }
}

/**
 * Drafts a campaign. A header named by its address is fetched and kept first. Throws InvalidError
 * (`invalid_input`, `template_not_approved`, `media_url_refused`).
 */
export async function createCampaign(ctx: Ctx, input: NewCampaign): Promise<CampaignView> {
  const asked = fieldsOf(ctx, input, null)
  const headerMediaId = await headerFileOf(ctx, input, {
    templateId: input.template_id,
    known: null,
  })
  return transact(ctx.db, (tx) => {
    const nowMs = ctx.clock.nowMs()
    const row: typeof campaigns.$inferInsert = {
      organizationId: ctx.organizationId,
      id: ctx.ids.next(),
      name: input.name.trim(),
      nameKey: foldText(input.name.trim()),
      accountId: input.account_id,
      templateId: input.template_id,
      status: 'draft',
      audience: JSON.stringify(NOBODY),
      timezone: getOrganization(ctx).timezone,
      createdBy: ctx.actor.userId,
      actor: JSON.stringify(requestedByOf(ctx.actor)),
      currency: defaultCurrency(ctx),
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
      ...asked,
      headerMediaId: headerMediaId ?? null,
    }
    checkPlaces(ctx, input)
    checkFilling(ctx, row.templateId, {
      mapping: mappingOf({ variableMapping: row.variableMapping ?? '{}' }),
      defaults: input.default_params ?? {},
    })
    return campaignViewOf(ctx, insertDraftIn(tx, ctx, row))
  })
}

/** Writes a draft that was found good, in the caller's transaction. */
export function insertDraftIn(tx: Tx, ctx: Ctx, row: typeof campaigns.$inferInsert): CampaignRow {
  const stored = tx.insert(campaigns).values(row).returning().get()
  tx.insert(campaignCounts)
    .values({ organizationId: ctx.organizationId, campaignId: stored.id })
    .run()
  keepFilesIn(tx, ctx, stored)
  recordAudit(tx, ctx, {
    action: 'created',
    resourceType: 'campaign',
    resourceId: stored.id,
    resourceName: stored.name,
  })
  publishCampaignIn(tx, ctx, stored.id, 'state')
  return stored
}

/** Keeps the files a campaign puts into its template. */
function keepFilesIn(tx: Tx, ctx: Ctx, row: CampaignRow): void {
  const template = findTemplateOf(ctx, row.templateId)
  const { header, cards } = template ? filesOf(row, template) : { header: null, cards: [] }
  keepMediaIn(
    tx,
    ctx,
    [header, ...cards].filter((id) => id !== null),
  )
}

/** Fields that may be changed while a campaign is paused, too. */
const ADJUSTABLE = new Set(['name', 'rate_limit', 'budget', 'send_window', 'error_threshold'])

/**
 * Changes a campaign: what is sent. Without a time a scheduled one is a draft again. Throws
 * NotFoundError, InvalidError as drafting does, and ConflictError `wrong_state`.
 */
export async function updateCampaign(
  ctx: Ctx,
  id: string,
  changes: CampaignChanges,
): Promise<CampaignView> {
  const seen = getCampaignRow(ctx, id)
  requireEditable(seen, changes)
  const headerMediaId = await headerFileOf(ctx, changes, {
    templateId: changes.template_id ?? seen.templateId,
    known: seen.headerMediaId,
  })
  return transact(ctx.db, (tx) => {
    const before = getCampaignRow(ctx, id)
    requireEditable(before, changes)
    const set = {
      ...fieldsOf(ctx, changes, before),
      ...(headerMediaId === undefined ? {} : { headerMediaId }),
    }
    const after = { ...before, ...set }
    if (names(changes, ['account_id', 'template_id', 'audience']))
      checkPlaces(ctx, {
        account_id: after.accountId,
        template_id: after.templateId,
        audience: changes.audience,
      })
    if (names(changes, ['template_id', 'variable_mapping', 'default_params']))
      checkFilling(ctx, after.templateId, {
        mapping: mappingOf(after),
        defaults: defaultsOf(after),
      })
    const was = campaignViewOf(ctx, before)
    const row = rescheduleIn(
      tx,
      ctx,
      changeCampaignIn(tx, ctx, id, unscheduled(before, set)),
      before,
    )
    keepFilesIn(tx, ctx, row)
    const is = campaignViewOf(ctx, row)
    recordAudit(tx, ctx, {
      action: 'updated',
      resourceType: 'campaign',
      resourceId: id,
      resourceName: row.name,
      changes: differences(was, is),
    })
    publishCampaignIn(tx, ctx, id, 'state')
    return is
  })
}

const names = (changes: CampaignChanges, fields: (keyof CampaignChanges)[]): boolean =>
  fields.some((field) => changes[field] !== undefined)

/** Without a time a scheduled campaign is a draft again. */
const unscheduled = (before: CampaignRow, set: Partial<CampaignRow>): Partial<CampaignRow> =>
  before.status === 'scheduled' && set.scheduledAtMs === null ? { ...set, status: 'draft' } : set

function rescheduleIn(tx: Tx, ctx: Ctx, row: CampaignRow, before: CampaignRow): CampaignRow {
  if (row.status === 'scheduled' && row.scheduledAtMs !== before.scheduledAtMs)
    awaitTimeIn(tx, ctx, row)
  return row
}

function requireEditable(row: CampaignRow, changes: CampaignChanges): void {
  const allowed: readonly string[] = Object.keys(changes).every((field) => ADJUSTABLE.has(field))
    ? STEPS.adjust
    : STEPS.edit
  if (!allowed.includes(row.status)) throw wrongState(row)
}

/**
 * Deletes a campaign that is not under way; its messages stay, its recipients are forgotten. Throws
 * NotFoundError and ConflictError `wrong_state`.
 */
export function deleteCampaign(ctx: Ctx, id: string): void {
  transact(ctx.db, (tx) => {
    const row = getCampaignRow(ctx, id)
    if (!STEPS.delete.some((status) => status === row.status)) throw wrongState(row)
    changeCampaignIn(tx, ctx, id, { deletedAtMs: ctx.clock.nowMs() })
    enqueue(tx, ctx, EraseRecipients, { args: { campaignId: id, after: '' } })
    recordAudit(tx, ctx, {
      action: 'deleted',
      resourceType: 'campaign',
      resourceId: id,
      resourceName: row.name,
    })
  })
}
