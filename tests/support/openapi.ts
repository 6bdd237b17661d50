import type { Loose } from './client'

/**
 * Returns the target of a reference in an OpenAPI document; other values are returned unchanged.
 */
export function resolve(document: Loose, value: Loose): Loose {
  const reference = value['$ref'] as unknown
  if (typeof reference !== 'string') return value
  return reference
    .slice('#/'.length)
    .split('/')
    .reduce((place, part) => (place[part] ?? {}) as Loose, document)
}

/** Returns the responses of an operation by status, with shared ones in full. */
export const responsesOf = (
  document: Loose,
  operation: Loose,
): [status: string, response: Loose][] =>
  Object.entries(operation['responses'] as Record<string, Loose>).map(([status, response]) => [
    status,
    resolve(document, response),
  ])

/**
 * Returns the error codes an operation documents for a status: those of the response and those the
 * operation adds.
 */
export const codesOf = (document: Loose, operation: Loose, status: string): string[] => [
  ...((resolve(document, (operation['responses'] as Loose)[status] as Loose)['x-codes'] ??
    []) as string[]),
  ...(((operation['x-codes'] ?? {}) as Record<string, string[]>)[status] ?? []),
]

/** Returns the parameters of an operation, with shared ones in full. */
export const parametersOf = (document: Loose, operation: Loose): Loose[] =>
  ((operation['parameters'] ?? []) as Loose[]).map((parameter) => resolve(document, parameter))
