import { isObject, objectOf } from '../lenient-json'
import type { Place } from './json-path'
import { type Note, type Screen, strangers } from './screen-model'
import { readLayout } from './layout'

const SCREEN_MEMBERS = new Set([
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
export function readScreen(raw: unknown, place: Place, note: Note): Screen {
  const screen = objectOf(raw)
  const id = typeof screen['id'] === 'string' ? screen['id'] : ''
  const found: Screen = {
    id,
    place,
    raw: screen,
    isTerminal: screen['terminal'] === true,
    fields: [],
    given: [],
    actions: [],
    footers: 0,
  }
  if (!isObject(raw)) {
    note(place, 'must be an object')
    return found
  }
  for (const name of strangers(screen, (known) => SCREEN_MEMBERS.has(known)))
    note([...place, name], 'is not a property of a screen')
  if (!/^[A-Z_]+$/.test(id)) note([...place, 'id'], 'must consist of the letters A to Z and _')
  else if (id === 'SUCCESS')
    note([...place, 'id'], 'must not be SUCCESS, which marks the end of every flow')
  for (const name of ['terminal', 'success', 'refresh_on_back'])
    if (screen[name] !== undefined && typeof screen[name] !== 'boolean')
      note([...place, name], 'must be true or false')
  if (screen['success'] === true && screen['terminal'] !== true)
    note([...place, 'success'], 'is only allowed on terminal screens')
  found.given = readData(screen['data'], [...place, 'data'], note)
  readLayout(screen['layout'], [...place, 'layout'], { found, note })
  if (found.isTerminal && found.footers === 0)
    note(place, 'must have a Footer because it is a terminal screen')
  return found
}

/** Reads the names of a screen's input data. */
function readData(data: unknown, place: Place, note: Note): string[] {
  if (data === undefined) return []
  if (!isObject(data)) {
    note(place, 'must be an object')
    return []
  }
  for (const [name, declared] of Object.entries(data)) {
    const at = [...place, name]
    if (!isObject(declared)) note(at, 'must be an object with type and __example__')
    else if (!DATA_TYPES.has(String(declared['type'])))
      note([...at, 'type'], `must be one of ${[...DATA_TYPES].join(', ')}`)
    else if (declared['__example__'] === undefined) note([...at, '__example__'], 'is required')
  }
  return Object.keys(data)
}
