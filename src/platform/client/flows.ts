import { failureWithoutAnswer } from './response'
import type { AskGraph, BusinessRight } from './administration'
import {
  flagOf,
  isObject,
  listOf,
  numberOf,
  objectOf,
  wordOf,
  type JsonObject,
} from '../lenient-json'

/**
 * What the platform finds wrong with a Flow JSON; lines and columns are those of the uploaded text.
 */
export interface FlowProblem {
  error: string | null
  error_type: string | null
  message: string | null
  line_start: number | null
  line_end: number | null
  column_start: number | null
  column_end: number | null
  /** Where in the document it is, as the platform writes it. */
  path: string | null
}

/** Whether forms can be sent, and what speaks against it. */
export interface FlowHealth {
  /** AVAILABLE, LIMITED, BLOCKED */
  can_send: string | null
  errors: {
    code: number | null
    message: string | null
    solution: string | null
    entity: string | null
  }[]
}

/** A form as the platform tells of it. */
export interface PlatformFlow {
  id: string
  name: string
  /** DRAFT, PUBLISHED, DEPRECATED, BLOCKED, THROTTLED */
  status: string
  categories: string[]
  validationErrors: FlowProblem[]
  jsonVersion: string | null
  dataApiVersion: string | null
  health: FlowHealth | null
}

/** About a form. */
export interface FlowRight {
  flowId: string
  /** For example `v25.0`. */
  apiVersion: string
  accessToken: string
  signal?: AbortSignal | undefined
}

/** What is said of a form apart from its JSON. */
export interface FlowMetadata {
  name: string
  categories: string[]
  /** Where its endpoint is; `null` when it has none. */
  endpointUri: string | null
  /** The app the endpoint's requests are signed for; `null` when nobody named it. */
  applicationId: string | null
}

/** What the platform is asked about its interactive forms. Each call throws PlatformError. */
export interface FlowCalls {
  /**
   * The forms of a business account, all pages; `isWhole` is false when there are more pages than
   * anybody needs.
   */
  listFlows(call: BusinessRight): Promise<{ flows: PlatformFlow[]; isWhole: boolean }>
  /** Makes a draft; its id. Names are unique in a business account. */
  createFlow(call: BusinessRight & FlowMetadata): Promise<string>
  /** Changes what is said of a draft. May be repeated safely. */
  changeFlow(call: FlowRight & FlowMetadata): Promise<void>
  /**
   * Gives a draft its JSON. Success says nothing about its being good: what is wrong is answered.
   * May be repeated safely.
   */
  uploadFlowJson(call: FlowRight & { json: string }): Promise<FlowProblem[]>
  getFlow(call: FlowRight): Promise<PlatformFlow>
  /** Where a form can be tried out; `isRenewed` ends former addresses. */
  getFlowPreview(
    call: FlowRight & { isRenewed: boolean },
  ): Promise<{ url: string; expiresAtMs: number | null }>
  /**
   * Where the JSON of a form can be fetched from, without any credential; `null` when it has none.
   */
  getFlowJsonUrl(call: FlowRight): Promise<string | null>
  /** Publishes a draft for good. */
  publishFlow(call: FlowRight): Promise<void>
  deprecateFlow(call: FlowRight): Promise<void>
  /** Deletes a draft. */
  deleteFlow(call: FlowRight): Promise<void>
}

/** Sends a form with a file to an object of the platform. Throws PlatformError. */
export type PostForm = (call: {
  object: string
  path: string
  apiVersion: string
  accessToken: string
  fields: [string, string][]
  file: { filename: string; mimeType: string; text: string }
  signal?: AbortSignal | undefined
}) => Promise<JsonObject>

const FIELDS =
  'id,name,status,categories,validation_errors,json_version,data_api_version,endpoint_uri,health_status'
const PER_PAGE = '100'
/** Ten thousand forms; a broken cursor must not be followed for ever. */
const MAX_PAGES = 100
const MAX_PROBLEMS = 100

const query = (parameters: Record<string, string>): string =>
  `?${new URLSearchParams(parameters).toString()}`

const ofFlow = ({ flowId, apiVersion, accessToken, signal }: FlowRight) => ({
  object: flowId,
  apiVersion,
  accessToken,
  signal,
})

const unreadable = (cause: string) => failureWithoutAnswer('ambiguous', 200, cause)

function requireSuccess(answer: JsonObject): void {
  if (!flagOf(answer.success)) throw unreadable('no_success')
}

const metadataOf = ({ name, categories, endpointUri, applicationId }: FlowMetadata) => ({
  name,
  categories,
  ...(endpointUri === null ? {} : { endpoint_uri: endpointUri }),
  ...(endpointUri === null || applicationId === null ? {} : { application_id: applicationId }),
})

/** The calls about forms over `ask`, and `post` for uploads. */
export function flowCallsOf(ask: AskGraph, post: PostForm): FlowCalls {
  return {
    async listFlows({ businessId, ...right }) {
      const flows: PlatformFlow[] = []
      let after: string | null = null
      for (let page = 0; page < MAX_PAGES; page += 1) {
        const path = `/flows${query({ fields: FIELDS, limit: PER_PAGE, ...(after === null ? {} : { after }) })}`
        const answer = await ask({ ...right, object: businessId, path })
        flows.push(...listOf(answer.data).filter(isObject).flatMap(readIfNamed))
        const paging = objectOf(answer.paging)
        after = wordOf(paging.next) === null ? null : wordOf(objectOf(paging.cursors).after)
        if (after === null) return { flows, isWhole: true }
      }
      return { flows, isWhole: false }
    },
    async createFlow({ businessId, apiVersion, accessToken, signal, ...metadata }) {
      // A draft belongs to the app whose token makes it.
      const payload = metadataOf({ ...metadata, applicationId: null })
      const id = wordOf(
        (
          await ask({
            object: businessId,
            apiVersion,
            accessToken,
            signal,
            path: '/flows',
            payload,
          })
        ).id,
      )
      if (id === null) throw unreadable('no_id')
      return id
    },
    async changeFlow(call) {
      requireSuccess(await ask({ ...ofFlow(call), payload: metadataOf(call) }))
    },
    async uploadFlowJson({ json, ...call }) {
      const fields: [string, string][] = [
        ['name', 'flow.json'],
        ['asset_type', 'FLOW_JSON'],
      ]
      const file = { filename: 'flow.json', mimeType: 'application/json', text: json }
      const answer = await post({ ...ofFlow(call), path: '/assets', fields, file })
      requireSuccess(answer)
      return readProblems(answer.validation_errors)
    },
    async getFlow(call) {
      const flow = readFlow(await ask({ ...ofFlow(call), path: query({ fields: FIELDS }) }))
      if (flow === null) throw unreadable('no_id')
      return flow
    },
    ...linkCalls(ask),
    async publishFlow(call) {
      requireSuccess(await ask({ ...ofFlow(call), path: '/publish', method: 'POST' }))
    },
    async deprecateFlow(call) {
      requireSuccess(await ask({ ...ofFlow(call), path: '/deprecate', method: 'POST' }))
    },
    async deleteFlow(call) {
      requireSuccess(await ask({ ...ofFlow(call), method: 'DELETE' }))
    },
  }
}

/** The calls that answer where something is to be found. */
function linkCalls(ask: AskGraph): Pick<FlowCalls, 'getFlowPreview' | 'getFlowJsonUrl'> {
  return {
    async getFlowPreview({ isRenewed, ...call }) {
      const preview = objectOf(
        (
          await ask({
            ...ofFlow(call),
            path: query({ fields: `preview.invalidate(${isRenewed})` }),
          })
        ).preview,
      )
      const url = wordOf(preview.preview_url)
      if (url === null) throw unreadable('no_preview')
      const expiresAtMs = Date.parse(wordOf(preview.expires_at) ?? '')
      return { url, expiresAtMs: Number.isNaN(expiresAtMs) ? null : expiresAtMs }
    },
    async getFlowJsonUrl(call) {
      const answer = await ask({ ...ofFlow(call), path: '/assets' })
      const asset = listOf(answer.data)
        .filter(isObject)
        .find(({ asset_type }) => asset_type === 'FLOW_JSON')
      return wordOf(asset?.download_url)
    },
  }
}

const readIfNamed = (flow: JsonObject): PlatformFlow[] => {
  const read = readFlow(flow)
  return read === null ? [] : [read]
}

function readFlow(flow: JsonObject): PlatformFlow | null {
  const id = wordOf(flow.id)
  if (id === null || !/^\d{1,32}$/.test(id)) return null
  return {
    id,
    name: wordOf(flow.name) ?? id,
    status: (wordOf(flow.status) ?? '').toUpperCase(),
    categories: listOf(flow.categories)
      .map(wordOf)
      .filter((word) => word !== null),
    validationErrors: readProblems(flow.validation_errors),
    jsonVersion: wordOf(flow.json_version),
    dataApiVersion: wordOf(flow.data_api_version),
    health: isObject(flow.health_status) ? readHealth(flow.health_status) : null,
  }
}

const readProblems = (problems: unknown): FlowProblem[] =>
  listOf(problems)
    .filter(isObject)
    .slice(0, MAX_PROBLEMS)
    .map((problem) => ({
      error: wordOf(problem.error),
      error_type: wordOf(problem.error_type),
      message: wordOf(problem.message),
      line_start: numberOf(problem.line_start),
      line_end: numberOf(problem.line_end),
      column_start: numberOf(problem.column_start),
      column_end: numberOf(problem.column_end),
      path: wordOf(objectOf(listOf(problem.pointers)[0]).path),
    }))

const readHealth = (health: JsonObject): FlowHealth => ({
  can_send: wordOf(health.can_send_message),
  errors: listOf(health.entities)
    .filter(isObject)
    .flatMap((entity) =>
      listOf(entity.errors)
        .filter(isObject)
        .map((error) => ({
          code: numberOf(error.error_code),
          message: wordOf(error.error_description),
          solution: wordOf(error.possible_solution),
          entity: wordOf(entity.entity_type),
        })),
    )
    .slice(0, MAX_PROBLEMS),
})
