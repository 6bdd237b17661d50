import { and, inArray } from 'drizzle-orm'

import { fieldSentence, InvalidError, type FieldProblem } from '../../../../lib/errors'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { headerKind, componentOf, mediaFormatOf } from '../../../../platform/templates/components'
import { findAccount } from '../../../channel/accounts/queries'
import { fetchMediaUrl } from '../../../channel/media/fetch-url'
import { requireUsableMedia } from '../../../channel/media/prepare-to-send'
import { tags } from '../../../inbox/tags/table'
import type { TemplateVariable } from '../../../channel/templates/variables'
import { problemsOfFilling } from './validate-values'
import { isFile, literalOf, nameOfVariable, type Source } from './values'
import type { CampaignChanges } from './model'
import { blockerOfTemplate, refuseAuthenticationTemplate } from '../run/blockers'
import { readSegment } from '../run/audience'
import { findTemplateOf, type CampaignTemplate } from './template'
import { conditionOfSegment } from '../../../inbox/contacts/segment-filter/condition'

const invalid = (path: string, message: string, code = 'invalid_input'): InvalidError =>
  new InvalidError(fieldSentence(path, message), { code, errors: [{ path, message }] })

function templateOf(ctx: Ctx, id: string): CampaignTemplate {
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
    template_id: string
    audience?: CampaignChanges['audience'] | undefined
  },
): void {
  const account = findAccount(ctx, input.account_id)
  if (!account || account.deletedAtMs !== null)
    throw invalid('body.account_id', 'is not a connected phone number')
  const template = templateOf(ctx, input.template_id)
  if (template.row.businessId !== account.businessId)
    throw invalid(
      'body.template_id',
      'belongs to a different business account than the phone number',
    )
  const blocker = blockerOfTemplate(ctx, template, account)
  if (blocker)
    throw new InvalidError(blocker.message, {
      code: 'template_not_approved',
      errors: [{ path: 'body.template_id', message: 'cannot be sent' }],
    })
  checkAudience(ctx, input.audience)
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
  templateId: string,
  filling: { mapping: Record<string, Source>; defaults: Record<string, unknown> },
): void {
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
    const { value, field, default: otherwise } = (isObject ? source : {}) as Record<string, unknown>
    const isGood =
      typeof source === 'string' ||
      (isObject &&
        (typeof value === 'string' || typeof value === 'number') &&
        field === undefined) ||
      (isObject &&
        typeof field === 'string' &&
        typeof otherwise === 'string' &&
        value === undefined)
    return isGood
      ? []
      : [
          {
            path: `body.variable_mapping.${name}`,
            message: 'must be a field name, {"value": …} or {"field": …, "default": …}',
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
  at: { templateId: string; known: string | null },
): Promise<string | null | undefined> {
  const { header_media_id: mediaId, header_media_url: url } = input
  if (mediaId === undefined && url === undefined) return undefined
  if (mediaId != null && url !== undefined)
    throw invalid('body.header_media_url', 'cannot be combined with header_media_id')
  if (url === undefined && mediaId == null) return null
  const format = mediaFormatOf(
    componentOf(templateOf(ctx, at.templateId).fillable.components, 'HEADER'),
  )
  const path = mediaId == null ? 'body.header_media_url' : 'body.header_media_id'
  if (format === null)
    throw invalid(path, "cannot be used because the template's header has no file")
  if (mediaId == null) return (await fetchMediaUrl(ctx, url ?? '', headerKind(format), { path })).id
  return mediaId === at.known
    ? mediaId
    : requireUsableMedia(ctx, mediaId, headerKind(format), path).id
}
