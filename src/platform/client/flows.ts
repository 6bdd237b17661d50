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

/** A validation error in a Flow JSON. Lines and columns refer to the uploaded text. */
export interface FlowProblem {
  error: string | null
  error_type: string | null
  message: string | null
  line_start: number | null
  line_end: number | null
  column_start: number | null
  column_end: number | null
  /** Path in the document, in the platform's notation. */
  path: string | null
}

/** Whether a Flow can be sent, and the errors that prevent it. */
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

/** A Flow as the platform reports it. */
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

/** A call about a Flow. */
export interface FlowRight {
  flowId: string
  /** For example `v25.0`. */
  apiVersion: string
  accessToken: string
  signal?: AbortSignal | undefined
}

/** Properties of a Flow apart from its JSON. */
export interface FlowMetadata {
  name: string
  categories: string[]
  /** URL of the data endpoint; `null` if the Flow has none. */
  endpointUri: string | null
  /** App that signs the requests to the endpoint; `null` if unset. */
  applicationId: string | null
}

/** Graph API calls about Flows. Each throws PlatformError. */
export interface FlowCalls {
  /**
   * Returns the Flows of a business account from all pages. `isWhole` is false if the page limit
   * was reached.
   */
  listFlows(call: BusinessRight): Promise<{ flows: PlatformFlow[]; isWhole: boolean }>
  /** Creates a draft and returns its ID. Names are unique within a business account. */
  createFlow(call: BusinessRight & FlowMetadata): Promise<string>
  /** Updates the properties of a draft. Idempotent. */
  changeFlow(call: FlowRight & FlowMetadata): Promise<void>
  /**
   * Uploads the JSON of a draft and returns its validation errors. Invalid JSON is stored too.
   * Idempotent.
   */
  uploadFlowJson(call: FlowRight & { json: string }): Promise<FlowProblem[]>
  getFlow(call: FlowRight): Promise<PlatformFlow>
  /** Returns the preview URL of a Flow. `isRenewed` invalidates earlier URLs. */
  getFlowPreview(
    call: FlowRight & { isRenewed: boolean },
  ): Promise<{ url: string; expiresAtMs: number | null }>
  /** Returns a URL that serves the Flow's JSON without credentials, or `null` if it has none. */
  getFlowJsonUrl(call: FlowRight): Promise<string | null>
  /** Publishes a draft. This cannot be undone. */
  publishFlow(call: FlowRight): Promise<void>
  deprecateFlow(call: FlowRight): Promise<void>
  /** Deletes a draft. */
  deleteFlow(call: FlowRight): Promise<void>
}

/** Posts a multipart form with a file to an object of the platform. Throws PlatformError. */
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
/** Up to ten thousand Flows. The limit stops a broken cursor from looping. */
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

/** Builds the Flow calls. `ask` sends JSON requests, `post` uploads forms. */
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
      // The draft belongs to the app that the token was issued for.
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

/** Calls that return URLs. */
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
