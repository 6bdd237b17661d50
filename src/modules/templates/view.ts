import { isoTime, isoTimeOrNull } from '../../lib/clock'
import {
  componentOf,
  parameterFormatOf,
  mediaFormatOf,
  type Component,
  type ParameterFormat,
} from '../../platform/templates/components'
import type { TemplateView } from './model'
import type { templates } from './table'
import { templateVariables, type TemplateVariable } from './variables'

/** A template as its row holds it. */
export type TemplateRow = typeof templates.$inferSelect

/** How often a template was sent. */
export interface Usage {
  sent: number
  lastSentAtMs: number | null
}

/** The components people work on. */
export const componentsOf = (row: Pick<TemplateRow, 'components'>): Component[] =>
  JSON.parse(row.components) as Component[]

/** The components that are sent: those the platform has, else those people work on. */
export const sentComponentsOf = (
  row: Pick<TemplateRow, 'components' | 'publishedComponents'>,
): Component[] => JSON.parse(row.publishedComponents ?? row.components) as Component[]

/**
 * How the variables of what is sent are written: as the platform has them, whatever people work on
 * meanwhile.
 */
export const sentFormatOf = (
  row: Pick<TemplateRow, 'components' | 'publishedComponents' | 'parameterFormat'>,
): ParameterFormat => parameterFormatOf(sentComponentsOf(row)) ?? row.parameterFormat

/**
 * The file of the template's own that goes into the header of what is sent; `null` for none. While
 * people work on another kind of header, it is the one the platform's header had.
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

/**
 * What a sender of the template fills in. A header with a file of the template's own needs none.
 */
export const variablesOfTemplate = (row: TemplateRow): TemplateVariable[] =>
  templateVariables(sentComponentsOf(row), row.category === 'AUTHENTICATION').map((variable) =>
    variable.key === 'media' && variable.card === null && sentHeaderFileOf(row) !== null
      ? { ...variable, required: false }
      : variable,
  )

/** The template as the API answers it. */
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
      : { category: row.announcedCategory, effective_at: isoTimeOrNull(row.announcedAtMs) },
  status: row.status,
  reason: row.reason,
  recommendation: row.recommendation,
  quality: row.quality,
  parameter_format: row.parameterFormat,
  components: componentsOf(row).map((component) => ({ ...component })),
  sample_values: samplesOf(row),
  variables: variablesOfTemplate(row),
  message_send_ttl_seconds: row.messageSendTtlS,
  header_media_id: row.headerMediaId,
  has_local_changes: row.hasLocalChanges,
  usage: { sent_30d: usage.sent, last_sent_at: isoTimeOrNull(usage.lastSentAtMs) },
  synced_at: isoTimeOrNull(row.syncedAtMs),
  created_by: row.createdBy,
  created_at: isoTime(row.createdAtMs),
  updated_at: isoTime(row.updatedAtMs),
})

/** The examples of what people work on, one for each variable that has one. */
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
