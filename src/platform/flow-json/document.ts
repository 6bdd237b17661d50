import { isObject, listOf, type JsonObject } from '../lenient-json'
import { jsonProblem, lineLookup, type Problem } from './json-path'
import { checkRouting } from './routing'
import { readScreen } from './screens'
import { type ReportProblem, type Screen } from './screen-model'
import { checkReferences } from './references'

export type { Problem }

/** Result of reading a Flow JSON: its text for storage and upload, and its problems. */
export interface ReadFlowJson {
  text: string
  problems: Problem[]
}

const ROOT_PROPERTIES = new Set([
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
const MAX_DEPTH = 90
const MAX_SCREENS = 100
const MAX_PROBLEMS = 100

/** The stored and uploaded text. The platform's validation errors refer to its lines. */
const printDocument = (document: unknown): string => JSON.stringify(document, null, 2)

/**
 * Reads a Flow JSON, given as an object or as text, and validates its structure, components,
 * routing and references (platform documentation 5.2). `usesEndpoint` tells whether the Flow has a
 * data endpoint; `null` if unknown.
 */
export function readFlowJson(input: unknown, usesEndpoint: boolean | null): ReadFlowJson {
  const isText = typeof input === 'string'
  const syntaxProblem = isText ? jsonProblem(input) : null
  if (syntaxProblem) return { text: '', problems: [syntaxProblem] }
  const document: unknown = isText ? JSON.parse(input) : input
  if (!isObject(document))
    return { text: '', problems: [{ path: [], message: 'must be an object', line: 1 }] }
  if (isDeeperThan(document, MAX_DEPTH))
    return {
      text: '',
      problems: [
        { path: [], message: `must not be nested more than ${MAX_DEPTH} levels deep`, line: 1 },
      ],
    }
  const text = printDocument(document)
  const found = problemsOf(document, usesEndpoint)
  if (found.length === 0) return { text, problems: [] }
  const lineOf = lineLookup(isText ? input : text)
  return {
    text,
    problems: found.map((problem) => ({ ...problem, line: lineOf(problem.path) })),
  }
}

function isDeeperThan(value: unknown, levels: number): boolean {
  let values = [value]
  for (let level = 0; level < levels && values.length > 0; level += 1)
    values = values.flatMap((inner): unknown[] =>
      typeof inner === 'object' && inner !== null ? Object.values(inner) : [],
    )
  return values.length > 0
}

function problemsOf(document: JsonObject, usesEndpoint: boolean | null): Omit<Problem, 'line'>[] {
  const problems: Omit<Problem, 'line'>[] = []
  const report: ReportProblem = (path, message) => {
    const isKnown = problems.some((problem) => problem.path.join('\n') === path.join('\n'))
    if (!isKnown && problems.length < MAX_PROBLEMS) problems.push({ path, message })
  }
  const { version, screens: raw } = document
  for (const name of Object.keys(document))
    if (!ROOT_PROPERTIES.has(name)) report([name], 'is not a property of Flow JSON')
  if (typeof version !== 'string' || !VERSIONS.has(version))
    report(['version'], `must be one of ${[...VERSIONS].join(', ')}`)
  if (!Array.isArray(raw) || raw.length === 0 || raw.length > MAX_SCREENS) {
    report(['screens'], `must be a list of 1 to ${MAX_SCREENS} screens`)
    return problems
  }
  const screens = listOf(raw).map((screen, index) => readScreen(screen, ['screens', index], report))
  for (const [index, { id }] of screens.entries())
    if (id !== '' && screens.findIndex((other) => other.id === id) < index)
      report(['screens', index, 'id'], `${id} is already the ID of another screen`)
  checkRouting(screens, document['routing_model'], report)
  checkEndpoint(document, screens, usesEndpoint, report)
  checkActions(screens, report)
  checkReferences(screens, report)
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
  report: ReportProblem,
): void {
  const { data_api_version: version, routing_model: model } = document
  const exchangeAction = screens
    .flatMap(({ actions }) => actions)
    .find(({ name }) => name === 'data_exchange')
  if (version !== undefined && (typeof version !== 'string' || !/^\d{1,2}\.\d{1,2}$/.test(version)))
    report(['data_api_version'], 'must be a version such as 3.0')
  if (version === undefined && usesEndpoint === true)
    report(['data_api_version'], 'is required because the flow has an endpoint')
  else if (version === undefined && exchangeAction)
    report(['data_api_version'], 'is required because a data_exchange action calls the endpoint')
  if (version !== undefined && usesEndpoint === false)
    report(['data_api_version'], 'must be left out because the flow has no endpoint')
  if (version !== undefined && !isObject(model))
    report(['routing_model'], 'is required with data_api_version')
  if (model !== undefined && !isObject(model)) report(['routing_model'], 'must be an object')
  if (version === undefined)
    for (const { raw, path } of screens)
      if (raw['refresh_on_back'] === true)
        report([...path, 'refresh_on_back'], 'requires an endpoint')
}

function checkActions(screens: Screen[], report: ReportProblem): void {
  for (const { actions, isTerminal } of screens)
    for (const { name, path } of actions)
      if (name === 'complete' && !isTerminal)
        report([...path, 'name'], 'complete is only allowed on terminal screens')
}
