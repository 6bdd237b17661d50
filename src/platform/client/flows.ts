import {
  query,
  requireSuccess,
  unreadable,
  type AskGraph,
  type BusinessRight,
} from './graph-request'
import { isObject, listOf, objectOf, wordOf, type JsonObject } from '../lenient-json'
import { type FlowProblem, type PlatformFlow, readFlow, readProblems } from './flow-facts'

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

const ofFlow = ({ flowId, apiVersion, accessToken, signal }: FlowRight) => ({
  object: flowId,
  apiVersion,
  accessToken,
  signal,
})

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
