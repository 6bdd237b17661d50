import {
  ofBusiness,
  query,
  requireSuccess,
  unexpectedResponse,
  type CallGraph,
  type BusinessAccess,
} from './graph-request'
import { isObject, listOf, objectOf, wordOf, type JsonObject } from '../lenient-json'
import type { ParameterFormat } from '../templates/components'

/** A template as the platform reports it. */
export interface PlatformTemplate {
  id: string
  name: string
  language: string
  status: string
  category: string
  /** Unparsed components. */
  components: readonly unknown[]
  /** GREEN, YELLOW, RED, UNKNOWN */
  quality: string
  reason: string | null
  parameterFormat: ParameterFormat
}

/** A call about a template. */
export interface TemplateAccess {
  templateId: string
  /** For example `v25.0`. */
  apiVersion: string
  accessToken: string
  signal?: AbortSignal | undefined
}

/** Graph API calls about templates. Each throws PlatformError. */
export interface TemplateCalls {
  /**
   * Returns the templates of a business account from all pages. `isWhole` is false if the page
   * limit was reached.
   */
  listTemplates(
    call: BusinessAccess,
  ): Promise<{ templates: PlatformTemplate[]; isComplete: boolean }>
  /** Submits a template for review. The platform may return another category. */
  createTemplate(
    call: BusinessAccess & { template: JsonObject },
  ): Promise<{ id: string; status: string; category: string | null }>
  /** Updates a template, which starts a new review. */
  editTemplate(call: TemplateAccess & { changes: JsonObject }): Promise<void>
  /** Deletes a template: in one language by its ID, or in all languages without an ID. */
  deleteTemplate(call: BusinessAccess & { name: string; templateId: string | null }): Promise<void>
  /**
   * Archives a template, or restores it from the archive. Returns why the platform did not, `null` if
   * it did.
   */
  archiveTemplate(
    call: BusinessAccess & { templateId: string; isArchived: boolean },
  ): Promise<string | null>
}

const FIELDS =
  'id,name,status,category,language,components,quality_score,rejected_reason,parameter_format'
const PER_PAGE = '100'

/**
 * A business account has at most 6,000 templates (platform documentation 4.2). The limit stops a
 * broken cursor from looping.
 */
const MAX_PAGES = 100

/** Builds the template calls. The archive is at a host of its own, whose paths have no version. */
export function templateCalls(callGraph: CallGraph, callArchive: CallGraph): TemplateCalls {
  return {
    async listTemplates(call) {
      const templates: PlatformTemplate[] = []
      let after: string | null = null
      for (let page = 0; page < MAX_PAGES; page += 1) {
        const path = `/message_templates${query({ fields: FIELDS, limit: PER_PAGE, ...(after === null ? {} : { after }) })}`
        const response = await callGraph({ ...ofBusiness(call), path })
        templates.push(
          ...listOf(response.data)
            .filter(isObject)
            .map(readTemplate)
            .filter((template) => template !== null),
        )
        const paging = objectOf(response.paging)
        // The last page has cursors too, but no `next`.
        after = wordOf(paging.next) === null ? null : wordOf(objectOf(paging.cursors).after)
        if (after === null) return { templates, isComplete: true }
      }
      return { templates, isComplete: false }
    },
    async createTemplate({ template, ...call }) {
      const response = await callGraph({
        ...ofBusiness(call),
        path: '/message_templates',
        payload: template,
      })
      const id = wordOf(response.id)
      if (id === null) throw unexpectedResponse('no_template_id')
      return {
        id,
        status: wordOf(response.status)?.toUpperCase() ?? 'PENDING',
        category: wordOf(response.category)?.toUpperCase() ?? null,
      }
    },
    async editTemplate({ templateId, changes, ...call }) {
      const response = await callGraph({ ...call, object: templateId, payload: changes })
      requireSuccess(response)
    },
    async deleteTemplate({ name, templateId, ...call }) {
      const filter = templateId === null ? { name } : { hsm_id: templateId, name }
      const response = await callGraph({
        ...ofBusiness(call),
        path: `/message_templates${query(filter)}`,
        method: 'DELETE',
      })
      requireSuccess(response)
    },
    async archiveTemplate({ templateId, isArchived, ...call }) {
      const [verb, done] = isArchived
        ? ['archive', 'archived_templates']
        : ['unarchive', 'unarchived_templates']
      const response = await callArchive({
        ...ofBusiness(call),
        apiVersion: null,
        path: `/message_templates/${verb}`,
        payload: { hsm_ids: templateId },
      })
      // One template was asked for, so whatever is listed is that one.
      if (listOf(response[done]).length > 0) return null
      const [reason] = Object.values(objectOf(response.failed_templates))
      if (reason === undefined) throw unexpectedResponse('no_archived_template')
      return wordOf(reason) ?? JSON.stringify(reason)
    },
  }
}

function readTemplate(wire: JsonObject): PlatformTemplate | null {
  const [id, name, language] = [wordOf(wire.id), wordOf(wire.name), wordOf(wire.language)]
  if (id === null || name === null || language === null) return null
  const reason = wordOf(wire.rejected_reason)
  return {
    id,
    name,
    language,
    status: wordOf(wire.status)?.toUpperCase() ?? 'UNKNOWN',
    category: wordOf(wire.category)?.toUpperCase() ?? 'UNKNOWN',
    components: listOf(wire.components),
    quality: wordOf(objectOf(wire.quality_score).score)?.toUpperCase() ?? 'UNKNOWN',
    reason: reason === 'NONE' ? null : reason,
    parameterFormat:
      wordOf(wire.parameter_format)?.toUpperCase() === 'NAMED' ? 'named' : 'positional',
  }
}
