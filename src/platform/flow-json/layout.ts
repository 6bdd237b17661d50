import { isObject, listOf, objectOf, type JsonObject } from '../lenient-json'
import { COMPONENTS } from './components'
import type { Place } from './json-path'
import { type Note, type Screen, strangers } from './screen-model'

const ACTIONS: Readonly<Record<string, { required: readonly string[]; known: readonly string[] }>> =
  {
    navigate: { required: ['next'], known: ['next', 'payload'] },
    complete: { required: [], known: ['payload'] },
    data_exchange: { required: [], known: ['payload'] },
    update_data: { required: ['payload'], known: ['payload'] },
    open_url: { required: ['url'], known: ['url'] },
  }

const MAX_COMPONENTS = 50

interface Reading {
  found: Screen
  note: Note
}

export function readLayout(layout: unknown, place: Place, reading: Reading): void {
  const { note, found } = reading
  if (!isObject(layout)) return note(place, 'is required')
  if (layout['type'] !== 'SingleColumnLayout')
    note([...place, 'type'], 'must be SingleColumnLayout')
  for (const name of strangers(layout, (known) => known === 'type' || known === 'children'))
    note([...place, name], 'is not a property of a layout')
  const before = readChildren(layout['children'], [...place, 'children'], reading)
  if (before > MAX_COMPONENTS)
    note([...place, 'children'], `must have at most ${MAX_COMPONENTS} components`)
  for (const [name, times] of Object.entries(countOf(found.fields)))
    if (times > 1) note(place, `has several fields named ${name}`)
}

/**
 * Counts how often each name occurs. Branches of an If or a Switch may share a name, which is
 * counted once.
 */
function countOf(names: string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

/** Reads a list of components. Returns their number, including nested ones. */
function readChildren(children: unknown, place: Place, reading: Reading): number {
  if (!Array.isArray(children) || children.length === 0) {
    reading.note(place, 'must be a list of components')
    return 0
  }
  return listOf(children).reduce<number>(
    (sum, child, index) => sum + 1 + readComponent(child, [...place, index], reading),
    0,
  )
}

/** Reads a component. Returns the number of components inside it. */
function readComponent(raw: unknown, place: Place, reading: Reading): number {
  const { note, found } = reading
  const component = objectOf(raw)
  const type = typeof component['type'] === 'string' ? component['type'] : ''
  const shape = Object.hasOwn(COMPONENTS, type) ? COMPONENTS[type] : undefined
  if (!shape) {
    note([...place, 'type'], type === '' ? 'is required' : `${type} is not a component of Flow JSON`)
    return 0
  }
  for (const name of shape.required)
    if (component[name] === undefined) note([...place, name], `is required in ${type}`)
  for (const [name, value] of Object.entries(component)) {
    if (name === 'type' || (shape.holds?.includes(name) ?? false)) continue
    if (shape.actions?.includes(name)) {
      readAction(value, [...place, name], reading)
      continue
    }
    const rule = Object.hasOwn(shape.properties, name) ? shape.properties[name] : undefined
    const problem = rule ? rule(value) : `is not a property of ${type}`
    if (problem !== null) note([...place, name], problem)
  }
  if (type === 'Footer') {
    if (found.footers > 0) note([...place, 'type'], 'must have only one Footer per screen')
    found.footers += 1
  }
  if (shape.isField && typeof component['name'] === 'string') found.fields.push(component['name'])
  readInnerActions(component, place, reading)
  return readHeld(component, shape.holds ?? [], place, reading)
}

/**
 * Reads the components inside a component. Fields in different branches may share a name, because
 * only one branch is shown.
 */
function readHeld(
  component: JsonObject,
  holds: readonly string[],
  place: Place,
  reading: Reading,
): number {
  const branches = holds.flatMap((name): [Place, unknown][] => {
    const value = component[name]
    if (value === undefined) return []
    if (name !== 'cases') return [[[...place, name], value]]
    if (!isObject(value) || Object.keys(value).length === 0)
      reading.note([...place, name], 'must be an object with a list of components per case')
    return Object.entries(objectOf(value)).map(([word, inner]): [Place, unknown] => [
      [...place, name, word],
      inner,
    ])
  })
  const { found } = reading
  const { fields: before, footers } = found
  let most = footers
  const fields = new Set<string>()
  let count = 0
  for (const [at, inner] of branches) {
    found.fields = []
    found.footers = footers
    count += readChildren(inner, at, reading)
    most = Math.max(most, found.footers)
    for (const [name, times] of Object.entries(countOf(found.fields))) {
      if (times > 1) reading.note(at, `has several fields named ${name}`)
      fields.add(name)
    }
  }
  found.fields = [...before, ...fields]
  found.footers = most
  return count
}

/** Reads the actions of list elements. */
function readInnerActions(component: JsonObject, place: Place, reading: Reading): void {
  for (const list of ['data-source', 'list-items'])
    for (const [index, element] of listOf(component[list]).entries())
      for (const name of ['on-click-action', 'on-select-action', 'on-unselect-action'])
        if (isObject(element) && element[name] !== undefined)
          readAction(element[name], [...place, list, index, name], reading)
}

function readAction(raw: unknown, place: Place, { found, note }: Reading): void {
  const action = objectOf(raw)
  const name = typeof action['name'] === 'string' ? action['name'] : ''
  const shape = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined
  if (!shape) return note([...place, 'name'], `must be one of ${Object.keys(ACTIONS).join(', ')}`)
  for (const member of shape.required)
    if (action[member] === undefined) note([...place, member], `is required in ${name}`)
  for (const member of strangers(
    action,
    (known) => known === 'name' || shape.known.includes(known),
  ))
    note([...place, member], `is not a property of ${name}`)
  if (action['payload'] !== undefined && !isObject(action['payload']))
    note([...place, 'payload'], 'must be an object')
  found.actions.push({ place, name, action })
}
