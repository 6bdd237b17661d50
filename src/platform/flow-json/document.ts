import { isObject, listOf, type JsonObject } from '../lenient-json'
import { jsonProblem, linesOf, type Problem } from './json-path'
import { checkRouting } from './routing'
import { readScreen } from './screens'
import { type Note, type Screen } from './screen-model'
import { checkReferences } from './references'

export type { Problem }

/** Result of reading a Flow JSON: its text for storage and upload, and its problems. */
export interface ReadFlowJson {
  printed: string
  problems: Problem[]
}

const ROOT_MEMBERS = new Set([
  'version',
  'data_api_version',
  'routing_model',
  'screens',
  'data_channel_uri',
])
/**
 * Flow JSON versions that the platform has released and may still accept (platform documentation
 * 5.2 and the Flows changelog).
 */
const VERSIONS = new Set([
  '2.1',
  '3.0',
  '3.1',
  '4.0',
  '5.0',
  '5.1',
  '6.0',
  '6.1',
  '6.2',
  '6.3',
  '7.0',
  '7.1',
  '7.2',
  '7.3',
])
/** Maximum nesting of a valid Flow. */
const DEEPEST = 90
const MAX_SCREENS = 100
const MAX_PROBLEMS = 100

/** The stored and uploaded text. The platform's validation errors refer to its lines. */
const printed = (document: unknown): string => JSON.stringify(document, null, 2)

/**
 * Reads a Flow JSON, given as an object or as text, and validates its structure, components,
 * routing and references (platform documentation 5.2). `usesEndpoint` tells whether the Flow has a
 * data endpoint; `null` if unknown.
 */
export function readFlowJson(given: unknown, usesEndpoint: boolean | null): ReadFlowJson {
  const isText = typeof given === 'string'
  const broken = isText ? jsonProblem(given) : null
  if (broken) return { printed: '', problems: [broken] }
  const document: unknown = isText ? JSON.parse(given) : given
  if (!isObject(document))
    return { printed: '', problems: [{ place: [], message: 'must be an object', line: 1 }] }
  if (isDeeperThan(document, DEEPEST))
    return {
      printed: '',
      problems: [
        { place: [], message: `must not be nested more than ${DEEPEST} levels deep`, line: 1 },
      ],
    }
  const text = printed(document)
  const found = problemsOf(document, usesEndpoint)
  if (found.length === 0) return { printed: text, problems: [] }
  const lineOf = linesOf(isText ? given : text)
  return {
    printed: text,
    problems: found.map((problem) => ({ ...problem, line: lineOf(problem.place) })),
  }
}

function isDeeperThan(value: unknown, levels: number): boolean {
  let here = [value]
  for (let level = 0; level < levels && here.length > 0; level += 1)
    here = here.flatMap((inner): unknown[] =>
      typeof inner === 'object' && inner !== null ? Object.values(inner) : [],
    )
  return here.length > 0
}

function problemsOf(document: JsonObject, usesEndpoint: boolean | null): Omit<Problem, 'line'>[] {
  const problems: Omit<Problem, 'line'>[] = []
  const note: Note = (place, message) => {
    const isKnown = problems.some((problem) => problem.place.join('\n') === place.join('\n'))
    if (!isKnown && problems.length < MAX_PROBLEMS) problems.push({ place, message })
  }
  const { version, screens: raw } = document
  for (const name of Object.keys(document))
    if (!ROOT_MEMBERS.has(name)) note([name], 'is not a property of Flow JSON')
  if (typeof version !== 'string' || !VERSIONS.has(version))
    note(['version'], `must be one of ${[...VERSIONS].join(', ')}`)
  if (!Array.isArray(raw) || raw.length === 0 || raw.length > MAX_SCREENS) {
    note(['screens'], `must be a list of 1 to ${MAX_SCREENS} screens`)
    return problems
  }
  const screens = listOf(raw).map((screen, index) => readScreen(screen, ['screens', index], note))
  for (const [index, { id }] of screens.entries())
    if (id !== '' && screens.findIndex((other) => other.id === id) < index)
      note(['screens', index, 'id'], `${id} is already the ID of another screen`)
  checkRouting(screens, document['routing_model'], note)
  checkEndpoint(document, screens, usesEndpoint, note)
  checkActions(screens, note)
  checkReferences(screens, note)
  return problems
}

/**
 * Checks that `data_api_version` and `routing_model` are present exactly when the Flow uses an
 * endpoint.
 */
function checkEndpoint(
  document: JsonObject,
  screens: Screen[],
  usesEndpoint: boolean | null,
  note: Note,
): void {
  const { data_api_version: version, routing_model: model } = document
  const asking = screens
    .flatMap(({ actions }) => actions)
    .find(({ name }) => name === 'data_exchange')
  if (version !== undefined && (typeof version !== 'string' || !/^\d{1,2}\.\d{1,2}$/.test(version)))
    note(['data_api_version'], 'must be a version such as 3.0')
  if (version === undefined && usesEndpoint === true)
    note(['data_api_version'], 'is required because the flow has an endpoint')
  else if (version === undefined && asking)
    note(['data_api_version'], 'is required because a data_exchange action calls the endpoint')
  if (version !== undefined && usesEndpoint === false)
    note(['data_api_version'], 'must be left out because the flow has no endpoint')
  if (version !== undefined && !isObject(model))
    note(['routing_model'], 'is required with data_api_version')
  if (model !== undefined && !isObject(model)) note(['routing_model'], 'must be an object')
  if (version === undefined)
    for (const { raw, place } of screens)
      if (raw['refresh_on_back'] === true)
        note([...place, 'refresh_on_back'], 'requires an endpoint')
}

function checkActions(screens: Screen[], note: Note): void {
  for (const { actions, isTerminal } of screens)
    for (const { name, place } of actions)
      if (name === 'complete' && !isTerminal)
        note([...place, 'name'], 'complete is only allowed on terminal screens')
}
