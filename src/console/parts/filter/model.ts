/** A filter as segments have it: `{all}`, `{any}`, `{not}` or a condition. */
export type Filter = Record<string, unknown>

/** A condition of a filter, as it is edited. */
export interface Condition {
  id: string
  field: string
  op: string
  value: unknown
}

/** Conditions that all hold, of which one holds, or of which none does. */
export interface Group {
  id: string
  mode: 'all' | 'any' | 'none'
  entries: readonly Entry[]
}

export type Entry = Condition | Group

export const isGroup = (entry: Entry): entry is Group => 'entries' in entry

let lastId = 0
const nextId = (): string => {
  lastId += 1
  return `filter-${lastId}`
}

/** Returns a new condition. */
export const condition = (field: string, op: string, value?: unknown): Condition => ({
  id: nextId(),
  ...{ field, op, value },
})

/** Returns a new group. */
export const group = (mode: Group['mode'], entries: readonly Entry[] = []): Group => ({
  id: nextId(),
  ...{ mode, entries },
})

const isFilter = (value: unknown): value is Filter =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Reads a filter for the editor. What is no filter is an empty group. */
export function readFilter(filter: unknown): Group {
  const entry = readEntry(filter)
  if (entry === null) return group('all')
  return isGroup(entry) ? entry : group('all', [entry])
}

function readEntry(filter: unknown): Entry | null {
  if (!isFilter(filter)) return null
  const { all, any, not, field, op, value } = filter
  if (typeof field === 'string' && typeof op === 'string') return readCondition(field, op, value)
  const entries = (list: unknown): Entry[] =>
    (Array.isArray(list) ? list : []).flatMap((one: unknown) => readEntry(one) ?? [])
  if (all !== undefined) return group('all', entries(all))
  if (any !== undefined) return group('any', entries(any))
  if (!isFilter(not)) return null
  return group('none', not['any'] === undefined ? entries([not]) : entries(not['any']))
}

/** Comparisons of the editor that say all, and how the server knows them. */
const WHOLE: Record<string, Filter> = {
  exists: { op: 'exists', value: true },
  missing: { op: 'exists', value: false },
  yes: { op: 'eq', value: true },
  no: { op: 'eq', value: false },
}

function readCondition(field: string, op: string, value: unknown): Condition {
  if (op === 'exists') return condition(field, value === false ? 'missing' : 'exists')
  if (op === 'eq' && typeof value === 'boolean') return condition(field, value ? 'yes' : 'no')
  return condition(field, op, value)
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === '' || (Array.isArray(value) && value.length === 0)

/** Whether a condition says all that it needs. */
export const isComplete = ({ op, value }: Condition): boolean => op in WHOLE || !isEmpty(value)

/** A filter for the server, and where the conditions of the editor stand in it. */
export interface Written {
  /** `null` for an empty one. */
  filter: Filter | null
  /** Paths of conditions and groups, such as `filter.all.1`, with their IDs. */
  places: readonly (readonly [path: string, id: string])[]
}

/** Writes a filter without conditions that say too little. */
export function writeFilter(root: Group): Written {
  const places: [string, string][] = []
  const filter = writeGroup(root, 'filter', places)
  return { filter, places }
}

function writeGroup(from: Group, path: string, places: [string, string][]): Filter | null {
  const name = from.mode === 'all' ? 'all' : 'any'
  const at = from.mode === 'none' ? `${path}.not.any` : `${path}.${name}`
  const list: Filter[] = []
  for (const entry of from.entries) {
    const here = `${at}.${list.length}`
    const written = isGroup(entry) ? writeGroup(entry, here, places) : writeCondition(entry)
    if (written === null) continue
    list.push(written)
    places.push([here, entry.id])
  }
  if (list.length === 0) return null
  return from.mode === 'none' ? { not: { any: list } } : { [name]: list }
}

function writeCondition(from: Condition): Filter | null {
  const { field, op, value } = from
  if (!isComplete(from)) return null
  return { field, ...(WHOLE[op] ?? { op, value }) }
}

/** Returns the ID of the innermost entry that a path of an error of the server points to. */
export function entryAt({ places }: Written, path: string): string | null {
  const full = path.slice(Math.max(path.indexOf('filter'), 0))
  const isJoined = !places.some(([place]) => full.startsWith(place))
  const inner = isJoined ? full.replace(/^filter\.all\.0\./, 'filter.') : full
  const found = places
    .filter(([place]) => inner === place || inner.startsWith(`${place}.`))
    .toSorted(([one], [other]) => other.length - one.length)
  return found[0]?.[1] ?? null
}

/** Changes an entry wherever it is; `null` removes it. */
export function changeEntry(
  root: Group,
  id: string,
  change: (entry: Entry) => Entry | null,
): Group {
  const entries = root.entries.flatMap((entry): Entry[] => {
    if (entry.id === id) return [change(entry) ?? []].flat()
    return [isGroup(entry) ? changeEntry(entry, id, change) : entry]
  })
  return { ...root, entries }
}

/** Returns how many conditions a group has, inner ones counted. */
export const conditionsIn = ({ entries }: Group): number =>
  entries.reduce((sum, entry) => sum + (isGroup(entry) ? conditionsIn(entry) : 1), 0)

/** Returns all of these filters in one; each may be absent. Paths of the first one stay as they are. */
export function allOf(...filters: readonly (Filter | null | undefined)[]): Filter | null {
  const present = filters.filter((one) => one !== null && one !== undefined)
  if (present.length <= 1) return present[0] ?? null
  return { all: present.flatMap((one) => (Array.isArray(one['all']) ? one['all'] : [one])) }
}
