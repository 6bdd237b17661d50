import { and, inArray } from 'drizzle-orm'

import { fieldSentence, InvalidError, type FieldProblem } from '../../../../lib/errors'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { headerKind, componentOf, mediaFormatOf } from '../../../../platform/templates/components'
import { findAccount } from '../../../channel/accounts/queries'
import type { AccountRow } from '../../../channel/accounts/view'
import { isInReview } from '../../../channel/templates/status'
import { fetchMediaUrl } from '../../../channel/media/fetch-url'
import { requireUsableMedia } from '../../../channel/media/prepare-to-send'
import { tags } from '../../../inbox/tags/table'
import type { TemplateVariable } from '../../../channel/templates/variables'
import { problemsOfFilling } from './validate-values'
import { isFile, literalOf, nameOfVariable, type Filling, type Source } from './values'
import type { CampaignChanges } from './model'
import { blockerOfTemplate, refuseAuthenticationTemplate } from '../run/blockers'
import { readFilter, readSegment } from '../run/audience'
import { findTemplateOf, type CampaignTemplate } from './template'
import {
  conditionOfSegment,
  segmentCondition,
} from '../../../inbox/contacts/segment-filter/condition'

const invalid = (path: string, message: string, code = 'invalid_input'): InvalidError =>
  new InvalidError(fieldSentence(path, message), { code, errors: [{ path, message }] })

function templateOf(ctx: Ctx, id: string | null): CampaignTemplate {
  const template = findTemplateOf(ctx, id)
  if (!template || template.row.deletedAtMs !== null)
    throw invalid('body.template_id', 'is not a template of this organization')
  refuseAuthenticationTemplate(template)
  return template
}

/**
 * Checks that phone number, template, segment and tags exist and fit together. Throws InvalidError
 * `invalid_input` and `template_not_approved`.
 */
export function checkReferences(
  ctx: Ctx,
  input: {
    account_id: string
    template_id: string | null
    audience?: CampaignChanges['audience'] | undefined
    /** Whether a template in review will do, as in a draft. */
    isDraft: boolean
  },
): void {
  const account = findAccount(ctx, input.account_id)
  if (!account || account.deletedAtMs !== null)
    throw invalid('body.account_id', 'is not a connected phone number')
  if (input.template_id !== null) checkTemplate(ctx, account, input)
  else if (!input.isDraft) throw invalid('body.template_id', 'is required once it is scheduled')
  checkAudience(ctx, input.audience)
}

function checkTemplate(
  ctx: Ctx,
  account: AccountRow,
  { template_id: id, isDraft }: { template_id: string | null; isDraft: boolean },
): void {
  const template = templateOf(ctx, id)
  if (template.row.businessId !== account.businessId)
    throw invalid(
      'body.template_id',
      'belongs to a different business account than the phone number',
    )
  if (isDraft && isInReview(template.row)) return
  const blocker = blockerOfTemplate(ctx, template, account)
  if (blocker)
    throw new InvalidError(blocker.message, {
      code: 'template_not_approved',
      errors: [{ path: 'body.template_id', message: 'cannot be sent' }],
    })
}

/**
 * Reports whether the caller can use the segment. Throws InvalidError if it uses a deleted custom
 * field.
 */
const isReadable = (ctx: Ctx, segmentId: string): boolean =>
  readSegment(() => conditionOfSegment(ctx, segmentId) !== null)

function checkAudience(ctx: Ctx, audience: CampaignChanges['audience']): void {
  if (audience?.segment_id != null && !isReadable(ctx, audience.segment_id))
    throw invalid('body.audience.segment_id', 'is not a segment that you can use')
  if (audience?.filter != null) readFilter(() => segmentCondition(ctx, audience.filter))
  const errors: FieldProblem[] = (['tag_ids', 'exclude_tag_ids'] as const).flatMap((field) => {
    const ids = audience?.[field] ?? []
    if (ids.length === 0) return []
    const known = ctx.db.orm
      .select({ id: tags.id })
      .from(tags)
      .where(inOrganization(ctx, tags, and(inArray(tags.id, ids))))
      .all()
    return ids.flatMap((id, index) =>
      known.some((tag) => tag.id === id)
        ? []
        : [
            {
              path: `body.audience.${field}.${index}`,
              message: 'is not a tag of this organization',
            },
          ],
    )
  })
  const [first] = errors
  if (first)
    throw new InvalidError(fieldSentence(first.path, first.message), {
      code: 'invalid_input',
      errors,
    })
}

/**
 * Checks that the mapping names existing variables and fields and that the values can be sent.
 * Throws InvalidError.
 */
export function checkTemplateValues(
  ctx: Ctx,
  templateId: string | null,
  filling: { mapping: Record<string, Source>; defaults: Record<string, unknown> },
): void {
  if (templateId === null) return refuseValues(filling)
  const template = templateOf(ctx, templateId)
  const { variables, fillable } = template
  const malformed = problemsOfShape(filling.mapping)
  const errors = malformed.length > 0 ? malformed : problemsOfFilling(ctx, template, filling)
  const [first] = errors
  if (first)
    throw new InvalidError(fieldSentence(first.path, first.message), {
      code: 'invalid_input',
      errors,
    })
  for (const variable of variables.filter(isFile)) checkFile(ctx, filling, { variable, fillable })
}

/** Without a template there is nothing to fill in. */
function refuseValues({ mapping, defaults }: Pick<Filling, 'mapping' | 'defaults'>): void {
  for (const [field, values] of [
    ['variable_mapping', mapping],
    ['default_params', defaults],
  ] as const)
    if (Object.keys(values).length > 0)
      throw invalid(`body.${field}`, 'must be empty while no template is chosen')
}

/**
 * Checks a file variable. Files of cards are given by ID; the header file has fields of its own.
 */
function checkFile(
  ctx: Ctx,
  filling: { mapping: Record<string, Source>; defaults: Record<string, unknown> },
  { variable, fillable }: { variable: TemplateVariable } & Pick<CampaignTemplate, 'fillable'>,
): void {
  const name = nameOfVariable(variable)
  const isMapped = Object.hasOwn(filling.mapping, name)
  if (!isMapped && !Object.hasOwn(filling.defaults, name)) return
  const path = isMapped ? `body.variable_mapping.${name}` : `body.default_params.${name}`
  if (variable.card === null)
    throw invalid(
      path,
      'is required for the file in the header: send header_media_id or header_media_url',
    )
  const mediaId = literalOf(filling, name)
  if (typeof mediaId !== 'string')
    throw invalid(path, 'must be the ID of a file, the same for all recipients')
  const card = componentOf(fillable.components, 'CAROUSEL')?.cards[variable.card]
  const format = mediaFormatOf(componentOf(card?.components ?? [], 'HEADER'))
  if (format !== null) requireUsableMedia(ctx, mediaId, headerKind(format), path)
}

/** Returns the mapping entries that have an invalid shape. */
function problemsOfShape(mapping: Record<string, unknown>): FieldProblem[] {
  return Object.entries(mapping).flatMap(([name, source]) => {
    const isObject = typeof source === 'object' && source !== null
    const { value, field, column, ...rest } = (isObject ? source : {}) as Record<string, unknown>
    const otherwise = rest['default']
    const isGood =
      typeof source === 'string' ||
      (isObject &&
        (typeof value === 'string' || typeof value === 'number') &&
        field === undefined) ||
      (isObject &&
        typeof field === 'string' &&
        typeof otherwise === 'string' &&
        value === undefined &&
        column === undefined) ||
      (isObject &&
        typeof column === 'string' &&
        (otherwise === undefined || typeof otherwise === 'string') &&
        value === undefined &&
        field === undefined)
    return isGood
      ? []
      : [
          {
            path: `body.variable_mapping.${name}`,
            message:
              'must be a field name, {"value": …}, {"field": …, "default": …} or {"column": …}',
          },
        ]
  })
}

/**
 * Returns the ID of the header file: an uploaded file, or one downloaded from `header_media_url`
 * and stored. `undefined` if the input names neither. Throws InvalidError `invalid_input` and
 * `media_url_refused`.
 */
export async function headerFileOf(
  ctx: Ctx,
  input: Pick<CampaignChanges, 'header_media_id' | 'header_media_url'>,
  at: { templateId: string | null; known: string | null },
): Promise<string | null | undefined> {
  const { header_media_id: mediaId, header_media_url: url } = input
  if (mediaId === undefined && url === undefined) return undefined
  if (mediaId != null && url !== undefined)
    throw invalid('body.header_media_url', 'cannot be combined with header_media_id')
  if (url === undefined && mediaId == null) return null
  const components =
    at.templateId === null ? [] : templateOf(ctx, at.templateId).fillable.components
  const format = mediaFormatOf(componentOf(components, 'HEADER'))
  const path = mediaId == null ? 'body.header_media_url' : 'body.header_media_id'
  if (format === null)
    throw invalid(path, "cannot be used because the template's header has no file")
  if (mediaId == null) return (await fetchMediaUrl(ctx, url ?? '', headerKind(format), { path })).id
  return mediaId === at.known
    ? mediaId
    : requireUsableMedia(ctx, mediaId, headerKind(format), path).id
}
