import type { Ctx } from '../../../../infra/ctx'
import { wordOf } from '../../../../platform/lenient-json'
import { componentOf } from '../../../../platform/templates/components'
import type { SentTemplate } from '../../../channel/templates/render/rendered'
import { sentTemplateOf } from '../../../channel/templates/view'
import { findTemplate } from '../../../channel/templates/queries'
import { isSendable as isTemplateSendable } from '../../../channel/templates/status'
import { templateVariables, type TemplateVariable } from '../../../channel/templates/variables'
import { sentHeaderFileOf, type TemplateRow } from '../../../channel/templates/view'
import { isFile, literalOf, type Filling } from './values'
import { defaultsOf, mappingOf, type CampaignRow } from '../view'

/** The version of a template that the platform has and a campaign sends. */
export interface CampaignTemplate {
  row: TemplateRow
  fillable: SentTemplate
  variables: TemplateVariable[]
}

/** Returns the template of a campaign, or `null` if it has none. */
export function findTemplateOf(
  ctx: Pick<Ctx, 'db' | 'organizationId'>,
  id: string | null,
): CampaignTemplate | null {
  const row = id === null ? null : findTemplate(ctx, id)
  if (!row) return null
  const fillable = sentTemplateOf(row)
  return {
    row,
    fillable,
    variables: templateVariables(fillable.components, row.category === 'AUTHENTICATION'),
  }
}

/** Reports whether the platform accepts the template now (templates contract A). */
export const isSendable = ({ row }: CampaignTemplate): boolean => isTemplateSendable(row)

/**
 * Returns the media IDs for the header and for the cards in order: those of the campaign, else
 * those of the template.
 */
export function filesOf(
  row: CampaignRow,
  template: CampaignTemplate,
): { header: string | null; cards: (string | null)[] } {
  const literals = { mapping: mappingOf(row), defaults: defaultsOf(row) }
  const takes = (cardIndex: number | null): boolean =>
    template.variables.some((one) => isFile(one) && one.card === cardIndex)
  const cards = componentOf(template.fillable.components, 'CAROUSEL')?.cards ?? []
  return {
    header: takes(null) ? (row.headerMediaId ?? sentHeaderFileOf(template.row)) : null,
    cards: cards.map((card, index) => {
      if (!takes(index)) return null
      const header = componentOf(card.components, 'HEADER')
      const own = header !== undefined && 'media_id' in header ? (header.media_id ?? null) : null
      return wordOf(literalOf(literals, `cards.${index}.header.media`)) ?? own
    }),
  }
}

/** Returns the sources of all template values of a campaign. */
export function fillingOf(
  row: CampaignRow,
  template: CampaignTemplate,
  filenameOf: (mediaId: string) => string | null,
): Filling {
  const files = filesOf(row, template)
  const fileOf = (mediaId: string | null) =>
    mediaId === null ? null : { mediaId, filename: filenameOf(mediaId) }
  return {
    mapping: mappingOf(row),
    defaults: defaultsOf(row),
    headerFile: fileOf(files.header),
    cardFiles: files.cards.map(fileOf),
  }
}
