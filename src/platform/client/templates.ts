import type { AskGraph, BusinessRight } from './administration'
import { failureWithoutAnswer } from './response'
import { flagOf, isObject, listOf, objectOf, wordOf, type JsonObject } from '../lenient-json'
import type { ParameterFormat } from '../templates/components'

/** A template as the platform tells of it. */
export interface PlatformTemplate {
  id: string
  name: string
  language: string
  status: string
  category: string
  /** As they came. */
  components: readonly unknown[]
  /** GREEN, YELLOW, RED, UNKNOWN */
  quality: string
  reason: string | null
  parameterFormat: ParameterFormat
}

/** About a template. */
export interface TemplateRight {
  templateId: string
  /** For example `v25.0`. */
  apiVersion: string
  accessToken: string
  signal?: AbortSignal | undefined
}

/** What the platform is asked about templates. Each call throws PlatformError. */
export interface TemplateCalls {
  /**
   * The templates of a business account, all pages; `isWhole` is false when there are more pages
   * than anybody has.
   */
  listTemplates(call: BusinessRight): Promise<{ templates: PlatformTemplate[]; isWhole: boolean }>
  /** Hands a template in for review. What comes back may be another category. */
  createTemplate(
    call: BusinessRight & { template: JsonObject },
  ): Promise<{ id: string; status: string; category: string | null }>
  /** Changes a template, which is reviewed again. */
  editTemplate(call: TemplateRight & { changes: JsonObject }): Promise<void>
  /** Deletes a template: in one language by its id, in all of them without. */
  deleteTemplate(call: BusinessRight & { name: string; templateId: string | null }): Promise<void>
}

const FIELDS =
  'id,name,status,category,language,components,quality_score,rejected_reason,parameter_format'
const PER_PAGE = '100'

/**
 * A business account has 6,000 templates at most (platform documentation 4.2); a broken cursor must
 * not be followed for ever.
 */
const MAX_PAGES = 100

const query = (parameters: Record<string, string>): string =>
  `?${new URLSearchParams(parameters).toString()}`

const unreadable = (cause: string) => failureWithoutAnswer('ambiguous', 200, cause)

/** The calls about templates over `ask`. */
export function templateCalls(ask: AskGraph): TemplateCalls {
  const ofBusiness = ({ businessId, apiVersion, accessToken, signal }: BusinessRight) => ({
    object: businessId,
    apiVersion,
    accessToken,
    signal,
  })
  return {
    async listTemplates(call) {
      const templates: PlatformTemplate[] = []
      let after: string | null = null
      for (let page = 0; page < MAX_PAGES; page += 1) {
        const path = `/message_templates${query({ fields: FIELDS, limit: PER_PAGE, ...(after === null ? {} : { after }) })}`
        const answer = await ask({ ...ofBusiness(call), path })
        templates.push(
          ...listOf(answer.data)
            .filter(isObject)
            .map(readTemplate)
            .filter((template) => template !== null),
        )
        const paging = objectOf(answer.paging)
        // Cursors are there on the last page as well.
        after = wordOf(paging.next) === null ? null : wordOf(objectOf(paging.cursors).after)
        if (after === null) return { templates, isWhole: true }
      }
      return { templates, isWhole: false }
    },
    async createTemplate({ template, ...call }) {
      const answer = await ask({
        ...ofBusiness(call),
        path: '/message_templates',
        payload: template,
      })
      const id = wordOf(answer.id)
      if (id === null) throw unreadable('no_template_id')
      return {
        id,
        status: wordOf(answer.status)?.toUpperCase() ?? 'PENDING',
        category: wordOf(answer.category)?.toUpperCase() ?? null,
      }
    },
    async editTemplate({ templateId, changes, ...call }) {
      const answer = await ask({ ...call, object: templateId, payload: changes })
      if (!flagOf(answer.success)) throw unreadable('no_success')
    },
    async deleteTemplate({ name, templateId, ...call }) {
      const which = templateId === null ? { name } : { hsm_id: templateId, name }
      const answer = await ask({
        ...ofBusiness(call),
        path: `/message_templates${query(which)}`,
        method: 'DELETE',
      })
      if (!flagOf(answer.success)) throw unreadable('no_success')
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
