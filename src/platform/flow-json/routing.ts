import { isObject, listOf, objectOf, wordOf } from '../lenient-json'
import type { Note, Screen } from './screen-model'

/**
 * Returns the next screens of each screen, from the routing model or otherwise from the navigate
 * actions.
 */
function edgesOf(screens: Screen[], model: unknown, note: Note): Map<string, Set<string>> {
  const edges = new Map(screens.map(({ id }) => [id, new Set<string>()]))
  if (isObject(model)) {
    for (const [from, targets] of Object.entries(model)) {
      const own = edges.get(from)
      if (!own) note(['routing_model', from], 'is not a screen of this flow')
      if (!Array.isArray(targets)) note(['routing_model', from], 'must be a list of screens')
      for (const [index, target] of listOf(targets).entries()) {
        if (typeof target !== 'string' || !edges.has(target))
          note(['routing_model', from, index], 'is not a screen of this flow')
        else own?.add(target)
      }
    }
    return edges
  }
  for (const screen of screens)
    for (const { name } of navigationsOf(screen))
      if (edges.has(name)) edges.get(screen.id)?.add(name)
  return edges
}

function navigationsOf({ actions }: Screen) {
  return actions
    .filter(({ name }) => name === 'navigate')
    .map(({ place, action }) => ({
      place: [...place, 'next'],
      name: wordOf(objectOf(action['next']).name) ?? '',
      next: action['next'],
    }))
}

/**
 * Validates the routing: every target exists and is in the routing model, routes have no cycle, and
 * every entry screen reaches a terminal screen.
 */
export function checkRouting(screens: Screen[], model: unknown, note: Note): void {
  const ids = new Set(screens.map(({ id }) => id))
  const edges = edgesOf(screens, model, note)
  for (const screen of screens)
    for (const { place, name, next } of navigationsOf(screen)) {
      if (!isObject(next) || next['type'] !== 'screen') note([...place, 'type'], 'must be screen')
      if (!ids.has(name))
        note(
          [...place, 'name'],
          name === '' ? 'is required' : `${name} is not a screen of this flow`,
        )
      else if (isObject(model) && !edges.get(screen.id)?.has(name))
        note([...place, 'name'], `${screen.id} does not lead to ${name} in the routing model`)
    }
  const root = isObject(model) ? ['routing_model'] : ['screens']
  const circle = circleIn(edges)
  if (circle !== null) return note(root, `must not contain a cycle: ${circle.join(' → ')}`)
  const terminal = new Set(screens.filter(({ isTerminal }) => isTerminal).map(({ id }) => id))
  if (terminal.size === 0) return note(['screens'], 'must have a terminal screen')
  const followed = new Set([...edges.values()].flatMap((targets) => [...targets]))
  for (const { id, place } of screens)
    if (!followed.has(id) && !reaches(edges, id, terminal))
      note([...place, 'id'], 'must lead to a terminal screen')
}

/** Returns a cycle of screens, or `null`. */
function circleIn(edges: Map<string, Set<string>>): string[] | null {
  const done = new Set<string>()
  const walk = (id: string, trail: string[]): string[] | null => {
    const start = trail.indexOf(id)
    if (start >= 0) return [...trail.slice(start), id]
    if (done.has(id)) return null
    for (const next of edges.get(id) ?? []) {
      const circle = walk(next, [...trail, id])
      if (circle) return circle
    }
    done.add(id)
    return null
  }
  for (const id of edges.keys()) {
    const circle = walk(id, [])
    if (circle) return circle
  }
  return null
}

function reaches(
  edges: Map<string, Set<string>>,
  from: string,
  goals: ReadonlySet<string>,
): boolean {
  const seen = new Set<string>()
  const waiting = [from]
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (goals.has(id)) return true
    if (seen.has(id)) continue
    seen.add(id)
    waiting.push(...(edges.get(id) ?? []))
  }
  return false
}
