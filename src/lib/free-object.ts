import type { FieldProblem } from './errors'

/** Keys refused because they have a special meaning in JavaScript. */
const RESERVED_KEYS = new Set(['__proto__', 'constructor', 'prototype'])

/** Limits of a free object: bytes of its JSON and nesting depth. */
export interface FreeObjectLimits {
  bytes: number
  levels: number
}

/**
 * Returns the problems of an object with arbitrary keys at `path`: too large, too deep, or a
 * reserved key.
 */
export function freeObjectProblems(
  value: Record<string, unknown>,
  path: string,
  limits: FreeObjectLimits,
): FieldProblem[] {
  const reserved = reservedKey(value, path, limits.levels)
  if (reserved !== null) return [reserved]
  if (Buffer.byteLength(JSON.stringify(value)) > limits.bytes)
    return [{ path, message: `must be up to ${limits.bytes / 1024} KiB as JSON` }]
  return []
}

function reservedKey(value: unknown, path: string, levels: number): FieldProblem | null {
  if (typeof value !== 'object' || value === null) return null
  if (levels === 0) return { path, message: 'is nested too deeply' }
  const entries: [string, unknown][] = Array.isArray(value)
    ? value.map((inner, index) => [String(index), inner])
    : Object.entries(value)
  for (const [key, inner] of entries) {
    if (!Array.isArray(value) && RESERVED_KEYS.has(key))
      return { path: `${path}.${key}`, message: 'is a reserved name' }
    const problem = reservedKey(inner, `${path}.${key}`, levels - 1)
    if (problem) return problem
  }
  return null
}
