import { fieldSentence, ConflictError, InvalidError, type FieldProblem } from '../../../lib/errors'
import type { Ctx } from '../../../infra/ctx'
import { transact } from '../../../infra/db/transact'
import { isObject } from '../../../platform/lenient-json'
import {
  componentOf,
  parameterFormatOf,
  mediaFormatOf,
  type Component,
  type Header,
} from '../../../platform/templates/components'
import { differences, recordAudit } from '../../organization/audit/record'
import { updateFileReferencesIn } from './files'
import { readDraft, searchTextOf, type ValidatedDraft } from './draft'
import { optOutOf } from './creative-opt-out'
import { maxPriceOf, requireMaxPriceOn, requireSamePricing } from './max-price'
import type { TemplateChanges, TemplateView } from './model'
import { changeTemplateIn } from './change'
import { isSendable } from './status'
import { languageKeyOf, requireTemplate } from './queries'
import { readUsage } from './usage'
import {
  componentsOf,
  sentComponentsOf,
  sentFormatOf,
  sentHeaderFileOf,
  templateView,
  type TemplateRow,
} from './view'

/**
 * Updates a template. The platform receives the changes when they are published; until then the
 * published version is sent. Throws NotFoundError, InvalidError (also `max_price_off`), and
 * ConflictError `pending` while the platform reviews the template.
 */
export function updateTemplate(ctx: Ctx, id: string, changes: TemplateChanges): TemplateView {
  return transact(ctx.db, (tx) => {
    const before = requireTemplate(ctx, id)
    requireSameName(before, changes)
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
        maxPrice: changes.max_price === undefined ? maxPriceOf(before) : changes.max_price,
        creativeOptOut:
          changes.creative_opt_out === undefined ? optOutOf(before) : changes.creative_opt_out,
        headerMediaId:
          changes.header_media_id === undefined
            ? headerFileFor(before, changes)
            : changes.header_media_id,
      },
      null,
    )
    requireSameFormat(before, draft)
    if (changes.max_price !== undefined) requireMaxPriceOn(ctx, changes.max_price)
    const maxPrice = changes.max_price === undefined ? before.maxPrice : changes.max_price
    requireSamePricing(before, draft.category, maxPrice)
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
        maxPrice,
        creativeOptOut:
          changes.creative_opt_out === undefined ? before.creativeOptOut : changes.creative_opt_out,
        headerMediaId: draft.headerMediaId,
        ...withSentHeaderFile(before, draft.components),
        hasLocalChanges: before.hasLocalChanges || concernsPlatform(changes),
        words: searchTextOf(names, draft.components),
      },
      Object.keys(changes),
    )
    updateFileReferencesIn(tx, ctx, row, before)
    const usage = readUsage(ctx, [id])(id)
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

/** Reports whether the changes must be published. The display name exists here only. */
const concernsPlatform = (changes: TemplateChanges): boolean =>
  Object.keys(changes).some(
    (field) => field !== 'display_name' && field !== 'name' && field !== 'language',
  )

/**
 * Rejects a change of the variable format: the platform does not accept it for a published template
 * (platform documentation 4.1).
 */
function requireSameFormat(row: TemplateRow, draft: ValidatedDraft): void {
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

/**
 * Returns the header file after the update. If the header has the published format again, the
 * published file is used.
 */
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
 * Keeps the published header file while the draft has a header of another format. Once the formats
 * match again, the file of the template is used.
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

/** Rejects a new name or language: they identify the template at the platform. */
function requireSameName(row: TemplateRow, { name, language }: TemplateChanges): void {
  const message = 'cannot be changed; duplicate the template instead'
  const problems = [
    ...(name !== undefined && name !== row.name ? [{ path: 'body.name', message }] : []),
    ...(language !== undefined && languageKeyOf(language) !== row.languageKey
      ? [{ path: 'body.language', message }]
      : []),
  ]
  if (problems.length > 0) throw invalid(problems)
}
