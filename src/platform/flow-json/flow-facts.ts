import { isObject, listOf } from '../lenient-json'
import { readScreen } from './screens'

/** Facts about a stored Flow JSON for sending it and reading its responses. */
export interface FlowFacts {
  version: string | null
  dataApiVersion: string | null
  /** Screen IDs. The first screen is the default entry screen. */
  screens: string[]
  entry: string | null
  terminals: string[]
  /** Names of the input fields in screen order. */
  fields: string[]
}

/** Reads the facts of a Flow JSON that was validated here or came from the platform. */
export function flowFacts(document: unknown): FlowFacts {
  const root = isObject(document) ? document : {}
  const screens = listOf(root['screens']).map((screen, index) =>
    readScreen(screen, ['screens', index], () => undefined),
  )
  const targets = new Set(
    Object.values(isObject(root['routing_model']) ? root['routing_model'] : {}).flatMap((list) =>
      listOf(list),
    ),
  )
  const ids = screens.map(({ id }) => id)
  return {
    version: typeof root['version'] === 'string' ? root['version'] : null,
    dataApiVersion: typeof root['data_api_version'] === 'string' ? root['data_api_version'] : null,
    screens: ids,
    entry: ids.find((id) => !targets.has(id)) ?? ids[0] ?? null,
    terminals: screens.filter(({ isTerminal }) => isTerminal).map(({ id }) => id),
    fields: [...new Set(screens.flatMap(({ fields }) => fields))],
  }
}
