/**
 * Returns the part of a JSON value that a path such as `data.items[0].text` names; `undefined` if
 * there is none. Only own properties are followed.
 */
export function partOf(value: unknown, path: string): unknown {
  let part = value
  for (const [, name, index] of path.matchAll(/([\w$-]+)|\[(\d+)\]/g)) {
    const key = name ?? index ?? ''
    if (typeof part !== 'object' || part === null || !Object.hasOwn(part, key)) return undefined
    part = (part as Record<string, unknown>)[key]
  }
  return part
}
