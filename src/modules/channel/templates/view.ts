import { isoTime, isoTimeOrNull } from '../../../lib/clock'
import {
  componentOf,
  parameterFormatOf,
  mediaFormatOf,
  type Component,
  type ParameterFormat,
} from '../../../platform/templates/components'
import type { TemplateView } from './model'
import type { templates } from './table'
import { templateVariables, type TemplateVariable } from './variables'
import { archiveEndMs } from './archive-columns'
import type { SentTemplate } from './render/rendered'

/** Database row of a template. */
export type TemplateRow = typeof templates.$inferSelect

/** Usage of a template. */
export interface Usage {
  sent: number
  lastSentAtMs: number | null
}

/** Returns the components of the draft. */
export const componentsOf = (row: Pick<TemplateRow, 'components'>): Component[] =>
  JSON.parse(row.components) as Component[]

/**
 * Returns the components that are sent: the published ones, or the draft if it was never published.
 */
export const sentComponentsOf = (
  row: Pick<TemplateRow, 'components' | 'publishedComponents'>,
): Component[] => JSON.parse(row.publishedComponents ?? row.components) as Component[]

/** Returns the variable format of the published version. */
export const sentFormatOf = (
  row: Pick<TemplateRow, 'components' | 'publishedComponents' | 'parameterFormat'>,
): ParameterFormat => parameterFormatOf(sentComponentsOf(row)) ?? row.parameterFormat

/**
 * Returns the stored file for the header of the published version; `null` without one. While the
 * draft has a header of another format, the published file is used.
 */
export function sentHeaderFileOf(
  row: Pick<TemplateRow, 'components' | 'publishedComponents' | 'headerMediaId'>,
): string | null {
  const sent = componentOf(sentComponentsOf(row), 'HEADER')
  if (mediaFormatOf(sent) === null) return null
  const isOfDraft = mediaFormatOf(componentOf(componentsOf(row), 'HEADER')) === mediaFormatOf(sent)
  return isOfDraft
    ? row.headerMediaId
    : sent !== undefined && 'media_id' in sent
      ? (sent.media_id ?? null)
      : null
}

/** Returns the values a sender fills in. The header file is optional if the template has one. */
export const variablesOfTemplate = (row: TemplateRow): TemplateVariable[] =>
  templateVariables(sentComponentsOf(row), row.category === 'AUTHENTICATION').map((variable) =>
    variable.key === 'media' && variable.card === null && sentHeaderFileOf(row) !== null
      ? { ...variable, required: false }
      : variable,
  )

/** Returns the template as the API shows it. */
export const templateView = (row: TemplateRow, usage: Usage): TemplateView => ({
  id: row.id,
  account_id: row.accountId,
  business_id: row.businessId,
  platform_id: row.platformId,
  name: row.name,
  display_name: row.displayName,
  language: row.language,
  category: row.category,
  announced_category:
    row.announcedCategory === null
      ? null
      : { category: row.announcedCategory, effective_at: isoTimeOrNull(row.announcedCategoryAtMs) },
  status: row.status,
  archived_at: isoTimeOrNull(row.archivedAtMs),
  deleted_from_archive_at: isoTimeOrNull(archiveEndMs(row)),
  reason: row.reason,
  recommendation: row.recommendation,
  quality: row.quality,
  parameter_format: row.parameterFormat,
  components: componentsOf(row).map((component) => ({ ...component })),
  sample_values: samplesOf(row),
  variables: variablesOfTemplate(row),
  message_send_ttl_seconds: row.messageSendTtlS,
  max_price: row.maxPrice,
  creative_opt_out: row.creativeOptOut,
  published_creative_opt_out: row.publishedOptOut,
  header_media_id: row.headerMediaId,
  has_local_changes: row.hasLocalChanges,
  usage: { sent_30d: usage.sent, last_sent_at: isoTimeOrNull(usage.lastSentAtMs) },
  synced_at: isoTimeOrNull(row.syncedAtMs),
  created_by: row.createdBy,
  created_at: isoTime(row.createdAtMs),
  updated_at: isoTime(row.updatedAtMs),
})

/** Returns the examples of the draft, one per variable that has one. */
const samplesOf = (row: TemplateRow): TemplateView['sample_values'] =>
  templateVariables(componentsOf(row), row.category === 'AUTHENTICATION').flatMap(
    ({ component, key, index, card, example }) => {
      if (example === null) return []
      const isNumbered = /^\d+$/.test(key)
      const place =
        component === 'BUTTONS'
          ? { index, param_name: null }
          : isNumbered
            ? { index: Number(key), param_name: null }
            : { index: null, param_name: key }
      return [{ component, ...place, card, value: example }]
    },
  )

/** Returns the version of the template that is sent. */
export const sentTemplateOf = (row: TemplateRow): SentTemplate => ({
  name: row.name,
  language: row.language,
  category: row.category,
  parameterFormat: sentFormatOf(row),
  components: sentComponentsOf(row),
})
