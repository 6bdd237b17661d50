import { isObject, listOf, objectOf, wordOf } from '../lenient-json'
import type { ReportProblem, Screen } from './screen-model'

/**
 * Returns the next screens of each screen, from the routing model or otherwise from the navigate
 * actions.
 */
function nextScreens(
  screens: Screen[],
  model: unknown,
  report: ReportProblem,
): Map<string, Set<string>> {
  const edges = new Map(screens.map(({ id }) => [id, new Set<string>()]))
  if (isObject(model)) {
    for (const [from, targets] of Object.entries(model)) {
      const ownTargets = edges.get(from)
      if (!ownTargets) report(['routing_model', from], 'is not a screen of this flow')
      if (!Array.isArray(targets)) report(['routing_model', from], 'must be a list of screens')
      for (const [index, target] of listOf(targets).entries()) {
        if (typeof target !== 'string' || !edges.has(target))
          report(['routing_model', from, index], 'is not a screen of this flow')
        else ownTargets?.add(target)
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
    .map(({ path, action }) => ({
      path: [...path, 'next'],
      name: wordOf(objectOf(action['next']).name) ?? '',
      next: action['next'],
    }))
}

/**
 * Validates the routing: every target exists and is in the routing model, routes have no cycle, and
 * every entry screen reaches a terminal screen.
 */
export function checkRouting(screens: Screen[], model: unknown, report: ReportProblem): void {
  const ids = new Set(screens.map(({ id }) => id))
  const edges = nextScreens(screens, model, report)
  for (const screen of screens)
    for (const { path, name, next } of navigationsOf(screen)) {
      if (!isObject(next) || next['type'] !== 'screen') report([...path, 'type'], 'must be screen')
      if (!ids.has(name))
        report(
          [...path, 'name'],
          name === '' ? 'is required' : `${name} is not a screen of this flow`,
        )
      else if (isObject(model) && !edges.get(screen.id)?.has(name))
        report([...path, 'name'], `${screen.id} does not lead to ${name} in the routing model`)
    }
  const root = isObject(model) ? ['routing_model'] : ['screens']
  const cycle = findCycle(edges)
  if (cycle !== null) return report(root, `must not contain a cycle: ${cycle.join(' → ')}`)
  const terminal = new Set(screens.filter(({ isTerminal }) => isTerminal).map(({ id }) => id))
  if (terminal.size === 0) return report(['screens'], 'must have a terminal screen')
  const reachable = new Set([...edges.values()].flatMap((targets) => [...targets]))
  for (const { id, path } of screens)
    if (!reachable.has(id) && !reaches(edges, id, terminal))
      report([...path, 'id'], 'must lead to a terminal screen')
}

/** Returns a cycle of screens, or `null`. */
function findCycle(edges: Map<string, Set<string>>): string[] | null {
  const done = new Set<string>()
  const walk = (id: string, visited: string[]): string[] | null => {
    const start = visited.indexOf(id)
    if (start >= 0) return [...visited.slice(start), id]
    if (done.has(id)) return null
    for (const next of edges.get(id) ?? []) {
      const cycle = walk(next, [...visited, id])
      if (cycle) return cycle
    }
    done.add(id)
    return null
  }
  for (const id of edges.keys()) {
    const cycle = walk(id, [])
    if (cycle) return cycle
  }
  return null
}

function reaches(
  edges: Map<string, Set<string>>,
  from: string,
  goals: ReadonlySet<string>,
): boolean {
  const seen = new Set<string>()
  const queue = [from]
  for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
    if (goals.has(id)) return true
    if (seen.has(id)) continue
    seen.add(id)
    queue.push(...(edges.get(id) ?? []))
  }
  return false
}
