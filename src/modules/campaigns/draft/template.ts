import type { Ctx } from '../../../infra/ctx'
import { wordOf } from '../../../platform/lenient-json'
import { componentOf } from '../../../platform/templates/components'
import type { Fillable } from '../../templates/render/render'
import { fillableOf, findTemplate, isSendable as isTemplateSendable } from '../../templates/state'
import { templateVariables, type TemplateVariable } from '../../templates/variables'
import { sentHeaderFileOf, type TemplateRow } from '../../templates/view'
import { isFile, literalOf, type Filling } from './values'
import { defaultsOf, mappingOf, type CampaignRow } from '../view'

/** A template as a campaign sends it: what the platform has of it. */
export interface CampaignTemplate {
  row: TemplateRow
  fillable: Fillable
  variables: TemplateVariable[]
}

/** The template with this id; `null` when there is none. */
export function findTemplateOf(
  ctx: Pick<Ctx, 'db' | 'organizationId'>,
  id: string,
): CampaignTemplate | null {
  const row = findTemplate(ctx, id)
  if (!row) return null
  const fillable = fillableOf(row)
  return {
    row,
    fillable,
    variables: templateVariables(fillable.components, row.category === 'AUTHENTICATION'),
  }
}

/** Whether the platform takes the template now (templates contract A). */
export const isSendable = ({ row }: CampaignTemplate): boolean => isTemplateSendable(row)

/**
 * The files a campaign puts into its template: of the header and of the cards by place. They are
 * its own, else the template's.
 */
export function filesOf(
  row: CampaignRow,
  template: CampaignTemplate,
): { header: string | null; cards: (string | null)[] } {
  const literals = { mapping: mappingOf(row), defaults: defaultsOf(row) }
  const takes = (place: number | null): boolean =>
    template.variables.some((one) => isFile(one) && one.card === place)
  const cards = componentOf(template.fillable.components, 'CAROUSEL')?.cards ?? []
  return {
    header: takes(null) ? (row.headerMediaId ?? sentHeaderFileOf(template.row)) : null,
    cards: cards.map((card, place) => {
      if (!takes(place)) return null
      const header = componentOf(card.components, 'HEADER')
      const own = header !== undefined && 'media_id' in header ? (header.media_id ?? null) : null
      return wordOf(literalOf(literals, `cards.${place}.header.media`)) ?? own
    }),
  }
}

/** How a campaign fills its template. */
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
