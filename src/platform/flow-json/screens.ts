import { isObject, objectOf } from '../lenient-json'
import type { JsonPath } from './json-path'
import { type ReportProblem, type Screen, unknownKeys } from './screen-model'
import { readLayout } from './layout'

const SCREEN_PROPERTIES = new Set([
  'id',
  'title',
  'terminal',
  'success',
  'data',
  'layout',
  'refresh_on_back',
  'sensitive',
])

const DATA_TYPES = new Set(['string', 'number', 'boolean', 'object', 'array'])

/** Reads a screen and records its own problems. */
export function readScreen(raw: unknown, path: JsonPath, report: ReportProblem): Screen {
  const screen = objectOf(raw)
  const id = typeof screen['id'] === 'string' ? screen['id'] : ''
  const found: Screen = {
    id,
    path,
    raw: screen,
    isTerminal: screen['terminal'] === true,
    fields: [],
    dataNames: [],
    actions: [],
    footers: 0,
  }
  if (!isObject(raw)) {
    report(path, 'must be an object')
    return found
  }
  for (const name of unknownKeys(screen, (known) => SCREEN_PROPERTIES.has(known)))
    report([...path, name], 'is not a property of a screen')
  if (!/^[A-Z_]+$/.test(id)) report([...path, 'id'], 'must consist of the letters A to Z and _')
  else if (id === 'SUCCESS')
    report([...path, 'id'], 'must not be SUCCESS, which marks the end of every flow')
  for (const name of ['terminal', 'success', 'refresh_on_back'])
    if (screen[name] !== undefined && typeof screen[name] !== 'boolean')
      report([...path, name], 'must be true or false')
  if (screen['success'] === true && screen['terminal'] !== true)
    report([...path, 'success'], 'is only allowed on terminal screens')
  found.dataNames = readData(screen['data'], [...path, 'data'], report)
  readLayout(screen['layout'], [...path, 'layout'], { found, report })
  if (found.isTerminal && found.footers === 0)
    report(path, 'must have a Footer because it is a terminal screen')
  return found
}

/** Reads the names of a screen's input data. */
function readData(data: unknown, path: JsonPath, report: ReportProblem): string[] {
  if (data === undefined) return []
  if (!isObject(data)) {
    report(path, 'must be an object')
    return []
  }
  for (const [name, declaration] of Object.entries(data)) {
    const itemPath = [...path, name]
    if (!isObject(declaration)) report(itemPath, 'must be an object with type and __example__')
    else if (!DATA_TYPES.has(String(declaration['type'])))
      report([...itemPath, 'type'], `must be one of ${[...DATA_TYPES].join(', ')}`)
    else if (declaration['__example__'] === undefined)
      report([...itemPath, '__example__'], 'is required')
  }
  return Object.keys(data)
}
