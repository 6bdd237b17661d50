import { isObject, readGraph, type Written } from './graph'

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

/** What a file of a flow holds. */
export interface FlowFile extends Record<string, unknown> {
  name: string
  graph: Written
}

/** Writes a flow as the text of a file. */
export function writeFlow(flow: Readonly<Record<string, unknown>>): string {
  const kept = Object.fromEntries(FIELDS.map((field) => [field, flow[field]]))
  return JSON.stringify({ kind: MARK, ...kept, graph: flow['graph'] }, null, 2)
}

/** Reads the file of a flow; `null` if it is none. What the server refuses, it says itself. */
export function readFlow(text: string): FlowFile | null {
  try {
    const read: unknown = JSON.parse(text)
    if (!isObject(read) || !isObject(read['graph']) || typeof read['name'] !== 'string') return null
    if (readGraph(read['graph']).nodes.length === 0) return null
    const kept = FIELDS.flatMap((field) =>
      isKept(field, read[field]) ? [[field, read[field]]] : [],
    )
    const fields = Object.fromEntries<unknown>(kept as [string, unknown][])
    return { ...fields, name: read['name'], graph: withoutSecrets(read['graph']) }
  } catch {
    return null
  }
}

/** Whether a field holds what it holds in a flow: of what somebody wrote by hand, the rest counts. */
function isKept(field: (typeof FIELDS)[number], value: unknown): boolean {
  if (field === 'trigger_keywords' || field === 'cancel_keywords')
    return Array.isArray(value) && value.every((word) => typeof word === 'string')
  if (field === 'priority' || field === 'timeout_minutes') return typeof value === 'number'
  if (field === 'panel_config') return isObject(value)
  return typeof value === 'string'
}

/** Header values stay on the server that knows them: a file has `***` in their place. */
const withoutSecrets = (graph: Written): Written =>
  JSON.parse(
    JSON.stringify(graph, (key, value: unknown) =>
      key === 'headers' && isObject(value)
        ? Object.fromEntries(Object.entries(value).filter(([, one]) => one !== '***'))
        : value,
    ),
  ) as Written
