import { isObject, listOf, objectOf, type JsonObject } from '../lenient-json'
import { COMPONENTS } from './components'
import type { JsonPath } from './json-path'
import { type ReportProblem, type Screen, unknownKeys } from './screen-model'

const ACTIONS: Readonly<Record<string, { required: readonly string[]; known: readonly string[] }>> =
  {
    navigate: { required: ['next'], known: ['next', 'payload'] },
    complete: { required: [], known: ['payload'] },
    data_exchange: { required: [], known: ['payload'] },
    update_data: { required: ['payload'], known: ['payload'] },
    open_url: { required: ['url'], known: ['url'] },
  }

const MAX_COMPONENTS = 50

interface ScreenReading {
  found: Screen
  report: ReportProblem
}

/** Reads the layout of a screen and records its problems. */
export function readLayout(layout: unknown, path: JsonPath, reading: ScreenReading): void {
  const { report, found } = reading
  if (!isObject(layout)) return report(path, 'is required')
  if (layout['type'] !== 'SingleColumnLayout')
    report([...path, 'type'], 'must be SingleColumnLayout')
  for (const name of unknownKeys(layout, (known) => known === 'type' || known === 'children'))
    report([...path, name], 'is not a property of a layout')
  const componentCount = readChildren(layout['children'], [...path, 'children'], reading)
  if (componentCount > MAX_COMPONENTS)
    report([...path, 'children'], `must have at most ${MAX_COMPONENTS} components`)
  for (const [name, count] of Object.entries(countOf(found.fields)))
    if (count > 1) report(path, `has several fields named ${name}`)
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
function readChildren(children: unknown, path: JsonPath, reading: ScreenReading): number {
  if (!Array.isArray(children) || children.length === 0) {
    reading.report(path, 'must be a list of components')
    return 0
  }
  return listOf(children).reduce<number>(
    (sum, child, index) => sum + 1 + readComponent(child, [...path, index], reading),
    0,
  )
}

/** Reads a component. Returns the number of components inside it. */
function readComponent(raw: unknown, path: JsonPath, reading: ScreenReading): number {
  const { report, found } = reading
  const component = objectOf(raw)
  const type = typeof component['type'] === 'string' ? component['type'] : ''
  const shape = Object.hasOwn(COMPONENTS, type) ? COMPONENTS[type] : undefined
  if (!shape) {
    report(
      [...path, 'type'],
      type === '' ? 'is required' : `${type} is not a component of Flow JSON`,
    )
    return 0
  }
  for (const name of shape.required)
    if (component[name] === undefined) report([...path, name], `is required in ${type}`)
  for (const [name, value] of Object.entries(component)) {
    if (name === 'type' || (shape.children?.includes(name) ?? false)) continue
    if (shape.actions?.includes(name)) {
      readAction(value, [...path, name], reading)
      continue
    }
    const rule = Object.hasOwn(shape.properties, name) ? shape.properties[name] : undefined
    const problem = rule ? rule(value) : `is not a property of ${type}`
    if (problem !== null) report([...path, name], problem)
  }
  if (type === 'Footer') {
    if (found.footers > 0) report([...path, 'type'], 'must have only one Footer per screen')
    found.footers += 1
  }
  if (shape.isField && typeof component['name'] === 'string') found.fields.push(component['name'])
  readInnerActions(component, path, reading)
  return readBranches(component, shape.children ?? [], path, reading)
}

/**
 * Reads the components inside a component. Fields in different branches may share a name, because
 * only one branch is shown.
 */
function readBranches(
  component: JsonObject,
  childProperties: readonly string[],
  path: JsonPath,
  reading: ScreenReading,
): number {
  const branches = childProperties.flatMap((name): [JsonPath, unknown][] => {
    const value = component[name]
    if (value === undefined) return []
    if (name !== 'cases') return [[[...path, name], value]]
    if (!isObject(value) || Object.keys(value).length === 0)
      reading.report([...path, name], 'must be an object with a list of components per case')
    return Object.entries(objectOf(value)).map(([caseName, inner]): [JsonPath, unknown] => [
      [...path, name, caseName],
      inner,
    ])
  })
  const { found } = reading
  const { fields: componentCount, footers } = found
  let maxFooters = footers
  const fields = new Set<string>()
  let count = 0
  for (const [branchPath, inner] of branches) {
    found.fields = []
    found.footers = footers
    count += readChildren(inner, branchPath, reading)
    maxFooters = Math.max(maxFooters, found.footers)
    for (const [name, count] of Object.entries(countOf(found.fields))) {
      if (count > 1) reading.report(branchPath, `has several fields named ${name}`)
      fields.add(name)
    }
  }
  found.fields = [...componentCount, ...fields]
  found.footers = maxFooters
  return count
}

/** Reads the actions of list elements. */
function readInnerActions(component: JsonObject, path: JsonPath, reading: ScreenReading): void {
  for (const list of ['data-source', 'list-items'])
    for (const [index, element] of listOf(component[list]).entries())
      for (const name of ['on-click-action', 'on-select-action', 'on-unselect-action'])
        if (isObject(element) && element[name] !== undefined)
          readAction(element[name], [...path, list, index, name], reading)
}

function readAction(raw: unknown, path: JsonPath, { found, report }: ScreenReading): void {
  const action = objectOf(raw)
  const name = typeof action['name'] === 'string' ? action['name'] : ''
  const shape = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined
  if (!shape) return report([...path, 'name'], `must be one of ${Object.keys(ACTIONS).join(', ')}`)
  for (const member of shape.required)
    if (action[member] === undefined) report([...path, member], `is required in ${name}`)
  for (const member of unknownKeys(
    action,
    (known) => known === 'name' || shape.known.includes(known),
  ))
    report([...path, member], `is not a property of ${name}`)
  if (action['payload'] !== undefined && !isObject(action['payload']))
    report([...path, 'payload'], 'must be an object')
  found.actions.push({ path, name, action })
}
