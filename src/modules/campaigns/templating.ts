import type { Ctx } from '../../infra/ctx'
import type { Fillable } from '../templates/filling/fill'
import { fillableOf, findTemplate, isSendable as isTemplateSendable } from '../templates/state'
import { templateVariables, type TemplateVariable } from '../templates/variables'
import type { TemplateRow } from '../templates/view'
import type { Filling } from './mapping'
import { defaultsOf, mappingOf, type CampaignRow } from './view'

/** A template as a campaign sends it: what the platform has of it. */
export interface CampaignTemplate {
  row: TemplateRow
  fillable: Fillable
  variables: TemplateVariable[]
}

/** The template with this id; `null` when there is none. */
export function findTemplateOf(ctx: Pick<Ctx, 'db' | 'organizationId'>, id: string): CampaignTemplate | null {
  const row = findTemplate(ctx, id)
  if (!row) return null
  const fillable = fillableOf(row)
  return { row, fillable, variables: templateVariables(fillable.components, row.category === 'AUTHENTICATION') }
}

/** Whether the platform takes the template now (templates contract A). */
export const isSendable = ({ row }: CampaignTemplate): boolean => isTemplateSendable(row)

/** How a campaign fills its template; the file of a header is its own, else the template's. */
export function fillingOf(row: CampaignRow, template: CampaignTemplate, filenameOf: (mediaId: string) => string | null): Filling {
  const mediaId = row.headerMediaId ?? template.row.headerMediaId
  const takesFile = template.variables.some(({ component, key, card }) => component === 'HEADER' && key === 'media' && card === null)
  return {
    mapping: mappingOf(row),
    defaults: defaultsOf(row),
    headerFile: mediaId === null || !takesFile ? null : { mediaId, filename: filenameOf(mediaId) },
  }
}
