import { call, type Body } from '../../api/client'
import { download } from '../../api/save-file'
import { isObject, readGraph } from './model/graph'

/** What marks the file of a flow. */
const MARK = 'switchboard-flow'
/** The fields of a flow that a file holds besides its graph: nothing that only this organization has. */
const FIELDS = [
  'name',
  'description',
  'trigger_keywords',
  'trigger_match_type',
  'priority',
  'initial_message',
  'completion_message',
  'cancel_keywords',
  'cancel_message',
  'timeout_minutes',
  'timeout_message',
  'panel_config',
] as const

/** Saves a flow as a file on the device. */
export async function exportFlow(id: string): Promise<void> {
  const flow = await call('GET /api/chatbot/flows/{id}', { params: { id } })
  const kept = Object.fromEntries(FIELDS.map((field) => [field, flow[field]]))
  const text = JSON.stringify({ kind: MARK, ...kept, graph: flow.graph }, null, 2)
  const name = flow.name.replaceAll(/[\\/:*?"<>|\p{Cc}]+/gu, ' ').trim()
  download(new Blob([text], { type: 'application/json' }), `${name}.flow.json`)
}

/** The largest file of a flow. */
export const MOST_BYTES = 512 * 1_024

/** What a file of a flow holds, as the API takes it. */
export type FlowInput = Body<'POST /api/chatbot/flows'>

/** Reads the file of a flow; `null` if it is none. What the server refuses, it says itself. */
export function readFlow(text: string): FlowInput | null {
  try {
    const read: unknown = JSON.parse(text)
    if (!isObject(read) || !isObject(read['graph'])) return null
    if (readGraph(read['graph']).nodes.length === 0 || typeof read['name'] !== 'string') return null
    const kept = FIELDS.flatMap((field) => (read[field] == null ? [] : [[field, read[field]]]))
    const { name, graph } = { name: read['name'], graph: withoutSecrets(read['graph']) }
    return { ...Object.fromEntries<unknown>(kept as [string, unknown][]), name, graph }
  } catch {
    return null
  }
}

/** Header values stay on the server that knows them: a file has `***` in their place. */
const withoutSecrets = (graph: Record<string, unknown>): Record<string, unknown> =>
  JSON.parse(
    JSON.stringify(graph, (key, value: unknown) =>
      key === 'headers' && isObject(value)
        ? Object.fromEntries(Object.entries(value).filter(([, one]) => one !== '***'))
        : value,
    ),
  ) as Record<string, unknown>
