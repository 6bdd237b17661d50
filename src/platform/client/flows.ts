import {
  query,
  requireSuccess,
  unexpectedResponse,
  type CallGraph,
  type BusinessAccess,
} from './graph-request'
import { isObject, listOf, objectOf, wordOf, type JsonObject } from '../lenient-json'
import { type FlowProblem, type PlatformFlow, readFlow, readProblems } from './flow-facts'

/** A call about a Flow. */
export interface FlowAccess {
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
  listFlows(call: BusinessAccess): Promise<{ flows: PlatformFlow[]; isComplete: boolean }>
  /** Creates a draft and returns its ID. Names are unique within a business account. */
  createFlow(call: BusinessAccess & FlowMetadata): Promise<string>
  /** Updates the properties of a draft. Idempotent. */
  updateFlow(call: FlowAccess & FlowMetadata): Promise<void>
  /** Changes only the URL of the data endpoint, which the platform may permit for published Flows. */
  setFlowEndpoint(call: FlowAccess & { endpointUri: string }): Promise<void>
  /**
   * Uploads the JSON of a draft and returns its validation errors. Invalid JSON is stored too.
   * Idempotent.
   */
  uploadFlowJson(call: FlowAccess & { json: string }): Promise<FlowProblem[]>
  getFlow(call: FlowAccess): Promise<PlatformFlow>
  /** Returns the preview URL of a Flow. `isRenewed` invalidates earlier URLs. */
  getFlowPreview(
    call: FlowAccess & { isRenewed: boolean },
  ): Promise<{ url: string; expiresAtMs: number | null }>
  /** Returns a URL that serves the Flow's JSON without credentials, or `null` if it has none. */
  getFlowJsonUrl(call: FlowAccess): Promise<string | null>
  /** Publishes a draft. This cannot be undone. */
  publishFlow(call: FlowAccess): Promise<void>
  deprecateFlow(call: FlowAccess): Promise<void>
  /** Deletes a draft. */
  deleteFlow(call: FlowAccess): Promise<void>
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

const ofFlow = ({ flowId, apiVersion, accessToken, signal }: FlowAccess) => ({
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
export function flowCalls(callGraph: CallGraph, postForm: PostForm): FlowCalls {
  return {
    async listFlows({ businessId, ...right }) {
      const flows: PlatformFlow[] = []
      let after: string | null = null
      for (let page = 0; page < MAX_PAGES; page += 1) {
        const path = `/flows${query({ fields: FIELDS, limit: PER_PAGE, ...(after === null ? {} : { after }) })}`
        const response = await callGraph({ ...right, object: businessId, path })
        flows.push(...listOf(response.data).filter(isObject).flatMap(readIfNamed))
        const paging = objectOf(response.paging)
        after = wordOf(paging.next) === null ? null : wordOf(objectOf(paging.cursors).after)
        if (after === null) return { flows, isComplete: true }
      }
      return { flows, isComplete: false }
    },
    async createFlow({ businessId, apiVersion, accessToken, signal, ...metadata }) {
      // The draft belongs to the app that the token was issued for.
      const payload = metadataOf({ ...metadata, applicationId: null })
      const id = wordOf(
        (
          await callGraph({
            object: businessId,
            apiVersion,
            accessToken,
            signal,
            path: '/flows',
            payload,
          })
        ).id,
      )
      if (id === null) throw unexpectedResponse('no_id')
      return id
    },
    async updateFlow(call) {
      requireSuccess(await callGraph({ ...ofFlow(call), payload: metadataOf(call) }))
    },
    async setFlowEndpoint({ endpointUri, ...call }) {
      const payload = { endpoint_uri: endpointUri }
      requireSuccess(await callGraph({ ...ofFlow(call), payload }))
    },
    async uploadFlowJson({ json, ...call }) {
      const fields: [string, string][] = [
        ['name', 'flow.json'],
        ['asset_type', 'FLOW_JSON'],
      ]
      const file = { filename: 'flow.json', mimeType: 'application/json', text: json }
      const response = await postForm({ ...ofFlow(call), path: '/assets', fields, file })
      requireSuccess(response)
      return readProblems(response.validation_errors)
    },
    async getFlow(call) {
      const flow = readFlow(await callGraph({ ...ofFlow(call), path: query({ fields: FIELDS }) }))
      if (flow === null) throw unexpectedResponse('no_id')
      return flow
    },
    ...linkCalls(callGraph),
    async publishFlow(call) {
      requireSuccess(await callGraph({ ...ofFlow(call), path: '/publish', method: 'POST' }))
    },
    async deprecateFlow(call) {
      requireSuccess(await callGraph({ ...ofFlow(call), path: '/deprecate', method: 'POST' }))
    },
    async deleteFlow(call) {
      requireSuccess(await callGraph({ ...ofFlow(call), method: 'DELETE' }))
    },
  }
}

/** Calls that return URLs. */
function linkCalls(callGraph: CallGraph): Pick<FlowCalls, 'getFlowPreview' | 'getFlowJsonUrl'> {
  return {
    async getFlowPreview({ isRenewed, ...call }) {
      const preview = objectOf(
        (
          await callGraph({
            ...ofFlow(call),
            path: query({ fields: `preview.invalidate(${isRenewed})` }),
          })
        ).preview,
      )
      const url = wordOf(preview.preview_url)
      if (url === null) throw unexpectedResponse('no_preview')
      const expiresAtMs = Date.parse(wordOf(preview.expires_at) ?? '')
      return { url, expiresAtMs: Number.isNaN(expiresAtMs) ? null : expiresAtMs }
    },
    async getFlowJsonUrl(call) {
      const response = await callGraph({ ...ofFlow(call), path: '/assets' })
      const asset = listOf(response.data)
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
